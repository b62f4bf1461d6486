package install_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// TestDefaults checks what the server adds to a document (semantics §11.1).
func TestDefaults(t *testing.T) {
	result := installText(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {generateName: p-, namespace: dropped, generation: 7, managedFields: [{manager: x}]}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "true"}]
status: {observedGeneration: 3}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: m}
webhooks:
- name: a.example.com
  clientConfig: {service: {name: svc, namespace: ns}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`, "1.36")
	if len(result.Answers) > 0 || len(result.ValidatingPolicies) != 1 || len(result.MutatingWebhooks) != 1 {
		t.Fatalf("not accepted: %+v", result.Answers)
	}
	rule := `"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"],"scope":"*"`
	sameJSON(t, result.ValidatingPolicies[0].Object.ObjectMeta, `{"name":"p-xxxxx","generateName":"p-","generation":1}`)
	sameJSON(t, result.ValidatingPolicies[0].Object.Status, `{}`)
	sameJSON(t, result.ValidatingPolicies[0].Object.Spec, `{"failurePolicy":"Fail","validations":[{"expression":"true"}],
		"matchConstraints":{"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"resourceRules":[{`+rule+`}]}}`)
	sameJSON(t, result.MutatingWebhooks[0].Object.Webhooks, `[{"name":"a.example.com","clientConfig":{"service":{"name":"svc","namespace":"ns","port":443}},
		"failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"timeoutSeconds":10,"reinvocationPolicy":"Never",
		"rules":[{`+rule+`}],"sideEffects":"None","admissionReviewVersions":["v1"]}]`)
}

func sameJSON(t *testing.T, got any, want string) {
	t.Helper()
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("\n got %s\nwant %s", data, want)
	}
}

// TestAlphaParamRef checks the one default that only v1alpha1 has.
func TestAlphaParamRef(t *testing.T) {
	const text = `
apiVersion: admissionregistration.k8s.io/%s
kind: MutatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, paramRef: {name: x}}
`
	if r := installText(t, fmt.Sprintf(text, "v1alpha1"), "1.34"); len(r.MutatingBindings) != 1 || *r.MutatingBindings[0].Object.Spec.ParamRef.ParameterNotFoundAction != "Deny" {
		t.Errorf("v1alpha1: %+v", r.Answers)
	}
	if r := installText(t, fmt.Sprintf(text, "v1beta1"), "1.34"); len(r.Answers) != 1 || !strings.HasSuffix(r.Answers[0].Message, "spec.paramRef.parameterNotFoundAction: Required value") {
		t.Errorf("v1beta1: %+v", r.Answers)
	}
}

// TestDeprecation checks the warning about a version that will go.
func TestDeprecation(t *testing.T) {
	text := strings.Replace(document(t, mapb, "{name: b}", ""), "k8s.io/v1", "k8s.io/v1alpha1", 1)
	if r := installText(t, text, "1.34"); len(r.Answers) != 0 {
		t.Errorf("1.34: %+v", r.Answers)
	}
	want := []string{"admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding is deprecated in v1.35+, unavailable in v1.38+"}
	if r := installText(t, text, "1.35"); len(r.Answers) != 1 || r.Answers[0].Code != 0 || !slices.Equal(r.Answers[0].Warnings, want) {
		t.Errorf("1.35: %+v", r.Answers)
	}
}

// TestDuplicateVariables checks that the server's answer is none, and that the
// policy is marked.
func TestDuplicateVariables(t *testing.T) {
	text := document(t, mapp, "{name: p}", `variables: [{name: x, expression: "1"}, {name: z, expression: "1"}, {name: x, expression: "2"}]`)
	result := installText(t, text, "1.36")
	if len(result.Answers) != 0 || len(result.MutatingPolicies) != 1 {
		t.Fatalf("the server accepts the policy: %+v", result.Answers)
	}
	if got := result.MutatingPolicies[0].NotEvaluated; got != "not evaluated: several variables are named x" {
		t.Errorf("NotEvaluated is %q", got)
	}
	if !slices.ContainsFunc(result.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == codes.DuplicateVariable && d.Path == "spec.variables[2].name"
	}) {
		t.Errorf("no diagnostic: %+v", result.Diagnostics)
	}
}

// TestOrder checks that the lists keep the order of the text, that a rejected
// document does not take its name, and that other documents are handed on.
func TestOrder(t *testing.T) {
	refused := document(t, vapb, "{name: b}", "policyName: ''")
	text := strings.Join([]string{
		refused, document(t, vapb, "{name: b}", ""), "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n", document(t, vapb, "{name: a}", ""),
	}, "---\n")
	result := installText(t, text, "1.36")
	if len(result.Answers) != 1 || result.Answers[0].Code != 422 {
		t.Errorf("answers: %+v", result.Answers)
	}
	var names []string
	for _, b := range result.ValidatingBindings {
		names = append(names, b.Object.Name+" "+b.Document.Kind)
	}
	if want := []string{"b " + vapb, "a " + vapb}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if len(result.Cluster) != 1 || result.Cluster[0].Kind != "Namespace" {
		t.Errorf("cluster documents: %+v", result.Cluster)
	}
}

func TestUnknownVersion(t *testing.T) {
	for _, v := range []version.Version{{}, version.Oldest().Previous(), version.Newest().Next()} {
		if _, err := install.Install(nil, eval.NewSet(), v, install.Server{}); err == nil {
			t.Errorf("no error for Kubernetes %s", v)
		}
	}
}

// TestManyProblems checks that a hostile document gives a bounded report.
func TestManyProblems(t *testing.T) {
	var labels strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&labels, `"- %d": "", `, i)
	}
	text := document(t, vapb, "{name: p, labels: {"+labels.String()+"}}", "")
	result := installText(t, text, "1.36")
	if len(result.Diagnostics) > 110 {
		t.Errorf("%d diagnostics", len(result.Diagnostics))
	}
	if len(result.Answers) != 1 || !strings.Contains(result.Answers[0].Message, `"- 19999"`) {
		t.Error("the server's answer is not whole")
	}
	if !slices.ContainsFunc(result.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.MoreProblems }) {
		t.Error("nothing says that problems were left out")
	}
}

// TestDocumentsAreNotChanged checks that Install leaves its input alone.
func TestDocumentsAreNotChanged(t *testing.T) {
	text := document(t, vap, "{name: p, namespace: x}", "")
	docs, _ := scenario.ParseDocuments(diag.Policies, text)
	again, _ := scenario.ParseDocuments(diag.Policies, text)
	if _, err := install.Install(docs, eval.NewSet(), version.MustParse("1.36"), install.Server{}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(docs[0].Value, again[0].Value) || string(docs[0].JSON()) != string(again[0].JSON()) {
		t.Error("the document was changed")
	}
}

// FuzzInstall looks for texts that make Install panic or place a diagnostic
// outside of the text.
func FuzzInstall(f *testing.F) {
	target := variants.Of(f, 60)
	for _, c := range ruleCases {
		target.Add("apiVersion: admissionregistration.k8s.io/v1\nkind: "+c.kind+"\nspec:\n  "+strings.ReplaceAll(c.change, "\n", "\n  "), uint8(6))
	}
	target.Add("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBration\nspec:\n  namespaceSelector: {matchExpressions: [{key: a, operator: Like}]}", uint8(6)) // crashed
	target.Fuzz(func(t *testing.T, text string, kubernetes uint8) {
		docs, _ := scenario.ParseDocuments(diag.Policies, text)
		result, err := install.Install(docs, eval.NewSet(), version.All()[int(kubernetes)%len(version.All())], install.Server{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range result.Diagnostics {
			if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(text) {
				t.Errorf("%s %s: %v in a text of %d bytes", d.Code, d.Path, d.Span, len(text))
			}
		}
	})
}
