package serve

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// policies of both kinds, which match every object
const fuzzPolicies = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: label}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"by": request.userInfo.?username.orValue("nobody")}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: label}
spec: {policyName: label}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]}
  validations: [{expression: "object.data.size() < 3", messageExpression: "'not ' + string(object.data.size())"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]}
`

// FuzzReview posts reviews to the webhook. Each gets a response with its uid, or a client error.
// Patches must be valid.
func FuzzReview(f *testing.F) {
	s := New(Defaults)
	if problems := s.Load(scenario.Scenario{Policies: fuzzPolicies}); problems.HasErrors() {
		f.Fatal(problems)
	}
	handler := s.Handler()
	target := variants.Of(f, 200)
	const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","operation":"CREATE","kind":{"group":"","version":"v1","kind":"ConfigMap"},` +
		`"resource":{"group":"","version":"v1","resource":"configmaps"},"name":"a","namespace":"b","userInfo":{"username":"ann"},"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"},"data":{"k":"v"}}}}`
	for _, text := range []string{
		review, strings.Replace(review, `"data":{"k":"v"}`, `"data":null,"metadata":5`, 1), strings.Replace(review, "CREATE", "DELETE", 1),
		`{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"uid":"","object":null}}`, `{"kind":"AdmissionReview","request":[]}`, "",
	} {
		target.Add("/mutate", []byte(text))
		target.Add("/validate?timeout=1s", []byte(text))
	}
	target.Fuzz(func(t *testing.T, path string, body []byte) {
		request, err := http.NewRequest(http.MethodPost, "http://a"+path, strings.NewReader(string(body)))
		if err != nil || request.URL.Path != "/mutate" && request.URL.Path != "/validate" {
			return
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		switch answer.Code {
		case http.StatusOK:
			checkReview(t, body, answer.Body.Bytes())
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusGatewayTimeout:
			if !strings.HasPrefix(answer.Body.String(), "preadmit: ") {
				t.Errorf("refused with %q", answer.Body)
			}
		default:
			t.Errorf("code %d: %s", answer.Code, answer.Body)
		}
	})
}

func checkReview(t *testing.T, asked, answered []byte) {
	var in envelope
	if err := json.Unmarshal(asked, &in); err != nil {
		t.Fatalf("%s was answered", asked)
	}
	var out struct {
		APIVersion, Kind string
		Response         struct {
			UID       string
			Allowed   *bool
			PatchType string
			Patch     string
			Status    struct{ Message string }
		}
	}
	if err := json.Unmarshal(answered, &out); err != nil {
		t.Fatalf("%s: %v", answered, err)
	}
	r := out.Response
	switch {
	case out.Kind != "AdmissionReview" || out.APIVersion != in.APIVersion || r.UID != in.Request.UID || r.Allowed == nil:
		t.Errorf("the answer is %s", answered)
	case !*r.Allowed && (r.Status.Message == "" || r.Patch != ""):
		t.Errorf("refused by %s", answered)
	case r.Patch != "":
		raw, err := base64.StdEncoding.DecodeString(r.Patch)
		var operations []struct{ Op, Path string }
		if err != nil || json.Unmarshal(raw, &operations) != nil || len(operations) == 0 || r.PatchType != "JSONPatch" {
			t.Errorf("the patch is %q", raw)
		}
	}
}
