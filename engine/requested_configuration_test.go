package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	requestedPolicy = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
		matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]},
		matchConditions: [{name: c, expression: "CONDITION"}], validations: [{expression: "VALIDATION"}]}}`
	requestedHook = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, webhooks: [
		{name: w.example.com, clientConfig: {url: "https://w.example.com"}, admissionReviewVersions: [v1], sideEffects: SIDE, timeoutSeconds: SECONDS}]}`
)

// TestRequestedConfiguration creates and updates policies and webhook configurations: what the
// server rejects of a new one, and what an update may keep (validationOptions in
// pkg/apis/admissionregistration/validation of k8s.io/kubernetes).
func TestRequestedConfiguration(t *testing.T) {
	policy := func(condition, validation string) string {
		return strings.NewReplacer("CONDITION", condition, "VALIDATION", validation).Replace(requestedPolicy)
	}
	hook := func(side, seconds string) string {
		return strings.NewReplacer("SIDE", side, "SECONDS", seconds).Replace(requestedHook)
	}
	for _, c := range []struct {
		name, old, object string
		want              string // in the message; empty for an admitted request
	}{
		{"a policy", "", policy("true", "true"), ""},
		{"an expression that does not compile", "", policy("true", "object.x <=="), "spec.validations[0].expression: Invalid value"},
		{"a condition that does not compile", "", policy("nosuch", "true"), "undeclared reference to 'nosuch'"},
		{"the same condition kept by an update", policy("nosuch", "true"), policy("nosuch", "false"), ""},
		{"another broken condition in an update", policy("nosuch", "true"), policy("nosuch || true", "true"), "undeclared reference to 'nosuch'"},
		{"a webhook", "", hook("None", "5"), ""},
		{"a timeout", "", hook("None", "60"), "webhooks[0].timeoutSeconds: Invalid value: 60"},
		{"side effects", "", hook("Some", "5"), `Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`},
		{"side effects kept by an update", hook("Some", "5"), hook("Some", "6"), ""},
		{"side effects new in an update", hook("None", "5"), hook("Some", "5"), `Unsupported value: "Some"`},
		{"another value where side effects are kept", hook("Some", "5"), hook("Other", "5"), `supported values: "None", "NoneOnDryRun", "Some", "Unknown"`},
		{"a binding", "", "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b}, spec: {policyName: p}}", "spec.validationActions: Required value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.object
			if c.old != "" {
				text = "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {operation: UPDATE, oldObject: " + c.old + ", object: " + c.object + "}}"
			}
			r, err := Evaluate(context.Background(), scenario.Scenario{Request: text}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" && !r.Outcome.Allowed || c.want != "" && (r.Outcome.Code != 422 || !strings.Contains(r.Outcome.Message, c.want)) {
				t.Errorf("code %d, %s", r.Outcome.Code, r.Outcome.Message)
			}
			for _, d := range r.Diagnostics {
				if d.Code == codes.CELCompile && (d.Text != diag.Request || text[d.Span.Start:d.Span.End] == "") {
					t.Errorf("a problem at %v of %s", d.Span, d.Text)
				}
			}
		})
	}
}

// TestRequestedDeprecatedVersion checks the warning about the version of a requested policy.
func TestRequestedDeprecatedVersion(t *testing.T) {
	text := `{apiVersion: admissionregistration.k8s.io/v1beta1, kind: MutatingAdmissionPolicyBinding, metadata: {name: b}, spec: {policyName: p}}`
	r, err := Evaluate(context.Background(), scenario.Scenario{Request: text, Kubernetes: "1.37", Options: scenario.Options{RuntimeConfig: []string{"admissionregistration.k8s.io/v1beta1"}}}, Everything())
	if err != nil {
		t.Fatal(err)
	}
	want := "admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding is deprecated in v1.37+, unavailable in v1.40+; use admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding"
	if len(r.Outcome.Warnings) != 1 || r.Outcome.Warnings[0] != want {
		t.Errorf("%+v", r.Outcome.Warnings)
	}
}
