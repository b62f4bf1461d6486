package typecheck

import (
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// A message that says the opposite of its validation is told, with the expression turned round;
// one that says the same in other words is not.
func TestContradictions(t *testing.T) {
	for _, test := range []struct{ expression, message, want string }{
		{"object.spec.replicas > 10", "no more than 10 replicas are allowed", "<="},
		{"object.spec.replicas >= 10", "must be less than 10", "<"},
		{"object.spec.replicas >= 5", "at most 5 replicas", "<="},
		{"object.spec.replicas > 10", "must be less than 10", "<"},
		{"object.spec.replicas > 5", "More than 5 replicas are not allowed.", "<="},
		{"object.spec.replicas < 2", "at least 2 replicas are needed", ">="},
		{"object.metadata.labels.size() > 3", "at most 3 labels", "<="},
		{"size(object.metadata.labels) <= 3", "more than 3 labels are required", ">"},
		{"object.spec.template.spec.hostNetwork == true", "hostNetwork is not allowed", "!="},
		{"object.spec.template.spec.hostPID", "hostPID must not be set", "!"},
		{"has(object.spec.template.spec.hostIPC)", "hostIPC is forbidden", "!"},
		{"object.spec.template.spec.containers.exists(c, has(c.securityContext) && has(c.securityContext.privileged) && c.securityContext.privileged)", "containers must not be privileged", "!"},
		{"has(object.spec.template.spec.hostNetwork) && object.spec.template.spec.hostNetwork == true", "hostNetwork is not allowed", "!("},
		{"object.spec.strategy.type == 'Recreate'", "The strategy Recreate is not allowed.", "!="},
		{"object.spec.template.spec.containers.all(c, c.image.endsWith(':latest'))", "the tag latest is forbidden", "!"},
		{"object.spec.template.spec.containers.exists(c, has(c.ports) && c.ports.exists(p, p.containerPort == 22))", "port 22 is not allowed", "!"},
		{"object.spec.template.spec.securityContext.runAsUser == 0", "runAsUser 0 is not allowed", "!="},
		{"object.spec.template.spec.volumes.exists(v, v.hostPath.path == '/etc')", "/etc is not allowed", "!"},
		{"object.spec.template.spec.securityContext.supplementalGroups.exists(g, g == 22)", "group 22 is forbidden", "!"},
		{"object.spec.template.spec.containers.all(c, 'NET_ADMIN' in c.securityContext.capabilities.add)", "NET_ADMIN is not allowed", "!("},
		{"has(object.metadata.labels) && 'skip' in object.metadata.labels", "the label skip must not be set", "!("},
		{"object.spec.template.spec.containers.size() == 0", "containers must not set runAsUser 0", "none"},
		{"object.spec.replicas == 2", "1 replica is not allowed", "none"},
		{"'team' in object.metadata.labels", "Pods with no label team are not allowed", "none"},
		{"!has(object.metadata.labels) || !('team' in object.metadata.labels)", "the label team is required", "(!"},
		{"!has(object.spec.template.spec.securityContext)", "securityContext must be set", ""},

		{"object.spec.template.spec.containers.all(c, has(c.securityContext) && has(c.securityContext.privileged) && c.securityContext.privileged)", "containers that are not privileged are forbidden", "none"},
		{"object.spec.template.spec.containers.exists(c, c.image.startsWith('registry'))", "images from other places than the registry are not allowed", "none"},
		{"object.spec.strategy.type == 'Recreate'", "RollingUpdate is not allowed", "none"},
		{"object.spec.strategy.type == 'Recreate'", "only Recreate is allowed", "none"},
		{"object.spec.strategy.type == 'Recreate'", "strategies other than Recreate are forbidden", "none"},
		{"object.metadata.namespace == 'payments'", "not allowed outside of payments", "none"},
		{"!has(object.metadata.labels) || !('skip' in object.metadata.labels)", "the label skip must not be set", "none"},
		{"!has(object.metadata.labels) || !('skip' in object.metadata.labels)", "the label team is required", "none"},
		{"!('team' in object.metadata.labels) || object.metadata.labels.team != ''", "the label team must be set", "none"},
		{"!('team' in object.metadata.labels)", "every Deployment needs a label team", ""},
		{"!has(object.spec.template.spec.hostNetwork)", "hostNetwork requires the label exempt", "none"},
		{"object.spec.replicas <= 10", "no more than 10 replicas are allowed", "none"},
		{"object.spec.replicas > 10", "no more than 100 replicas are allowed", "none"},
		{"object.spec.replicas > 1", "more than 1 replica is needed", "none"},
		{"object.spec.replicas >= 2", "fewer than 2 replicas are not allowed", "none"},
		{"object.spec.replicas < 5", "must be less than 5", "none"},
		{"size(object.metadata.labels) <= 3", "the object has more than 3 labels", "none"},
		{"object.spec.replicas >= 2", "replicas is less than 2", "none"},
		{"object.spec.replicas < 5", "5 or more is too many", "none"},
		{"!object.spec.template.spec.hostNetwork", "hostNetwork is not allowed", "none"},
		{"object.spec.template.spec.hostNetwork == false", "hostNetwork is not allowed", "none"},
		{"has(object.spec.template.spec.securityContext)", "Pods without securityContext are not allowed", "none"},
		{"object.spec.paused", "Deployments must be paused: others are forbidden", "none"},
		{"object.spec.replicas > 10 || has(object.spec.paused)", "no more than 10 replicas are allowed", "none"},
	} {
		t.Run(test.expression+", "+test.message, func(t *testing.T) {
			text := fmt.Sprintf(header, "Validating", "apps", "deployments") + fmt.Sprintf("  validations:\n  - expression: %q\n    message: %q\n", test.expression, test.message)
			got := "none"
			for _, d := range problemsOf(t, text, "") {
				if d.Code == codes.MessageContradicts {
					got = d.Fixes[0].Edits[0].New
					if _, err := d.Fixes[0].Apply(diag.Policies, text); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
