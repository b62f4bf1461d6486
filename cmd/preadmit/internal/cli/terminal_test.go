package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
)

// TestTerminalObeysNothing evaluates a scenario with escape sequences in names and messages.
func TestTerminalObeysNothing(t *testing.T) {
	policy := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: "a\u001b]0;owned\u0007"}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "object.x == 1", message: "\u001b[2J\u202edetimda"}]
`
	request := `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x\u001b[31m", "namespace": "default"}}`
	for _, args := range [][]string{
		{"eval", "-p", "testdata/none", "-r", "\x1b]0;owned\a"},
		{"eval", "-r", "-"}, {"eval", "-r", "-", "-o", "object"}, {"eval", "-p", "-"},
		{"cel", "'\x1b[2J' + object.metadata.name", "-r", "-"},
		{"\x1b[2J"}, {"help", "\x1b[2J"},
	} {
		in := request
		if len(args) > 2 && args[1] == "-p" {
			in = policy
		}
		var stdout, stderr bytes.Buffer
		Run(args, strings.NewReader(in), &stdout, &stderr)
		for stream, text := range map[string]string{"output": stdout.String(), "errors": stderr.String()} {
			if i := strings.IndexFunc(text, func(r rune) bool {
				return r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r))
			}); i >= 0 {
				t.Errorf("%q: the %s hold %q", args, stream, text[i:min(len(text), i+20)])
			}
		}
		if stdout.Len()+stderr.Len() == 0 {
			t.Errorf("%q prints nothing", args)
		}
	}
}
