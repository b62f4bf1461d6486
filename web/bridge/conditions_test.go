package bridge

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// hooked returns a webhook with the match conditions, each a name and an expression.
func hooked(conditions ...[2]string) scenario.Scenario {
	policies := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: checks}
webhooks:
- name: check.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: https://check.example.com/}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions:
`
	for _, c := range conditions {
		policies += "  - {name: " + c[0] + ", expression: \"" + c[1] + "\"}\n"
	}
	return scenario.Scenario{Policies: policies, Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: {a: b}\n"}
}

// TestWebhookConditions: webhooks' match conditions have the same features as policies': values,
// costs, budgets, repairs, completion, help, growth and the comparison of versions.
// TestProposeSkipping covers proposals.
func TestWebhookConditions(t *testing.T) {
	t.Run("values, costs and budgets", func(t *testing.T) {
		var got Evaluated
		s := hooked([2]string{"named", "object.metadata.name != 'c'"})
		if msg := callWith(t, "evaluate", EvaluateParams{Scenario: s, Parts: []html.Part{html.StepsPart}, Open: []string{"budgets"}}, &got); msg != "" {
			t.Fatal(msg)
		}
		var seen Noted
		if msg := callWith(t, "notes", NotesParams{ID: got.ID, In: []Sight{{Text: diag.Policies, End: len(s.Policies)}}}, &seen); msg != "" {
			t.Fatal(msg)
		}
		c := seen.Steps[0].Conditions[0]
		if c.Result != false || c.Cost != 4 || len(c.Children) == 0 || c.Decisive == nil || c.Span.Start == 0 {
			t.Errorf("got %+v", c)
		}
		for _, want := range []string{"match condition &#34;named&#34; is false", "check.example.com", "2,500,000"} {
			if !strings.Contains(got.HTML.Parts[html.StepsPart], want) {
				t.Errorf("no %q in\n%s", want, got.HTML.Parts[html.StepsPart])
			}
		}
	})
	t.Run("repairs", func(t *testing.T) {
		var got FixedAll
		s := hooked([2]string{"leases", "resource.resource != 'leases' and true"})
		if msg := callWith(t, "fixAll", FixAllParams{s}, &got); msg != "" {
			t.Fatal(msg)
		}
		if !strings.Contains(got.Scenario.Policies, "request.resource.resource != 'leases' && true") || len(got.Applied) == 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("completion and help", func(t *testing.T) {
		s := hooked([2]string{"half", "object.metadata.na"})
		at := strings.Index(s.Policies, "object.metadata.na") + len("object.metadata.na")
		var got struct {
			Items []struct {
				Label string `json:"label"`
			} `json:"items"`
		}
		labels := func(offset int) string {
			t.Helper()
			got.Items = nil
			if msg := callWith(t, "complete", map[string]any{"scenario": s, "text": "policies", "offset": offset}, &got); msg != "" {
				t.Fatal(msg)
			}
			all := " "
			for _, item := range got.Items {
				all += item.Label + " "
			}
			return all
		}
		if all := labels(at); !strings.Contains(all, " name ") || !strings.Contains(all, " namespace ") {
			t.Errorf("offered: %s", all)
		}
		// Completion does not offer what webhooks do not have.
		all := labels(strings.Index(s.Policies, "object.metadata.na"))
		if !strings.Contains(all, " oldObject ") || !strings.Contains(all, " authorizer ") || strings.Contains(all, " params ") || strings.Contains(all, " variables ") {
			t.Errorf("offered: %s", all)
		}
		var help struct{ Doc, Title string }
		if msg := callWith(t, "hover", map[string]any{"scenario": s, "text": "policies", "offset": strings.Index(s.Policies, "metadata.na") + 2}, &help); msg != "" || !strings.Contains(help.Title+help.Doc, "ObjectMeta") {
			t.Errorf("help: %+v %s", help, msg)
		}
	})
	t.Run("growth", func(t *testing.T) {
		s := hooked([2]string{"cheap", "object.data.a == 'b'"})
		reply := Searched{}
		for !reply.Done {
			var err error
			if reply, err = searchLimits(context.Background(), s); err != nil {
				t.Fatal(err)
			}
		}
		shown, err := render(context.Background(), RenderParams{ID: reply.ID, Parts: []html.Part{html.StepsPart}, Open: []string{"budgets"}})
		if err != nil {
			t.Fatal(err)
		}
		if want := "Cannot exceed the limit of 1,000,000"; !strings.Contains(shown.Parts[html.StepsPart], want) {
			t.Errorf("no %q in\n%s", want, shown.Parts[html.StepsPart])
		}
	})
	t.Run("versions", func(t *testing.T) {
		var got report.Versions
		if msg := callWith(t, "versions", hooked([2]string{"cidr", "cidr('10.0.0.0/8').containsIP('10.0.0.1')"}), &got); msg != "" {
			t.Fatal(msg)
		}
		if first, last := got.Rows[0], got.Rows[len(got.Rows)-1]; len(first.Refused) == 0 || len(last.Refused) > 0 {
			t.Errorf("refused on %s: %v, on %s: %v", first.Version, first.Refused, last.Version, last.Refused)
		}
	})
}
