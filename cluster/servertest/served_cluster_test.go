//go:build apiserver

package servertest

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// paramsRole allows the program to watch params other than ConfigMaps, which serve-role.yaml leaves
// to the cluster's administrator.
const paramsRole = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: preadmit-params}
rules: [{apiGroups: [example.com], resources: [allowances], verbs: [list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: preadmit-params}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: preadmit}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: preadmit-params}
`

// TestServeClusterPolicies compares two servers with the same objects. One evaluates its policies.
// The other evaluates none and calls the plugin, which reads the policies from it. Code, reason,
// message, causes, warnings and object are equal, except for the prefix of a webhook's message.
func TestServeClusterPolicies(t *testing.T) {
	bare, err := start("--disable-admission-plugins=MutatingAdmissionPolicy,ValidatingAdmissionPolicy")
	if err != nil {
		t.Fatal(err)
	}
	defer bare.end()
	if err := bare.allowServing(); err != nil {
		t.Fatal(err)
	}
	if err := bare.create(paramsRole); err != nil {
		t.Fatal(err)
	}
	address, authority := bare.serve(t, "--cluster-policies")
	rules := `[{apiGroups: ["", apps, example.com], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [pods, configmaps, deployments, widgets]}]`
	if err := bare.create(webhooks(address, authority, rules)); err != nil {
		t.Fatal(err)
	}
	if err := bare.settle(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/requests.txtar")
	if err != nil {
		t.Fatal(err)
	}
	byWebhook, changed := 0, 0
	list := txtar.Parse(raw).Files
	for _, file := range list {
		t.Run(file.Name, func(t *testing.T) {
			server, _ := shared.ask(t, "jane", string(file.Data))
			webhook, _ := bare.ask(t, "jane", string(file.Data))
			message, refused := strings.CutPrefix(webhook.Message, `admission webhook "validate.preadmit.dev" denied the request: `)
			webhook.Message = message
			if refused {
				byWebhook++
			}
			if labels, _, _ := unstructured.NestedMap(server.Object, "metadata", "labels"); labels["team"] != nil {
				changed++
			}
			if !reflect.DeepEqual(server, webhook) {
				t.Errorf("%s\nin the server:     %s\nby the webhook: %s", file.Data, indented(server), indented(webhook))
			}
		})
	}
	t.Logf("%d requests: %d refused by the webhook, %d with a label from a policy", len(list), byWebhook, changed)
	if byWebhook < 4 || changed < 3 {
		t.Errorf("the webhook does too little: it refused %d, and %d have the label", byWebhook, changed)
	}
}
