package collect_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/preadmit/preadmit/cluster/internal/apply"
	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/drift"
	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const admission = "admissionregistration.k8s.io"

// kinds are the fake server's kinds, and whether they are namespaced.
var kinds = map[schema.GroupVersionKind]bool{
	{Group: admission, Version: "v1", Kind: "ValidatingAdmissionPolicy"}:            false,
	{Group: admission, Version: "v1", Kind: "ValidatingAdmissionPolicyBinding"}:     false,
	{Group: admission, Version: "v1", Kind: "ValidatingWebhookConfiguration"}:       false,
	{Version: "v1", Kind: "Namespace"}:                                              false,
	{Version: "v1", Kind: "ConfigMap"}:                                              true,
	{Version: "v1", Kind: "Secret"}:                                                 true,
	{Version: "v1", Kind: "ResourceQuota"}:                                          true,
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}:        true,
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"}: false,
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}:               true,
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}:        false,
}

// fake is a cluster with objects from YAML.
func fake(t *testing.T, text string) (*source.Cluster, *fakedynamic.FakeDynamicClient) {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Cluster, text)
	if diag.HasErrors(problems) {
		t.Fatal(problems)
	}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Version: "v1"}, {Group: admission, Version: "v1"}, {Group: "rbac.authorization.k8s.io", Version: "v1"}})
	lists := map[schema.GroupVersionResource]string{}
	for kind, namespaced := range kinds {
		scope := meta.RESTScopeRoot
		if namespaced {
			scope = meta.RESTScopeNamespace
		}
		mapper.Add(kind, scope)
		plural, _ := meta.UnsafeGuessKindToResource(kind)
		lists[plural] = kind.Kind + "List"
	}
	var objects []runtime.Object
	for _, d := range docs {
		objects = append(objects, &unstructured.Unstructured{Object: d.Value})
	}
	client := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects...)
	discovery := &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{}, FakedServerVersion: &version.Info{Major: "1", Minor: "36+"}}
	return source.New(client, mapper, discovery), client
}

const policies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: secret-param}
spec:
  paramKind: {apiVersion: v1, kind: Secret}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: params.metadata.name == 'token'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: secret-param}
spec: {policyName: secret-param, validationActions: [Deny], paramRef: {name: token, namespace: vault, parameterNotFoundAction: Deny}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: pods-only}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: 'false'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: pods-only}
spec: {policyName: pods-only, validationActions: [Deny]}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, managedFields: [{manager: kubectl}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: other}}
---
{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: vault}, data: {password: bm90LWZvci1yZXBvcnRz}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: jane, namespace: shop}
subjects: [{kind: User, name: jane}]
roleRef: {kind: Role, name: writer}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: dana, namespace: shop}
subjects: [{kind: User, name: dana}]
roleRef: {kind: Role, name: writer}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: writer, namespace: shop}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [create]}]
`

func request(t *testing.T, from *source.Cluster) collect.Request {
	t.Helper()
	m, err := from.Mapping(schema.GroupKind{Kind: "ConfigMap"})
	if err != nil {
		t.Fatal(err)
	}
	return collect.Request{Operation: collect.Create, Mapping: m, Namespace: "shop", Name: "a", User: authenticationv1.UserInfo{Username: "jane"},
		Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "shop"}}}
}

// TestCollect: a scenario has what the request and its user need. A Secret is only there by name,
// and was not read.
func TestCollect(t *testing.T) {
	from, client := fake(t, policies)
	r := request(t, from)
	whole, err := collect.Collect(t.Context(), from, r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := collect.Reduce(t.Context(), from, whole, r)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kubernetes != "1.36" {
		t.Errorf("Kubernetes %s", c.Kubernetes)
	}
	if strings.Contains(c.Policies, "pods-only") || !strings.Contains(whole.Policies, "pods-only") {
		t.Error("the policy about Pods is left out of the scenario, and only there")
	}
	for text, want := range map[string]bool{"name: writer": true, "name: jane": true, "name: dana": false, "name: other": false, "managedFields": false, "name: token": true, "bm90": false} {
		if strings.Contains(c.Cluster, text) != want {
			t.Errorf("%q in the cluster: %v\n%s", text, !want, c.Cluster)
		}
	}
	for _, action := range client.Actions() {
		if !slices.Contains([]string{"get", "list"}, action.GetVerb()) || action.GetResource().Resource == "secrets" {
			t.Errorf("%s %s", action.GetVerb(), action.GetResource().Resource)
		}
	}
	out, err := engine.Evaluate(t.Context(), c.Scenario, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !out.Outcome.Allowed || len(out.Diagnostics.Errors()) > 0 {
		t.Errorf("%+v %v", out.Outcome, out.Diagnostics)
	}
}

// TestForbidden: a forbidden list is one of the assumptions.
func TestForbidden(t *testing.T) {
	from, client := fake(t, policies)
	client.PrependReactor("list", "validatingadmissionpolicies", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: admission, Resource: "validatingadmissionpolicies"}, "", context.Canceled)
	})
	c, err := collect.Collect(t.Context(), from, request(t, from))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(c.Assumed, func(a report.Assumption) bool {
		return strings.Contains(a.What, "validatingadmissionpolicies") && strings.Contains(a.Why, "forbidden")
	}) {
		t.Errorf("%+v", c.Assumed)
	}
}

// TestPermissions: the printed role equals the file and only allows reading.
func TestPermissions(t *testing.T) {
	file, err := os.ReadFile("../../../deploy/cluster/collect-role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if string(file) != collect.Permissions() {
		t.Error("deploy/cluster/collect-role.yaml is not what collect --permissions prints")
	}
	for name, allowed := range map[string][]string{"collect-role.yaml": {"get", "list"}, "serve-role.yaml": {"list", "watch"}} {
		text, err := os.ReadFile("../../../deploy/cluster/" + name)
		if err != nil {
			t.Fatal(err)
		}
		docs, problems := scenario.ParseDocuments(diag.Cluster, string(text))
		if diag.HasErrors(problems) {
			t.Fatal(problems)
		}
		rules, _, _ := unstructured.NestedSlice(docs[0].Value, "rules")
		for _, item := range rules {
			rule := item.(map[string]any)
			verbs, _, _ := unstructured.NestedStringSlice(rule, "verbs")
			resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
			for _, verb := range verbs {
				if !slices.Contains(allowed, verb) {
					t.Errorf("%s allows %s of %v", name, verb, resources)
				}
			}
			if slices.Contains(resources, "secrets") || slices.Contains(resources, "*") || len(resources) == 0 {
				t.Errorf("%s allows %v", name, resources)
			}
		}
		if len(rules) < 4 {
			t.Errorf("%s has %d rules", name, len(rules))
		}
	}
}

// TestAsCreated: only what the server and the scheduler added is removed.
func TestAsCreated(t *testing.T) {
	docs, _ := scenario.ParseDocuments(diag.Cluster, `{apiVersion: v1, kind: Pod, metadata: {name: a, uid: x, labels: {a: b}}, status: {phase: Running},
spec: {nodeName: n, volumes: [{name: kube-api-access-abcde}, {name: own}], containers: [{name: a, volumeMounts: [{name: kube-api-access-abcde, mountPath: /x}]}]}}`)
	got, err := scenario.YAML(collect.AsCreated(docs[0].Value))
	if err != nil {
		t.Fatal(err)
	}
	if want := "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    a: b\n  name: a\nspec:\n  containers:\n  - name: a\n  volumes:\n  - name: own\n"; string(got) != want {
		t.Errorf("%s", got)
	}
}

// TestMerged: containers are merged by name, previously applied fields that are missing now are
// removed, and others' fields stay. Custom kinds' lists are replaced.
func TestMerged(t *testing.T) {
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	read := func(text string) map[string]any {
		docs, problems := scenario.ParseDocuments(diag.Cluster, text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return docs[0].Value
	}
	live := read(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, annotations: {"` + collect.LastApplied + `": '{"metadata":{"labels":{"gone":"x"}}}'}, labels: {gone: x, other: kept}},
spec: {replicas: 3, template: {spec: {containers: [{name: a, image: a}, {name: injected, image: i}]}}}}`)
	merged, err := apply.Merged(deployment, live, read(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, labels: {new: z}}, spec: {template: {spec: {containers: [{name: a, image: b}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := scenario.YAML(map[string]any{"labels": merged["metadata"].(map[string]any)["labels"], "spec": merged["spec"]})
	if err != nil {
		t.Fatal(err)
	}
	if want := "labels:\n  new: z\n  other: kept\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - image: b\n        name: a\n      - image: i\n        name: injected\n"; string(text) != want {
		t.Errorf("%s", text)
	}
	widget := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	merged, err = apply.Merged(widget, read(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {parts: [{name: a}, {name: b}]}}`),
		read(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {parts: [{name: c}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if parts, _, _ := unstructured.NestedSlice(merged, "spec", "parts"); len(parts) != 1 {
		t.Errorf("%v", merged)
	}
}

// TestDrift: defaults and server-set fields do not count as differences; an expression does.
func TestDrift(t *testing.T) {
	from, _ := fake(t, policies)
	files := strings.ReplaceAll(policies, "expression: 'false'", "expression: 'true'")
	files = strings.Replace(files, "resources: [configmaps]}]\n", "resources: [configmaps], scope: '*'}]\n  failurePolicy: Fail\n", 1) // defaults
	files = strings.Replace(files, "metadata: {name: pods-only}\nspec: {policyName", "metadata: {name: renamed}\nspec: {policyName", 1)
	docs, problems := scenario.ParseDocuments(diag.Cluster, files)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := drift.Compare(t.Context(), from, docs, drift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range r.Objects {
		got[strings.TrimPrefix(o.Kind, "ValidatingAdmission")+"/"+o.Name] = o.State
	}
	for name, state := range map[string]string{"Policy/secret-param": drift.Same, "PolicyBinding/secret-param": drift.Same, "Policy/pods-only": drift.Changed, "PolicyBinding/renamed": drift.Missing, "PolicyBinding/pods-only": drift.Added} {
		if got[name] != state {
			t.Errorf("%s is %q, want %s", name, got[name], state)
		}
	}
	if !r.Differs() || len(got) != 5 {
		t.Errorf("%v", got)
	}
}
