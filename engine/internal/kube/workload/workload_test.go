package workload

import (
	"encoding/json"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const podTemplate = `{metadata: {labels: {app: web}, annotations: {note: a}}, spec: {containers: [{name: web, image: a}]}}`

func TestOf(t *testing.T) {
	for name, test := range map[string]struct {
		object  string
		account string
		want    []string // parts of the JSON of the last object, kinds of those before
	}{
		"a Deployment": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, uid: u, annotations: {a: b, kubectl.kubernetes.io/last-applied-configuration: x}}\n" +
				"spec: {replicas: 4, selector: {matchLabels: {app: web}}, strategy: {rollingUpdate: {maxSurge: 30%}}, template: " + podTemplate + "}",
			"deployment-controller",
			[]string{`"kind":"ReplicaSet"`, `"name":"web-` + Hash + `"`, `"selector":{"matchLabels":{"app":"web","pod-template-hash":"` + Hash + `"}}`,
				`{"a":"b","deployment.kubernetes.io/desired-replicas":"4","deployment.kubernetes.io/max-replicas":"6","deployment.kubernetes.io/revision":"1"}`},
		},
		"a ReplicaSet": {
			"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web, namespace: shop, uid: u}\nspec: {template: " + podTemplate + "}",
			"replicaset-controller",
			[]string{`"generateName":"web-"`, `"annotations":{"note":"a"}`, `"ownerReferences":[{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,"kind":"ReplicaSet","name":"web","uid":"u"}]`},
		},
		"a StatefulSet": {
			"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: shop, uid: u}\n" +
				"spec: {serviceName: peers, ordinals: {start: 3}, selector: {matchLabels: {app: web}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}], template: " + podTemplate + "}",
			"statefulset-controller",
			[]string{`"name":"db-3"`, `"hostname":"db-3"`, `"subdomain":"peers"`, `"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-db-3"}}]`, `"apps.kubernetes.io/pod-index":"3"`},
		},
		"a DaemonSet": {
			"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: shop}\nspec: {template: {metadata: {labels: {app: web}}, spec: {hostNetwork: true, tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute}]}}}",
			"daemon-set-controller",
			[]string{`"tolerations":[{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists"},{"effect":"NoExecute","key":"node.kubernetes.io/unreachable"`,
				`"key":"node.kubernetes.io/network-unavailable"`, `"matchFields":[{"key":"metadata.name","operator":"In","values":["` + Node + `"]}]`, `"pod-template-generation":"1"`},
		},
		"an indexed Job": {
			"apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum, namespace: shop}\nspec: {completionMode: Indexed, template: " + podTemplate + "}",
			"job-controller",
			[]string{`"generateName":"sum-0-"`, `"finalizers":["batch.kubernetes.io/job-tracking"]`, `"hostname":"sum-0"`, `"batch.kubernetes.io/job-completion-index":"0"`, `"name":"JOB_COMPLETION_INDEX"`},
		},
		"a CronJob": {
			"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: night, namespace: shop}\nspec: {jobTemplate: {metadata: {labels: {a: b}}, spec: {template: " + podTemplate + "}}}",
			"cronjob-controller",
			[]string{`"kind":"Job"`, `"name":"night-29453760"`, `"batch.kubernetes.io/cronjob-scheduled-timestamp":"2026-01-01T00:00:00Z"`, `"labels":{"a":"b"}`},
		},
		"a ReplicationController": {
			"apiVersion: v1\nkind: ReplicationController\nmetadata: {name: old, namespace: shop}\nspec: {template: " + podTemplate + "}",
			"replication-controller", []string{`"generateName":"old-"`},
		},
		"a suspended Job":        {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {suspend: true, template: " + podTemplate + "}", "", nil},
		"a Deployment of zero":   {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: j}\nspec: {replicas: 0, template: " + podTemplate + "}", "", nil},
		"a ConfigMap":            {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}", "", nil},
		"another kind of a name": {"apiVersion: example.com/v1\nkind: Job\nmetadata: {name: c}", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			object := parsed(t, test.object)
			before, _ := json.Marshal(object)
			made := Of(object, "2026-01-01T00:00:00Z")
			if after, _ := json.Marshal(object); string(after) != string(before) {
				t.Errorf("the object is changed: %s", after)
			}
			if test.want == nil {
				if len(made) != 0 {
					t.Fatalf("made %v", made)
				}
				return
			}
			last := made[len(made)-1]
			raw, err := json.Marshal(last.Object)
			if err != nil {
				t.Fatal(err)
			}
			if last.Account != test.account {
				t.Errorf("by %s", last.Account)
			}
			for _, part := range test.want {
				if !strings.Contains(string(raw), part) {
					t.Errorf("no %s in %s", part, raw)
				}
			}
		})
	}
}

// parsed decodes an object as the engine does: whole numbers are int64.
func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestClaims(t *testing.T) {
	made := Of(parsed(t, "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: shop}\n"+
		"spec: {selector: {matchLabels: {app: web}}, volumeClaimTemplates: [{metadata: {name: data, labels: {a: b}}, spec: {accessModes: [ReadWriteOnce]}}], template: "+podTemplate+"}"), "")
	if len(made) != 2 || made[0].More {
		t.Fatalf("made %v", made)
	}
	raw, err := json.Marshal(made[0].Object)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"labels":{"a":"b","app":"web"},"name":"data-db-0","namespace":"shop"},"spec":{"accessModes":["ReadWriteOnce"]}}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
}
