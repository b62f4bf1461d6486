package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestWorkload asks about the Pods of an object, and about what controllers make before them.
func TestWorkload(t *testing.T) {
	policy := func(group, resource, expression string) string {
		return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec: {matchConstraints: {resourceRules: [{apiGroups: ['" + group + "'], apiVersions: ['*'], operations: [CREATE], resources: [" + resource + "]}]}, validations: [{expression: \"" + expression + "\"}]}\n" +
			"---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n"
	}
	const template = "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: a}]}}"
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {app: web}}, " + template + "}\n"
	const set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: shop}\nspec: {selector: {matchLabels: {app: web}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}], " + template + "}\n"
	const cron = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: night, namespace: shop}\nspec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: web, image: a}]}}}}}\n"
	const roles = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: []\n"
	rollouts := func(annotations string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: rollouts.example.com, annotations: {" + annotations + "}}\nspec: {group: example.com, scope: Namespaced, names: {plural: rollouts, singular: rollout, kind: Rollout, listKind: RolloutList}, " +
			"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}\n"
	}
	const rollout = "apiVersion: example.com/v1\nkind: Rollout\nmetadata: {name: web, namespace: shop}\nspec: {" + template + ", sets: [{" + template + "}]}\n"
	for name, test := range map[string]struct {
		scenario scenario.Scenario
		want     string
	}{
		"a custom resource":       {scenario.Scenario{Policies: policy("", "pods", "request.userInfo.username == 'system:serviceaccount:kube-system:replicaset-controller' && object.metadata.labels.app == 'web' && object.metadata.ownerReferences[0].kind == 'Rollout'"), Cluster: rollouts("preadmit.dev/pod-template: spec.template"), Request: rollout}, "Pod 201"},
		"with its own account":    {scenario.Scenario{Policies: policy("", "pods", "request.userInfo.username == 'system:serviceaccount:argo:rollouts' && 'system:serviceaccounts:argo' in request.userInfo.groups"), Cluster: rollouts("preadmit.dev/pod-template: spec.template, preadmit.dev/pod-account: argo/rollouts"), Request: rollout}, "Pod 201"},
		"with two templates":      {scenario.Scenario{Cluster: rollouts("preadmit.dev/pod-template: 'spec.template, spec.none, spec.sets[0].template'"), Request: rollout}, "Pod 201, Pod 201"},
		"whose Pods are denied":   {scenario.Scenario{Policies: policy("", "pods", "false"), Cluster: rollouts("preadmit.dev/pod-template: spec.template"), Request: rollout}, "Pod 422"},
		"without the template":    {scenario.Scenario{Cluster: rollouts("preadmit.dev/pod-template: spec.none"), Request: rollout}, ""},
		"without the annotation":  {scenario.Scenario{Cluster: rollouts(""), Request: rollout}, ""},
		"Pods that are admitted":  {scenario.Scenario{Policies: policy("", "pods", "true"), Request: deployment}, "ReplicaSet 201, Pod 201"},
		"Pods that are denied":    {scenario.Scenario{Policies: policy("", "pods", "has(object.spec.securityContext.runAsNonRoot)"), Request: deployment}, "ReplicaSet 201, Pod 422"},
		"a ReplicaSet":            {scenario.Scenario{Policies: policy("apps", "replicasets", "false"), Request: deployment}, "ReplicaSet 422"},
		"by the controller":       {scenario.Scenario{Policies: policy("", "pods", "request.userInfo.username == 'system:serviceaccount:kube-system:replicaset-controller'"), Request: deployment}, "ReplicaSet 201, Pod 201"},
		"with roles":              {scenario.Scenario{Cluster: roles, Request: deployment}, "ReplicaSet 201, Pod 201"},
		"a claim":                 {scenario.Scenario{Policies: policy("", "persistentvolumeclaims", "has(object.spec.storageClassName)"), Request: set}, "PersistentVolumeClaim 422"},
		"a claim and a Pod":       {scenario.Scenario{Policies: policy("", "pods", "object.spec.volumes[0].persistentVolumeClaim.claimName == 'data-db-0'"), Request: set}, "PersistentVolumeClaim 201, Pod 201"},
		"a CronJob":               {scenario.Scenario{Policies: policy("", "pods", "false"), Request: cron}, "Job 201, Pod 422"},
		"a Deployment denied":     {scenario.Scenario{Policies: policy("apps", "deployments", "false"), Request: deployment}, ""},
		"a Deployment in dry run": {scenario.Scenario{Request: "operation: CREATE\ndryRun: true\nobject: " + strings.ReplaceAll("\n"+strings.TrimSuffix(deployment, "\n"), "\n", "\n  ") + "\n"}, ""},
		"admission only":          {scenario.Scenario{Request: deployment, Options: scenario.Options{AdmissionOnly: true}}, ""},
		"a ConfigMap":             {scenario.Scenario{Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), test.scenario, engine.Everything())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			if w := r.Workload; w != nil {
				for _, m := range append(w.Before, w.Made) {
					got = append(got, fmt.Sprintf("%s %d", m.Kind, m.Outcome.Code))
				}
			}
			missing := slices.ContainsFunc(r.NotSimulated, func(text string) bool { return strings.Contains(text, "has no Pod template at spec.none") })
			if missing != (name == "without the template") {
				t.Errorf("it says %q", r.NotSimulated)
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
