package scenario

import (
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestDuplicateKeys: kube-apiserver 1.36.3 returned these warnings for the same texts as YAML.
func TestDuplicateKeys(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  namespace: default\n  labels: &l {a: b, c: d}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"none":                     {head, nil},
		"after what is merged":     {head + "  annotations:\n    <<: *l\n    a: z\ndata:\n  x: \"1\"\n  x: \"2\"\n", []string{`line 9: key "a" already set in map`, `line 12: key "x" already set in map`}},
		"before what is merged":    {head + "  annotations:\n    a: z\n    <<: *l\n", []string{`line 6: key "a" already set in map`}},
		"merged, and nothing else": {head + "  annotations:\n    <<: *l\n    e: z\n", nil},
	} {
		docs, _ := ParseDocuments(diag.Cluster, c.text)
		if got := docs[0].DuplicateKeys(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
