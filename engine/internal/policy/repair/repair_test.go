package repair

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/model"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRepair gives expressions and what they are repaired to, which the server
// accepts: a repair that it does not accept is none.
func TestRepair(t *testing.T) {
	v := version.MustParse("1.37")
	environments, err := eval.NewSet().ForVersion(v)
	if err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.For(v)
	if err != nil {
		t.Fatal(err)
	}
	r := Repairer{environments, cat}
	for _, tc := range []struct {
		place      *model.Place
		from, want string
	}{
		{model.Validation, "replicas > 1 and not (spec.paused)", "object.spec.replicas > 1 && !(object.spec.paused)"},
		{model.Validation, "object.spec.has(replicas)", "has(object.spec.replicas)"},
		{model.Validation, "!has(object.metadata.labels['a'])", "!('a' in object.metadata.labels)"},
		{model.Validation, "username === 'a'", "request.userInfo.username == 'a'"},
		{model.Validation, "object.metadata.labels.app.kubernetes.io/name == 'a'", "object.metadata.labels['app.kubernetes.io/name'] == 'a'"},
		{model.Validation, "object.spec.template.spec.containers.some(c => c.name.toLowerCase() == 'a')", "object.spec.template.spec.containers.exists(c, c.name.lowerAscii() == 'a')"},
		{model.Validation, "a + b", ""},
		{model.Validation, "a and objekt.spec.paused", "a && object.spec.paused"}, // a is still not declared
		{model.MatchCondition, "!authorizer.group('').resource('pods').check('get').denied()", "authorizer.group('').resource('pods').check('get').allowed()"},
		{model.JSONPatch, "JSONPatch{op: 'remove', path: '/spec/paused'}", "[JSONPatch{op: 'remove', path: '/spec/paused'}]"},
		{model.ApplyConfiguration, "Object{spec: Object.spec{replicas = 2}}", "Object{spec: Object.spec{replicas: 2}}"},
	} {
		t.Run(tc.from, func(t *testing.T) {
			d := &scenario.Document{Value: map[string]any{"spec": map[string]any{"matchConstraints": map[string]any{"resourceRules": []any{
				map[string]any{"apiGroups": []any{"apps"}, "apiVersions": []any{"v1"}, "resources": []any{"deployments"}}}}}}}
			e := model.Expression{Text: tc.from, Place: tc.place, Scope: tc.place.Scope(false), Webhook: -1}
			if got, _ := r.context(d, e).repair(tc.from); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
