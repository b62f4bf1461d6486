package bridge

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

const answeredWebhook = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: defaults}
webhooks:
- name: defaults.example.com
  clientConfig: {url: 'https://defaults.example.com/mutate'}
  rules:
  - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  sideEffects: None
  admissionReviewVersions: [v1]
`

// In whatever form the response is given, the webhook uses it from then on.
func TestAnswer(t *testing.T) {
	base := scenario.Scenario{
		Policies: answeredWebhook,
		Request:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n",
		Cluster:  "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}",
	}
	const patch = `[{"op":"add","path":"/metadata/labels","value":{"team":"a"}}]`
	for name, test := range map[string]struct{ text, want string }{
		"patch":        {patch, "mutated"},
		"YAML":         {"- {op: add, path: /metadata/labels, value: {team: a}}\n", "mutated"},
		"base64":       {"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7InRlYW0iOiJhIn19XQ==", "mutated"},
		"review":       {`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1","allowed":true,"patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7InRlYW0iOiJhIn19XQ=="}}`, "mutated"},
		"denial":       {`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1","allowed":false,"status":{"message":"no team"}}}`, "no team"},
		"response":     {"allowed: false\nstatus: {message: no team}\n", "no team"},
		"HTTP":         {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1","allowed":false,"status":{"message":"no team"}}}`, "no team"},
		"HTTP error":   {"HTTP/2 500\ncontent-type: text/plain\n\ncome back later\n", "come back later"},
		"empty":        {"HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 0\n\n", "0-length response with status code: 200 and content type: application/json"},
		"timeout":      {"timeout: true", "context deadline exceeded"},
		"by pass":      {"sequence:\n- {allowed: false, status: {message: no team}}\n- {allowed: true}\n", "no team"},
		"not a word":   {"hello", ""},
		"other object": {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got Answered
			msg := callWith(t, "answer", AnswerParams{Scenario: base, Webhook: "defaults.example.com", Text: test.text}, &got)
			if test.want == "" {
				if !strings.Contains(msg, "not a webhook's answer") {
					t.Errorf("got %q, %+v", msg, got)
				}
				return
			}
			if msg != "" {
				t.Fatal(msg)
			}
			var evaluated Evaluated
			if msg := callWith(t, "evaluate", EvaluateParams{Scenario: got.Scenario, Parts: []html.Part{html.StepsPart}}, &evaluated); msg != "" {
				t.Fatal(msg)
			}
			steps := evaluated.HTML.Parts[html.StepsPart]
			if !strings.Contains(evaluated.HTML.Outcome+steps, test.want) || strings.Contains(steps, "data-answer-webhook") || slices.ContainsFunc(evaluated.Report.Diagnostics, func(d diag.Diagnostic) bool { return d.Code != codes.RefusedRequest }) {
				t.Errorf("no %q, or not answered: %s\n%s\n%v", test.want, got.Scenario.Cluster, steps, evaluated.Report.Diagnostics)
			}
		})
	}
	var evaluated Evaluated
	if msg := callWith(t, "evaluate", EvaluateParams{Scenario: base, Parts: []html.Part{html.StepsPart}}, &evaluated); msg != "" {
		t.Fatal(msg)
	}
	if !strings.Contains(evaluated.HTML.Parts[html.StepsPart], `data-answer-webhook="defaults.example.com"`) {
		t.Error("a webhook without an answer does not ask for it")
	}
}
