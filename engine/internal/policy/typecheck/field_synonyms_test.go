package typecheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// Words that other languages and tools have for fields, and values in the wrong shape, are
// written as the API has them; what only looks like them is left alone.
func TestOtherWords(t *testing.T) {
	for _, test := range []struct{ group, resources, expression, want string }{
		{"apps", "deployments", "object.type == 'Deployment'", "object.kind == 'Deployment'"},
		{"", "pods", "object.metadata.ownerReferences.all(o, o.type == 'ReplicaSet')", "object.metadata.ownerReferences.all(o, o.kind == 'ReplicaSet')"},
		{"apps", "deployments", "object.spec.selector.app == 'web'", "object.spec.selector.matchLabels.app == 'web'"},
		{"rbac.authorization.k8s.io", "clusterrolebindings", "object.roleRef != 'admin'", "object.roleRef.name != 'admin'"},
		{"", "services", "object.spec.ports.all(p, p.targetPort == '8080')", "object.spec.ports.all(p, p.targetPort == 8080)"},
		{"", "pods", "semver(object.metadata.name).isGreaterThan(semver('v1.2.0'))", "semver(object.metadata.name).isGreaterThan(semver('1.2.0'))"},
		{"", "pods", "object.spec.containers.all(c, c.resources.limits.memory.isLessThan(quantity('2Gi')))", "object.spec.containers.all(c, quantity(c.resources.limits.memory).isLessThan(quantity('2Gi')))"},

		{"", "pods", "object.metadata.name.matches('/^web-[0-9]$/')", "object.metadata.name.matches('^web-[0-9]$')"},
		{"", "services", "object.spec.ports.all(p, p.targetPort == 'http')", ""},
		{"", "services", "object.spec.type == 'NodePort'", ""},
		{"apps", "deployments", "object.metadata.labels.type == 'a'", ""},
		{"", "pods", "semver(object.metadata.name) == semver('1.2.0')", ""},
	} {
		t.Run(test.expression, func(t *testing.T) {
			text := fmt.Sprintf(header, "Validating", test.group, test.resources) + fmt.Sprintf("  validations:\n  - expression: %q\n", test.expression)
			if test.group == "" {
				text = strings.Replace(text, "apiGroups: []", "apiGroups: ['']", 1)
			}
			got := ""
			for _, d := range problemsOf(t, text, "") {
				for _, f := range d.Fixes {
					changed, err := f.Apply(diag.Policies, text)
					if err != nil {
						t.Fatal(err)
					}
					if got == "" {
						got = changed
					}
				}
			}
			want := ""
			if test.want != "" {
				want = strings.Replace(text, fmt.Sprintf("%q", test.expression), fmt.Sprintf("%q", test.want), 1)
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What copy and move take their value from is not written as a value.
func TestSourceAsValue(t *testing.T) {
	for expression, want := range map[string]string{
		`[JSONPatch{op: "copy", path: "/metadata/labels", value: "/spec/nodeSelector"}]`:    `from: "/spec/nodeSelector"`,
		`[JSONPatch{op: "move", value: "/metadata/labels", path: "/metadata/annotations"}]`: `from: "/metadata/labels"`,
		`[JSONPatch{op: "add", path: "/metadata/name", value: "/spec/nodeSelector"}]`:       "",
	} {
		text := fmt.Sprintf(header, "Mutating", "", "pods") + "  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: '" + expression + "'\n"
		got := ""
		for _, d := range problemsOf(t, text, "") {
			if strings.Contains(d.Summary, "instead of from") {
				got = d.Fixes[0].Edits[0].New
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}
