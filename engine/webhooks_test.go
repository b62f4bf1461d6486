package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// What patches of webhooks do to the kind of an object, and when they count as a
// change, was found by comparing with the API server's own plugins
// (conformance/webhooks).

const gadgets = `
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// patched runs a request through two mutating webhooks, a and b, of which each
// answers with a patch, if there is one. Version is that which b asks for.
func patched(t *testing.T, object, version, a, b string) *report.Report {
	t.Helper()
	hook := func(name, version string) string {
		return fmt.Sprintf(`- name: %s.example.com
  clientConfig: {url: "https://%s.example.com"}
  rules: [{apiGroups: ["*"], apiVersions: ["%s"], operations: ["*"], resources: ["*"]}]
  reinvocationPolicy: IfNeeded
  sideEffects: None
  admissionReviewVersions: [v1]
`, name, name, version)
	}
	yes := true
	s := scenario.Scenario{Kubernetes: "1.36", Options: scenario.Options{Defaulting: &yes}, Request: object, Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}" + gadgets,
		Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: c}\nwebhooks:\n" + hook("a", "*") + hook("b", version)}
	for name, patch := range map[string]string{"a": a, "b": b} {
		if patch != "" {
			s.Cluster += fmt.Sprintf("---\napiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: %s.example.com}\nspec: {allowed: true, patchType: JSONPatch, patch: [%s]}\n", name, patch)
		}
	}
	r, err := Evaluate(context.Background(), s, Everything())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	configMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default, labels: {a: b}}"
	autoscaler = "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: x, namespace: default}\nspec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}}"
	gadget     = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: x, namespace: default, labels: {a: b}}"
)

func TestPatchesOfTheKind(t *testing.T) {
	for _, test := range []struct {
		name, object, version, a, b string
		code                        int
		want                        string // message, or kind of the object
	}{
		{name: "a typed object without kind", object: configMap, version: "*", a: "{op: remove, path: /kind}", b: "{op: test, path: /kind, value: ConfigMap}", code: 500, want: "Internal error occurred: testing value /kind failed: test failed"},
		{name: "which the request gets back", object: configMap, version: "*", a: "{op: remove, path: /kind}", code: 201, want: "v1 ConfigMap"},
		{name: "a typed object of another kind", object: configMap, version: "*", a: "{op: replace, path: /kind, value: Secret}", code: 500, want: "converting (v1.Secret) to (core.ConfigMap): unknown conversion"},
		{name: "a typed object of no kind", object: configMap, version: "*", a: "{op: replace, path: /kind, value: Other}", code: 500, want: `Internal error occurred: no kind "Other" is registered for version "v1" in scheme`},
		{name: "a typed object of another version", object: autoscaler, version: "v2", a: "{op: replace, path: /apiVersion, value: autoscaling/v2}", b: "{op: test, path: /spec/metrics/0/resource/target/averageUtilization, value: 80}", code: 201, want: "autoscaling/v1 HorizontalPodAutoscaler"},
		{name: "a custom object of another kind", object: gadget, version: "*", a: "{op: replace, path: /kind, value: Other}", code: 422, want: `Other.example.com "x" is invalid: kind: Invalid value: "Other": must be Gadget`},
		{name: "a custom object of another kind, for another webhook", object: gadget, version: "v2", a: "{op: replace, path: /kind, value: Other}", b: "{op: test, path: /kind, value: Gadget}, {op: add, path: /x, value: y}", code: 201, want: "example.com/v1 Gadget"},
		{name: "a custom object of another version", object: gadget, version: "*", a: "{op: replace, path: /apiVersion, value: example.com/v2}", code: 201, want: "example.com/v1 Gadget"},
		{name: "a custom object of no version", object: gadget, version: "*", a: "{op: replace, path: /apiVersion, value: example.com/v9}", code: 500, want: "request to convert CR from an invalid group/version: example.com/v9"},
		{name: "a custom object of another group", object: gadget, version: "*", a: "{op: replace, path: /apiVersion, value: v1}", code: 500, want: `/v1, Kind=Gadget is unstructured and is not suitable for converting to "example.com/v1"`},
		{name: "a custom object without version, for another webhook", object: gadget, version: "v2", a: "{op: remove, path: /apiVersion}", code: 500, want: `Internal error occurred: Internal error occurred: /, Kind=Gadget is unstructured and is not suitable for converting to "example.com/v1"`},
		{name: "a custom object without kind", object: gadget, version: "*", a: "{op: remove, path: /kind}", code: 500, want: "Internal error occurred: Object 'Kind' is missing in"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := patched(t, test.object, test.version, test.a, test.b)
			got := r.Outcome.Message
			if r.Outcome.Allowed {
				got = fmt.Sprint(r.Object["apiVersion"], " ", r.Object["kind"])
			}
			if r.Outcome.Code != test.code || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %d %s, want %d %s", r.Outcome.Code, got, test.code, test.want)
			}
		})
	}
}

// A change makes earlier webhooks run again.
func TestWhatCountsAsAChange(t *testing.T) {
	update := func(object string) string { // without the present in managedFields
		return `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {operation: UPDATE, name: x, namespace: default, uid: u,
  kind: {group: "", version: v1, kind: Pod}, resource: {group: "", version: v1, resource: pods}, userInfo: {username: admin}, object: ` + object + `, oldObject: ` + object + `}}`
	}
	pod := update(`{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: default}, spec: {containers: [{name: a, image: i, resources: {limits: {memory: 1Gi}}}]}}`)
	for _, test := range []struct {
		name, object, patch string
		want                bool
	}{
		{"nothing", pod, "{op: test, path: /kind, value: Pod}", false},
		{"the same amount", pod, "{op: replace, path: /spec/containers/0/resources/limits/memory, value: \"1073741824\"}", false},
		{"another amount", pod, "{op: replace, path: /spec/containers/0/resources/limits/memory, value: 1G}", true},
		{"an empty struct", pod, "{op: add, path: /spec/containers/0/securityContext, value: {}}", true},
		{"an empty list", pod, "{op: add, path: /spec/containers/0/args, value: []}", false},
		{"null in a custom resource", gadget, "{op: add, path: /spec, value: null}", true},
		{"an empty object in a custom resource", gadget, "{op: add, path: /spec, value: {}}", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := patched(t, test.object, "*", "", test.patch)
			if !r.Outcome.Allowed {
				t.Fatal(r.Outcome.Message)
			}
			got := strings.Contains(r.Outcome.AuditAnnotations["mutation.webhook.admission.k8s.io/round_0_index_1"], `"mutated":true`)
			if got != test.want {
				t.Errorf("mutated is %t", got)
			}
			if again := slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Pass == 1 }); again != test.want {
				t.Errorf("second pass: %t", again)
			}
		})
	}
}

// The object goes through the internal version when the webhooks are done.
func TestPatchThroughTheInternalVersion(t *testing.T) {
	r := patched(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: default}", "*", "{op: add, path: /stringData, value: {a: b}}", "{op: test, path: /stringData/a, value: b}")
	if !r.Outcome.Allowed {
		t.Fatal(r.Outcome.Message)
	}
	data, _ := r.Object["data"].(map[string]any)
	if data["a"] != "Yg==" || r.Object["stringData"] != nil {
		t.Errorf("data %v, stringData %v", data, r.Object["stringData"])
	}
}

// Up to 1.33 a patch that cannot be read is no failing call, which the failure
// policy could forgive.
func TestUnreadablePatch(t *testing.T) {
	const raw = "Internal error occurred: json: cannot unmarshal object into Go value of type jsonpatch.Patch"
	for _, test := range []struct {
		version, failurePolicy, want string
	}{
		{"1.33", "Fail", raw},
		{"1.33", "Ignore", raw},
		{"1.34", "Fail", `Internal error occurred: failed calling webhook "a.example.com": received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch`},
		{"1.34", "Ignore", ""},
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: test.version, Request: configMap,
			Policies: fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: c}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://a.example.com"}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  failurePolicy: %s
  sideEffects: None
  admissionReviewVersions: [v1]
`, test.failurePolicy),
			// The patch is {}.
			Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: a.example.com}\nspec: {allowed: true, patchType: JSONPatch, patch: e30=}\n"}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Message != test.want {
			t.Errorf("%s, %s: got %q, want %q", test.version, test.failurePolicy, r.Outcome.Message, test.want)
		}
	}
}

// A policy's namespace that does not exist has another name up to 1.31. A
// server asks NamespaceLifecycle first, so the plugins are off.
func TestNamespaceOfAPolicyThatIsGone(t *testing.T) {
	for version, want := range map[string]string{"1.31": `namespace "shop" not found`, "1.32": `namespaces "shop" not found`} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: version, Request: strings.Replace(configMap, "namespace: default", "namespace: shop", 1),
			Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: other}", Options: scenario.Options{Plugins: scenario.Exactly(), CompleteCluster: true},
			Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Code != 404 || r.Outcome.Message != want {
			t.Errorf("%s: got %d %q, want %q", version, r.Outcome.Code, r.Outcome.Message, want)
		}
	}
}

// TestTimeOfTheRequest: mutating webhooks are called one after the other, and the
// server gives the whole request 34 seconds, whatever the failure policies are.
func TestTimeOfTheRequest(t *testing.T) {
	for _, c := range []struct {
		delays []float64
		want   string
	}{
		{[]float64{12, 12}, ""},
		{[]float64{12, 12, 12}, ""},
		{[]float64{9, 9, 9, 6}, ""},
		{[]float64{12, 12, 12, 12}, "Timeout: request did not complete within requested timeout"},
		{[]float64{9, 9, 9, 9}, "Timeout: request did not complete within requested timeout"},
	} {
		var policies, cluster strings.Builder
		for i, seconds := range c.delays {
			fmt.Fprintf(&policies, `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hook-%[1]d}
webhooks:
- name: hook-%[1]d.example.com
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  clientConfig: {url: 'https://hook-%[1]d.example.com'}
  sideEffects: None
  admissionReviewVersions: [v1]
  failurePolicy: Ignore
  timeoutSeconds: 10
---
`, i)
			fmt.Fprintf(&cluster, "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: hook-%d.example.com}\nspec: {allowed: true, delaySeconds: %v}\n---\n", i, seconds)
		}
		r, err := Evaluate(context.Background(), scenario.Scenario{Policies: policies.String(), Cluster: cluster.String(),
			Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"}, Options{})
		if err != nil || r.Outcome.Message != c.want || r.Outcome.Allowed != (c.want == "") {
			t.Errorf("%v: got %q, %v", c.delays, r.Outcome.Message, err)
		}
	}
}

// TestRetryAfter: a webhook that asks for a later call gets one, within its time.
func TestRetryAfter(t *testing.T) {
	const later = "{httpStatus: 503, headers: {Retry-After: '%s'}}, "
	for _, c := range []struct {
		name, sequence string
		allowed        bool
		said, note     string
	}{
		{"later", fmt.Sprintf(later, "2") + "{allowed: true}", true, "", "called it 2 times, which took 2 s of its 5 s"},
		{"too late", fmt.Sprintf(later, "5") + "{allowed: true}", false, `timeout=5s": context deadline exceeded`, ""},
		{"always later", fmt.Sprintf(later, "0"), false, "the server is currently unable to handle the request", "called it 11 times, which took 0 s"},
		{"no number", fmt.Sprintf(later, "soon") + "{allowed: true}", false, "the server is currently unable to handle the request", ""},
		{"refused then", fmt.Sprintf(later, "1") + "{connectionRefused: true}", false, "connection refused", "called it 2 times"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Evaluate(context.Background(), scenario.Scenario{
				Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: c}\nwebhooks:\n- {name: a.example.com, timeoutSeconds: 5, sideEffects: None, admissionReviewVersions: [v1],\n" +
					"  clientConfig: {url: 'https://a.example.com'}, rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}\n",
				Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n",
				Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: a.example.com}\nspec:\n  sequence: [" + c.sequence + "]\n",
			}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome.Allowed != c.allowed || !strings.Contains(r.Outcome.Message, c.said) {
				t.Errorf("%v %s", r.Outcome.Allowed, r.Outcome.Message)
			}
			var notes []string
			for _, s := range r.Steps {
				for _, n := range s.Notes {
					notes = append(notes, n.Text)
				}
			}
			if text := strings.Join(notes, "\n"); !strings.Contains(text, c.note) || c.note == "" && strings.Contains(text, "Retry-After") {
				t.Errorf("notes: %s", text)
			}
		})
	}
}
