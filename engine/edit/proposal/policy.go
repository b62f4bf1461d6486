package proposal

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// proposedName is what a proposed policy and its binding are called when nothing
// else gives them a name.
const proposedName = "proposed"

// requestFrame selects requests like the given one.
func requestFrame(name string, r *report.Request) frame {
	group, version, resource := splitResource(r.Resource)
	if r.SubResource != "" {
		resource += "/" + r.SubResource
	}
	spec := fmt.Sprintf(`matchConstraints:
  resourceRules:
  - apiGroups: [%q]
    apiVersions: [%s]
    operations: [%s]
    resources: [%s]
failurePolicy: Fail
`, group, version, r.Operation, resource)
	return frame{name: name, spec: spec + "reinvocationPolicy: Never\n", validating: spec, unconditional: spec}
}

// policy writes a policy with one mutation, and its binding.
func (p *proposer) policy(patchType, expression string) string {
	api := "admissionregistration.k8s.io/" + version.NewestAPI("MutatingAdmissionPolicy", p.version)
	field := "applyConfiguration"
	if patchType == jsonPatchType {
		field = "jsonPatch"
	}
	return fmt.Sprintf(`apiVersion: %[1]s
kind: MutatingAdmissionPolicy
metadata:
  name: %[2]s
spec:
%[3]s  mutations:
  - patchType: %[4]s
    %[5]s:
      expression: |-
        %[6]s
---
apiVersion: %[1]s
kind: MutatingAdmissionPolicyBinding
metadata:
  name: %[2]s
spec:
  policyName: %[2]s
`, api, p.frame.name, indented(p.frame.spec, "  "), patchType, field, strings.ReplaceAll(expression, "\n", "\n        "))
}

// indented puts an indent before each line that is not empty.
func indented(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

// splitResource reads the report's form: apps/v1, Resource=deployments.
func splitResource(s string) (group, version, resource string) {
	groupVersion, resource, _ := strings.Cut(s, ", Resource=")
	if before, after, ok := strings.Cut(groupVersion, "/"); ok {
		return strings.TrimSpace(before), after, resource
	}
	return "", groupVersion, resource
}

// applied applies a webhook's patch as the server does (semantics §8).
func applied(before map[string]any, patch []byte) (map[string]any, literalPatch, error) {
	var operations literalPatch
	if err := utiljson.Unmarshal(patch, &operations); err != nil {
		return nil, nil, fmt.Errorf("the patch is not a list of JSON Patch operations: %w", err)
	}
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, nil, fmt.Errorf("the patch cannot be decoded: %w", err)
	}
	raw, err := json.Marshal(before)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding the object: %w", err)
	}
	if raw, err = decoded.Apply(raw); err != nil {
		return nil, nil, fmt.Errorf("the patch does not apply to the object: %w", err)
	}
	var after map[string]any
	if err := utiljson.Unmarshal(raw, &after); err != nil {
		return nil, nil, fmt.Errorf("the patch does not leave an object: %w", err)
	}
	return after, operations, nil
}

// ReadPatch takes the JSON Patch out of a text: a list of operations, the same
// in base64, an AdmissionReview with a response, an AdmissionResponse, or a
// WebhookResponse.
func ReadPatch(text string) (_ []byte, err error) {
	defer guard.Error(&err)
	if raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil && len(raw) > 0 && raw[0] == '[' {
		return raw, nil
	}
	var list []json.RawMessage
	raw, err := yaml.YAMLToJSONStrict([]byte(text))
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		raw, err = []byte(text), nil // a YAML parser does not look behind the closing bracket
	}
	if err == nil && json.Unmarshal(raw, &list) == nil && list != nil {
		return raw, nil
	}
	docs, problems := scenario.ParseDocuments(diag.Request, text)
	for _, p := range problems {
		if p.Severity == diag.Error {
			return nil, errors.New(p.Summary)
		}
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("the patch is one document, not %d", len(docs))
	}
	response := docs[0].Value
	for _, field := range []string{"response", "spec"} {
		if inner, ok := response[field].(map[string]any); ok {
			response = inner
		}
	}
	switch patch := response["patch"].(type) {
	case nil:
		return nil, errors.New("the response has no patch")
	case string:
		raw, err := base64.StdEncoding.DecodeString(patch)
		if err != nil {
			return nil, fmt.Errorf("the patch is not base64: %w", err)
		}
		return raw, nil
	default:
		return json.Marshal(patch)
	}
}
