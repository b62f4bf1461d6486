package typecheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A field that only the items of a list have is asked of each of them, as one who wrote the
// expression would: what is asked first stays with what follows from it.
func TestFieldsOfItems(t *testing.T) {
	const validation, conditions, variables = "validations", "matchConditions", "validations of variables"
	for _, test := range []struct{ group, resource, place, expression, want string }{
		{"", "pods", validation, "object.spec.image.startsWith('a')", "object.spec.containers.all(c, c.image.startsWith('a'))"},
		{"", "pods", validation, "object.image != 'a'", "object.spec.containers.all(c, c.image != 'a')"},
		{"apps", "deployments", validation, "object.spec.image != 'a'", "object.spec.template.spec.containers.all(c, c.image != 'a')"},
		{"batch", "cronjobs", validation, "!object.spec.image.endsWith(':latest')", "object.spec.jobTemplate.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))"},
		{"", "pods", validation, "!object.spec.securityContext.privileged", "object.spec.containers.all(c, !c.securityContext.privileged)"},
		{"", "pods", validation, "!has(object.spec.securityContext) || !has(object.spec.securityContext.privileged) || !object.spec.securityContext.privileged",
			"object.spec.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || !c.securityContext.privileged)"},
		{"", "pods", validation, "object.spec.securityContext.runAsNonRoot && !object.spec.securityContext.privileged",
			"object.spec.containers.all(c, object.spec.securityContext.runAsNonRoot && !c.securityContext.privileged)"},
		{"", "pods", validation, "has(object.spec.livenessProbe) && object.metadata.name != 'a'", "object.spec.containers.all(c, has(c.livenessProbe)) && object.metadata.name != 'a'"},
		{"", "pods", validation, "'a' in object.spec.env.map(c, c.name)", "object.spec.containers.all(item, 'a' in item.env.map(c, c.name))"},
		{"", "pods", conditions, "object.spec.image.startsWith('a')", "object.spec.containers.exists(c, c.image.startsWith('a'))"},
		{"", "services", validation, "object.spec.nodePort < 31000", "object.spec.?ports.orValue([]).all(p, p.nodePort < 31000)"},
		{"networking.k8s.io", "ingresses", validation, "has(object.spec.host) && object.spec.host != ''", "object.spec.?rules.orValue([]).all(r, has(r.host) && r.host != '')"},
		{"rbac.authorization.k8s.io", "roles", validation, "!('*' in object.verbs)", "!(object.rules.exists(r, '*' in r.verbs))"},
		{"", "pods", validation, "oldObject.spec.image != 'a'", "oldObject.spec.containers.all(c, c.image != 'a')"},
		// What a variable holds has no name of a place, and may be all of the object.
		{"", "pods", variables, "variables.x.spec.image != 'a'", "variables.x.spec.containers.all(c, c.image != 'a')"},
		{"", "pods", variables, "variables.x.nothing == 1", ""},
		// Several lists have it, or none; a name that is nearly right is that.
		{"networking.k8s.io", "networkpolicies", validation, "object.spec.ports.size() > 0", ""},
		{"", "pods", validation, "object.spec.mountPath != ''", ""},
		{"", "pods", validation, "object.metadata.kind != 'a'", ""},
	} {
		t.Run(test.resource+" "+test.expression, func(t *testing.T) {
			text := fmt.Sprintf(header, "Validating", `"`+test.group+`"`, test.resource)
			if test.place == variables {
				test.place = validation
				text += "  variables: [{name: x, expression: object}]\n"
			}
			text += "  " + test.place + ":\n"
			if test.place == conditions {
				text += "  - name: c\n    expression: |\n      " + test.expression + "\n  validations: [{expression: 'true'}]\n"
			} else {
				text += "  - expression: |\n      " + test.expression + "\n"
			}
			got := ""
			for _, d := range problemsOf(t, text, "") {
				if len(d.Fixes) == 0 {
					continue
				}
				repaired, err := d.Fixes[0].Apply(diag.Policies, text)
				if err != nil {
					t.Fatal(err)
				}
				docs, problems := scenario.ParseDocuments(diag.Policies, repaired)
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				first := docs[0].Value["spec"].(map[string]any)[test.place].([]any)[0].(map[string]any)
				got = strings.TrimSpace(first["expression"].(string))
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
