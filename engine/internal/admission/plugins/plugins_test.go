package plugins_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// evaluate runs a scenario that may not hold any mistake.
func evaluate(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	s.Now = "2026-01-01T00:00:00Z"
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == codes.RefusedRequest {
			continue // it explains what the test expects
		}
		t.Errorf("unexpected diagnostic: %s: %s", d.Code, d.Summary)
	}
	return r
}

// patch is what the plugins changed, one operation a line, and the rejection.
func patch(t *testing.T, r *report.Report) string {
	t.Helper()
	var lines []string
	for _, s := range r.Steps {
		if s.Kind != plugins.Kind || s.Pass > 0 {
			continue
		}
		for _, op := range s.Diff {
			value, err := json.Marshal(op.Value)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Join([]string{s.Policy, op.Op, op.Path, string(value)}, " "))
		}
	}
	if !r.Outcome.Allowed {
		lines = append(lines, r.Outcome.Message)
	}
	return strings.Join(lines, "\n")
}

const classes = `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
preemptionPolicy: Never
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 10
globalDefault: true
`

func pod(spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: app, image: nginx}]" + spec + "}\n"
}

func TestPlugins(t *testing.T) {
	token := `{"name":"kube-api-access-xxxxx","projected":{"defaultMode":420,"sources":[` +
		`{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},` +
		`{"configMap":{"items":[{"key":"ca.crt","path":"ca.crt"}],"name":"kube-root-ca.crt"}},` +
		`{"downwardAPI":{"items":[{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"},"path":"namespace"}]}}]}}`
	mount := `{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":"kube-api-access-xxxxx","readOnly":true}`
	robot := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot, namespace: shop}\n"
	strict := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot, namespace: shop, annotations: {kubernetes.io/enforce-mountable-secrets: 'true'}}\nsecrets: [{name: mine}]\n"
	storage := func(name, created, annotation string) string {
		return "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " + name + ", creationTimestamp: '" + created + "', annotations: {" + annotation + ": 'true'}}\nprovisioner: example.com/p\n"
	}
	claim := func(meta, spec string) string {
		return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: shop" + meta + "}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}" + spec + "}\n"
	}
	ingress := "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\nspec: {defaultBackend: {service: {name: web, port: {number: 80}}}}\n"
	const defaultClass = "storageclass.kubernetes.io/is-default-class"
	tests := []struct {
		name             string
		plugins          string
		request, cluster string
		want             string
	}{
		{"tolerations", "DefaultTolerationSeconds", pod(""), "",
			`DefaultTolerationSeconds add /spec/tolerations [{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300},{"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists","tolerationSeconds":300}]`},
		{"tolerations of its own", "DefaultTolerationSeconds", pod(", tolerations: [{key: node.kubernetes.io/not-ready, operator: Equal, value: x}]"), "",
			`DefaultTolerationSeconds add /spec/tolerations/1 {"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists","tolerationSeconds":300}`},
		{"a toleration of another effect does not count", "DefaultTolerationSeconds", pod(", tolerations: [{operator: Exists, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, operator: Exists}]"), "",
			`DefaultTolerationSeconds add /spec/tolerations/2 {"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300}`},
		{"tolerates everything", "DefaultTolerationSeconds", pod(", tolerations: [{operator: Exists}]"), "", ""},

		{"priority without classes", "Priority", pod(""), "",
			"Priority add /spec/preemptionPolicy \"PreemptLowerPriority\"\nPriority add /spec/priority 0"},
		{"global default", "Priority", pod(""), classes,
			"Priority add /spec/preemptionPolicy \"PreemptLowerPriority\"\nPriority add /spec/priority 10\nPriority add /spec/priorityClassName \"usual\""},
		{"the lowest of several defaults", "Priority", pod(""), classes + "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 11\nglobalDefault: true\n",
			"Priority add /spec/preemptionPolicy \"PreemptLowerPriority\"\nPriority add /spec/priority 10\nPriority add /spec/priorityClassName \"usual\""},
		{"named class", "Priority", pod(", priorityClassName: high"), classes,
			"Priority add /spec/preemptionPolicy \"Never\"\nPriority add /spec/priority 1000"},
		{"system class", "Priority", pod(", priorityClassName: system-node-critical"), "",
			"Priority add /spec/preemptionPolicy \"PreemptLowerPriority\"\nPriority add /spec/priority 2000001000"},
		{"unknown class", "Priority", pod(", priorityClassName: highest"), classes,
			`pods "web" is forbidden: no PriorityClass with name highest was found`},
		{"another priority", "Priority", pod(", priorityClassName: high, priority: 5"), classes,
			`pods "web" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name`},
		{"another preemption policy", "Priority", pod(", priorityClassName: high, preemptionPolicy: PreemptLowerPriority"), classes,
			`pods "web" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name`},
		{"a second global default", "Priority", "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: other}\nvalue: 3\nglobalDefault: true\n", classes,
			`priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist`},

		{"service account", "ServiceAccount", pod(""), "",
			"ServiceAccount add /spec/containers/0/volumeMounts [" + mount + "]\nServiceAccount add /spec/serviceAccount \"default\"\nServiceAccount add /spec/serviceAccountName \"default\"\nServiceAccount add /spec/volumes [" + token + "]"},
		{"mounted already", "ServiceAccount", pod(", volumes: [{name: kube-api-access-abc, emptyDir: {}}], initContainers: [{name: i, image: i, volumeMounts: [{name: kube-api-access-abc, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]}]"), robot,
			`ServiceAccount add /spec/containers/0/volumeMounts [{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":"kube-api-access-abc","readOnly":true}]` + "\nServiceAccount add /spec/serviceAccount \"default\"\nServiceAccount add /spec/serviceAccountName \"default\""},
		{"no token wanted by the pod", "ServiceAccount", pod(", serviceAccountName: robot, automountServiceAccountToken: false"), robot + "automountServiceAccountToken: true\n", ""},
		{"no token wanted by the account", "ServiceAccount", pod(", serviceAccountName: robot"), robot + "automountServiceAccountToken: false\nimagePullSecrets: [{name: registry}]\n",
			`ServiceAccount add /spec/imagePullSecrets [{"name":"registry"}]`},
		{"unknown account", "ServiceAccount", pod(", serviceAccountName: boss"), robot,
			`pods "web" is forbidden: error looking up service account shop/boss: serviceaccount "boss" not found`},
		{"account of another namespace", "ServiceAccount", pod(", serviceAccountName: robot"), strings.Replace(robot, "shop", "bank", 1),
			`pods "web" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found`},
		{"secret not listed", "ServiceAccount", pod(", serviceAccountName: robot, automountServiceAccountToken: false, volumes: [{name: v, secret: {secretName: yours}}]"), strict,
			`pods "web" is forbidden: volume with secret.secretName="yours" is not allowed because service account robot does not reference that secret`},
		{"secret in the environment", "ServiceAccount", pod(", serviceAccountName: robot, automountServiceAccountToken: false, initContainers: [{name: i, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: yours, key: k}}}]}]"), strict,
			`pods "web" is forbidden: init container i with envVar A referencing secret.secretName="yours" is not allowed because service account robot does not reference that secret`},
		{"pull secret not listed", "ServiceAccount", pod(", serviceAccountName: robot, automountServiceAccountToken: false, imagePullSecrets: [{name: yours}]"), strict,
			`pods "web" is forbidden: imagePullSecrets[0].name="yours" is not allowed because service account robot does not reference that imagePullSecret`},
		{"mirror pod", "ServiceAccount", strings.Replace(pod(", volumes: [{name: v, secret: {secretName: s}}]"), "namespace: shop", "namespace: shop, annotations: {kubernetes.io/config.mirror: x}", 1), "",
			`pods "web" is forbidden: a mirror pod may not reference secrets`},

		{"node", "TaintNodesByCondition", "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\nspec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]}\n", "",
			`TaintNodesByCondition add /spec/taints/1 {"effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}`},

		{"newest storage class", "DefaultStorageClass", claim("", ""), storage("old", "2026-01-01T00:00:00Z", defaultClass) + storage("new", "2026-01-02T01:00:00+03:00", defaultClass) + storage("beta", "2026-01-01T09:00:00Z", "storageclass.beta.kubernetes.io/is-default-class"),
			`DefaultStorageClass add /spec/storageClassName "new"`},
		{"the first name of equally old ones", "DefaultStorageClass", claim("", ""), storage("b", "2026-01-01T00:00:00Z", defaultClass) + storage("a", "2026-01-01T00:00:00Z", defaultClass),
			`DefaultStorageClass add /spec/storageClassName "a"`},
		{"no class on purpose", "DefaultStorageClass", claim("", ", storageClassName: ''"), storage("a", "2026-01-01T00:00:00Z", defaultClass), ""},
		{"class by annotation", "DefaultStorageClass", claim(", annotations: {volume.beta.kubernetes.io/storage-class: x}", ""), storage("a", "2026-01-01T00:00:00Z", defaultClass), ""},
		{"no default storage class", "DefaultStorageClass", claim("", ""), storage("a", "2026-01-01T00:00:00Z", "other"), ""},
		{"claim in use", "StorageObjectInUseProtection", claim("", ""), "", `StorageObjectInUseProtection add /metadata/finalizers ["kubernetes.io/pvc-protection"]`},

		{"ingress class", "DefaultIngressClass", ingress, "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: edge, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}\nspec: {controller: example.com/c}\n",
			`DefaultIngressClass add /spec/ingressClassName "edge"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := evaluate(t, scenario.Scenario{Request: test.request, Cluster: test.cluster + "\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n", Options: scenario.Options{Plugins: scenario.Exactly(test.plugins), CompleteCluster: true}})
			if got := patch(t, r); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if !r.Outcome.Allowed && (r.Outcome.DecidedBy < 0 || r.Steps[r.Outcome.DecidedBy].Kind != plugins.Kind || r.Outcome.Code != 403) {
				t.Errorf("the refusal is not the plugin's: %+v", r.Outcome)
			}
		})
	}
}

// An update that leaves out what was computed at creation keeps it.
func TestUpdateKeepsPriority(t *testing.T) {
	review := `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, kind: {version: v1, kind: Pod}, resource: {version: v1, resource: pods},
  name: web, namespace: shop, operation: UPDATE, userInfo: {username: me},
  object: {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: app, image: nginx}]}},
  oldObject: {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {priority: 7, preemptionPolicy: Never, containers: [{name: app, image: nginx}]}}}}`
	r := evaluate(t, scenario.Scenario{Request: review, Options: scenario.Options{Plugins: scenario.Exactly("Priority", "ServiceAccount")}})
	want := "Priority add /spec/preemptionPolicy \"Never\"\nPriority add /spec/priority 7"
	if got := patch(t, r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Plugins run before policies, in both passes, in the server's order however
// they are named.
func TestOrder(t *testing.T) {
	policy := `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: no-tolerations}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: 'has(object.spec.tolerations) ? [JSONPatch{op: "remove", path: "/spec/tolerations"}] : []'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: no-tolerations}
`
	r := evaluate(t, scenario.Scenario{Policies: policy, Request: pod(""), Options: scenario.Options{Plugins: scenario.Exactly("DefaultTolerationSeconds", "Priority")}})
	var got []string
	for _, s := range r.Steps {
		got = append(got, s.Policy+" "+string(s.Verdict))
	}
	want := []string{"Priority mutate", "DefaultTolerationSeconds mutate", "no-tolerations mutate", "Priority admit", "DefaultTolerationSeconds mutate", "no-tolerations "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	if got := plugins.Names(); !slices.Equal(got, scenario.PluginNames) {
		t.Errorf("the plugins are %q, and scenarios may name %q", got, scenario.PluginNames)
	}
	_, problems := scenario.FromTxtar([]byte("-- scenario.yaml --\noptions:\n  plugins: [Priority, Prioritty]\n"))
	if len(problems) != 1 || problems[0].Path != "options.plugins[1]" || problems[0].Line != 2 {
		t.Errorf("got %+v, want one problem at options.plugins[1]", problems)
	}
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: pod(""), Options: scenario.Options{Plugins: scenario.Exactly("Prioritty")}}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "unknown-plugin" {
		t.Errorf("got %+v, want unknown-plugin", r.Diagnostics)
	}
}

// TestRecordedPods takes away what the two plugins of the recorded server added
// to Pods, and expects them to put the same back.
func TestRecordedPods(t *testing.T) {
	compared := 0
	err := filepath.WalkDir("../../../testdata/vectors", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		for _, object := range createdPods(t, path) {
			compared++
			bare := runtime.DeepCopyJSON(object)
			spec := bare["spec"].(map[string]any)
			for _, field := range []string{"tolerations", "priority", "preemptionPolicy"} {
				delete(spec, field)
			}
			raw, err := yaml.Marshal(bare)
			if err != nil {
				return err
			}
			r := evaluate(t, scenario.Scenario{Kubernetes: "1.36", Request: string(raw), Options: scenario.Options{Plugins: scenario.Exactly("Priority", "DefaultTolerationSeconds"), Defaulting: new(bool)}})
			got := r.Object["spec"]
			if !reflect.DeepEqual(got, object["spec"]) {
				t.Errorf("%s: got\n%v\nwant\n%v", path, got, object["spec"])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if compared < 40 {
		t.Errorf("only %d Pods compared", compared)
	}
	t.Logf("%d Pods compared", compared)
}

// createdPods are the Pods of the CREATE requests of a vector, without those
// that have tolerations of their own.
func createdPods(t *testing.T, path string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Requests []struct {
			Request struct {
				Operation, SubResource string
				Resource               struct{ Resource string }
				Object                 map[string]any
			} `json:"request"`
		} `json:"requests"`
	}
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for _, r := range v.Requests {
		if r.Request.Operation != "CREATE" || r.Request.SubResource != "" || r.Request.Resource.Resource != "pods" {
			continue
		}
		spec, _ := r.Request.Object["spec"].(map[string]any)
		if tolerations, _ := spec["tolerations"].([]any); len(tolerations) == 2 {
			out = append(out, integers(r.Request.Object).(map[string]any))
		}
	}
	return out
}

// integers are the numbers of an unstructured object.
func integers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = integers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = integers(e)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}
