package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// The labels are those of the dispatchers of Kubernetes 1.36: an error of the
// call has the code of its Status, or 503; whatever else ends the request, 0.
func TestWebhookMetrics(t *testing.T) {
	for _, test := range []struct {
		name, kind, policy, answer string
		want                       []string
	}{
		{"allowed", "Validating", "Fail", "allowed: true", []string{"request_total code=200 rejected=false"}},
		{"no answer given", "Mutating", "Fail", "", []string{"request_total code=200 rejected=false"}},
		{"denied", "Validating", "Fail", "status: {code: 403}", []string{"rejection_count error_type=no_error rejection_code=403", "request_total code=403 rejected=true"}},
		{"denied with a code of its own making", "Mutating", "Ignore", "status: {code: 999}", []string{"rejection_count error_type=no_error rejection_code=600", "request_total code=600 rejected=true"}},
		{"an HTTP error", "Validating", "Fail", "httpStatus: 404", []string{"rejection_count error_type=calling_webhook_error rejection_code=404", "request_total code=404 rejected=true"}},
		{"no answer in time", "Mutating", "Ignore", "timeout: true", []string{"fail_open_count", "request_total code=503 rejected=false"}},
		{"a closed port", "Validating", "Ignore", "connectionRefused: true", []string{"fail_open_count", "request_total code=503 rejected=false"}},
		{"a patch type that is none", "Mutating", "Fail", "{allowed: true, patchType: MergePatch, patch: [{op: test, path: /kind, value: ConfigMap}]}", []string{"rejection_count error_type=calling_webhook_error rejection_code=400", "request_total code=400 rejected=true"}},
		{"a patch that does not apply", "Mutating", "Ignore", "{allowed: true, patchType: JSONPatch, patch: [{op: remove, path: /spec}]}", []string{"rejection_count error_type=apiserver_internal_error rejection_code=0", "request_total code=0 rejected=true"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scenario.Scenario{Kubernetes: "1.36", Request: configMap, Policies: fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: c}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://a.example.com"}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  sideEffects: None
  failurePolicy: %s
  admissionReviewVersions: [v1]
`, test.kind, test.policy)}
			if test.answer != "" {
				answer := test.answer
				if !strings.HasPrefix(answer, "{") {
					answer = "{" + answer + "}"
				}
				s.Cluster = "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: a.example.com}\nspec: " + answer
			}
			r, err := Evaluate(context.Background(), s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range r.Metrics {
				line, labels := strings.TrimPrefix(m.Name, "apiserver_admission_webhook_"), maps.Clone(m.Labels)
				kind := map[string]string{"Mutating": "admit", "Validating": "validating"}[test.kind]
				if labels["name"] != "a.example.com" || labels["type"] != kind || m.Value != 1 {
					t.Errorf("%+v", m)
				}
				if line != "fail_open_count" && labels["operation"] != "CREATE" {
					t.Errorf("operation: %+v", m)
				}
				for _, common := range []string{"name", "type", "operation"} {
					delete(labels, common)
				}
				for _, label := range slices.Sorted(maps.Keys(labels)) {
					line += " " + label + "=" + labels[label]
				}
				got = append(got, line)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				data, _ := json.Marshal(r.Outcome)
				t.Errorf("got %q, want %q\n%s", got, test.want, data)
			}
		})
	}
}
