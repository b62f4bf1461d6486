package rbac

import (
	"encoding/json"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzLoad loads arbitrary objects as RBAC. Each is accepted or reported, and the input stays
// unchanged.
func FuzzLoad(f *testing.F) {
	target := variants.Of(f, 500)
	target.Add([]byte(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`))
	target.Add([]byte(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"a","namespace":"b"},"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","name":"u"}]}`))
	target.Add([]byte(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}`))
	target.Fuzz(func(t *testing.T, raw []byte) {
		var object map[string]any
		if json.Unmarshal(raw, &object) != nil || object == nil {
			return
		}
		before, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		rules, problems, err := Load(version.MustParse("1.37"), []Document{{Text: diag.Cluster, Value: object, Locate: func(string) diag.Span { return diag.Span{} }}})
		if err != nil || rules == nil {
			t.Fatalf("%v", err)
		}
		for _, p := range problems {
			if p.Summary == "" || p.Code == "" {
				t.Errorf("a problem without words: %+v", p)
			}
		}
		after, err := json.Marshal(object)
		if err != nil || string(before) != string(after) {
			t.Errorf("the object was changed to %s, %v", after, err)
		}
	})
}
