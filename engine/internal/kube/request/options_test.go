package request

import (
	"strings"
	"testing"
)

// TestPatch: admission sees a patch as an UPDATE, or as a CREATE where an apply creates the
// object, and the options by the operation.
func TestPatch(t *testing.T) {
	const object, old = "object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", "oldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
	for _, c := range []struct{ text, want string }{
		{"operation: PATCH\noptions: {apiVersion: meta.k8s.io/v1, kind: PatchOptions}\n" + object + old, Update},
		{"operation: PATCH\noptions: {apiVersion: meta.k8s.io/v1, kind: PatchOptions}\n" + object, Create},
	} {
		r, problems := Parse(nil, c.text, nil, kinds(t))
		kind := map[string]string{Update: "UpdateOptions", Create: "CreateOptions"}[c.want]
		if r == nil || r.Operation != c.want || r.Options["kind"] != kind {
			t.Fatalf("%s: %+v", c.text, r)
		}
		fixed := c.text
		for _, d := range problems {
			for _, fix := range d.Fixes {
				fixed = strings.Replace(fixed, fixed[d.Span.Start:d.Span.End], fix.Edits[0].New, 1)
				break
			}
		}
		if _, left := Parse(nil, fixed, nil, kinds(t)); len(problems) != 2 || len(left) != 0 {
			t.Errorf("%d problems, after their fixes %+v of\n%s", len(problems), left, fixed)
		}
	}
}

// TestValidateOptions has the rejections of apimachinery/pkg/apis/meta/v1/validation and of
// rest.BeforeDelete.
func TestValidateOptions(t *testing.T) {
	const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u, resourceVersion: '5'}}"
	for _, c := range []struct{ operation, options, want string }{
		{"CREATE", "{fieldValidation: Warn}", ""},
		{"CREATE", "{fieldValidation: warn}", `fieldValidation: Unsupported value: "warn"`},
		{"UPDATE", "{dryRun: [Some]}", `dryRun: Unsupported value: ["Some"]`},
		{"DELETE", "{propagationPolicy: Background}", ""},
		{"DELETE", "{propagationPolicy: Later}", `propagationPolicy: Unsupported value: "Later"`},
		{"DELETE", "{preconditions: {uid: u, resourceVersion: '5'}}", ""},
		{"DELETE", "{preconditions: {uid: other}}", "the UID in the precondition (other) does not match the UID in record (u)"},
		{"DELETE", "{preconditions: {resourceVersion: '4'}}", "the ResourceVersion in the precondition (4) does not match the ResourceVersion in record (5)"},
	} {
		text := "operation: " + c.operation + "\noptions: " + c.options + "\noldObject: " + pod + "\n"
		if c.operation != "DELETE" {
			text += "object: " + pod + "\n"
		}
		r, _ := Parse(nil, text, nil, kinds(t))
		if r == nil {
			t.Fatalf("%s is no request", text)
		}
		got := ""
		if status := r.ValidateOptions(); status != nil {
			got = status.ErrStatus.Message
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.operation, c.options, got, c.want)
		}
	}
}

// TestGraceful: the server works out the grace period of a Pod before admission.
func TestGraceful(t *testing.T) {
	for _, c := range []struct {
		options, spec, status string
		want                  int64
	}{
		{"{}", "{nodeName: node, terminationGracePeriodSeconds: 30}", "{phase: Running}", 30},
		{"{gracePeriodSeconds: 5}", "{nodeName: node, terminationGracePeriodSeconds: 30}", "{phase: Running}", 5},
		{"{gracePeriodSeconds: -5}", "{nodeName: node}", "{phase: Running}", 1},
		{"{gracePeriodSeconds: 5}", "{terminationGracePeriodSeconds: 30}", "{phase: Pending}", 0},
		{"{}", "{nodeName: node, terminationGracePeriodSeconds: 30}", "{phase: Succeeded}", 0},
	} {
		r, _ := Parse(nil, "operation: DELETE\noptions: "+c.options+"\noldObject: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: "+c.spec+", status: "+c.status+"}\n", nil, kinds(t))
		if r.Graceful(); r.Options["gracePeriodSeconds"] != c.want {
			t.Errorf("%s of %s, %s: %v, want %d", c.options, c.spec, c.status, r.Options["gracePeriodSeconds"], c.want)
		}
	}
}
