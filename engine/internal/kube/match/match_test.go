package match

import (
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// catalog is a small API: deployments in three groups, horizontal pod autoscalers in two versions,
// and a resource with an unknown kind.
type catalog struct{}

var families = [][]schema.GroupVersionResource{
	{gvr("extensions/v1beta1", "deployments"), gvr("apps/v1", "deployments"), gvr("apps/v1beta1", "deployments")},
	{gvr("autoscaling/v1", "horizontalpodautoscalers"), gvr("autoscaling/v2", "horizontalpodautoscalers")},
	{gvr("odd.example.com/v1", "things"), gvr("odd.example.com/v2", "things")},
}

func (catalog) Equivalents(resource schema.GroupVersionResource, _ string) []schema.GroupVersionResource {
	for _, family := range families {
		for _, member := range family {
			if member == resource {
				return family
			}
		}
	}
	return nil
}

func (catalog) KindFor(resource schema.GroupVersionResource, subResource string) (schema.GroupVersionKind, bool) {
	kinds := map[string]string{"deployments": "Deployment", "deployments/scale": "Scale", "horizontalpodautoscalers": "HorizontalPodAutoscaler"}
	kind, ok := kinds[withSubResource(resource.Resource, subResource)]
	return resource.GroupVersion().WithKind(kind), ok
}

type namespaces map[string]map[string]string

// Assumed implements Namespaces: none is assumed.
func (n namespaces) Assumed(string) bool { return false }

func (n namespaces) Labels(name string) (map[string]string, bool) {
	found, ok := n[name]
	return found, ok
}

var stored = namespaces{
	"default": {"env": "dev", "kubernetes.io/metadata.name": "default"},
	"prod":    {"env": "prod", "kubernetes.io/metadata.name": "prod"},
	"bare":    nil,
}

func gvr(groupVersion, resource string) schema.GroupVersionResource {
	gv, err := schema.ParseGroupVersion(groupVersion)
	if err != nil {
		panic(err)
	}
	return gv.WithResource(resource)
}

func gvk(groupVersion, kind string) schema.GroupVersionKind {
	return gvr(groupVersion, "").GroupVersion().WithKind(kind)
}

func matcher(t *testing.T, kubernetes string) *Matcher {
	t.Helper()
	return New(version.MustParse(kubernetes), catalog{}, stored)
}

func withLabels(pairs ...string) map[string]any {
	set := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		set[pairs[i]] = pairs[i+1]
	}
	return map[string]any{"metadata": map[string]any{"name": "x", "labels": set}}
}

// pod is a request to create a pod in namespace default.
func pod(change ...func(*Request)) *Request {
	r := &Request{Kind: gvk("v1", "Pod"), Resource: gvr("v1", "pods"), Name: "web", Namespace: "default",
		Operation: "CREATE", Object: withLabels("app", "web")}
	for _, f := range change {
		f(r)
	}
	return r
}

// rule builds a named rule. Groups, versions and resources are separated by spaces; "core" is the
// empty group.
func rule(operations, groups, versions, resources string, names ...string) v1.NamedRuleWithOperations {
	var ops []v1.OperationType
	for _, op := range strings.Fields(operations) {
		ops = append(ops, v1.OperationType(op))
	}
	groupList := strings.Fields(groups)
	for i := range groupList {
		if groupList[i] == "core" {
			groupList[i] = ""
		}
	}
	return v1.NamedRuleWithOperations{ResourceNames: names, RuleWithOperations: v1.RuleWithOperations{Operations: ops,
		Rule: v1.Rule{APIGroups: groupList, APIVersions: strings.Fields(versions), Resources: strings.Fields(resources)}}}
}

func scoped(r v1.NamedRuleWithOperations, scope v1.ScopeType) v1.NamedRuleWithOperations {
	r.Scope = &scope
	return r
}

// constraints builds match resources as the API server defaults them.
func constraints(rules ...v1.NamedRuleWithOperations) *v1.MatchResources {
	policy := v1.Equivalent
	return &v1.MatchResources{MatchPolicy: &policy, ResourceRules: rules,
		NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}}
}

func TestRule(t *testing.T) {
	namespace := func(r *Request) {
		*r = Request{Kind: gvk("v1", "Namespace"), Resource: namespacesResource, Name: "new", Namespace: "new", Operation: "CREATE", Object: withLabels()}
	}
	node := func(r *Request) {
		*r = Request{Kind: gvk("v1", "Node"), Resource: gvr("v1", "nodes"), Name: "n", Operation: "CREATE", Object: withLabels()}
	}
	sub := func(name string) func(*Request) { return func(r *Request) { r.SubResource = name } }
	op := func(name string) func(*Request) { return func(r *Request) { r.Operation = name } }
	all := rule("*", "*", "*", "*")
	tests := []struct {
		name    string
		rule    v1.NamedRuleWithOperations
		request *Request
		failed  string // failing field; "" if the rule matches
	}{
		{"all", all, pod(), ""},
		{"* leaves out subresources", all, pod(sub("exec")), "resources"},
		{"group listed", rule("*", "g1 core", "*", "*"), pod(), ""},
		{"group not listed", rule("*", "g1 g2", "*", "*"), pod(), "apiGroups"},
		{"version not listed", rule("*", "*", "v1beta1", "*"), pod(), "apiVersions"},
		{"operation listed", rule("UPDATE DELETE", "*", "*", "*"), pod(op("DELETE")), ""},
		{"operation not listed", rule("UPDATE DELETE", "*", "*", "*"), pod(op("CONNECT")), "operations"},
		{"r/* is r", rule("*", "*", "*", "pods/*"), pod(), ""},
		{"r/* is r/sub", rule("*", "*", "*", "pods/*"), pod(sub("exec")), ""},
		{"r/* is not other", rule("*", "*", "*", "services/*"), pod(), "resources"},
		{"r does not have subresources", rule("*", "*", "*", "services/* pods"), pod(sub("proxy")), "resources"},
		{"*/sub", rule("*", "*", "*", "*/proxy */exec"), pod(sub("exec")), ""},
		{"*/sub is not the resource", rule("*", "*", "*", "*/proxy */exec"), pod(), "resources"},
		{"*/*", rule("*", "*", "*", "*/*"), pod(sub("ephemeralcontainers")), ""},
		{"empty rule", v1.NamedRuleWithOperations{}, pod(), "operations"},
		{"scope *", scoped(all, v1.AllScopes), pod(node), ""},
		{"scope Namespaced", scoped(all, v1.NamespacedScope), pod(), ""},
		{"scope Namespaced, node", scoped(all, v1.NamespacedScope), pod(node), "scope"},
		{"scope Namespaced, namespace", scoped(all, v1.NamespacedScope), pod(namespace), "scope"},
		{"scope Cluster, pod", scoped(all, v1.ClusterScope), pod(), "scope"},
		{"scope Cluster, namespace", scoped(all, v1.ClusterScope), pod(namespace), ""},
		{"scope Cluster, namespace finalize", scoped(rule("*", "*", "*", "*/*"), v1.ClusterScope), pod(namespace, sub("finalize")), ""},
		{"scope unknown", scoped(all, "Elsewhere"), pod(), "scope"},
		{"name listed", rule("*", "*", "*", "*", "other", "web"), pod(), ""},
		{"name not listed", rule("*", "*", "*", "*", "other"), pod(), "resourceNames"},
		{"name not known yet", rule("*", "*", "*", "*", "web"), pod(func(r *Request) { r.Name = "" }), "resourceNames"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := matcher(t, "1.37").Policy(test.request, constraints(test.rule))
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if got.Matched != (test.failed == "") {
				t.Errorf("matched = %v: %s", got.Matched, got.Why.Reason)
			}
			last := got.Why.Tests[len(got.Why.Tests)-1]
			if last.Failed != test.failed {
				t.Errorf("failed = %q, want %q", last.Failed, test.failed)
			}
			if test.failed != "" && got.Why.Path != "spec.matchConstraints.resourceRules[0]."+test.failed {
				t.Errorf("path = %q", got.Why.Path)
			}
		})
	}
}

func TestEquivalent(t *testing.T) {
	extensions := rule("*", "extensions", "v1beta1", "deployments deployments/scale")
	apps := rule("*", "apps", "v1beta1", "deployments")
	deployment := func(change ...func(*Request)) *Request {
		r := pod()
		r.Kind, r.Resource, r.Name = gvk("apps/v1", "Deployment"), gvr("apps/v1", "deployments"), "name"
		for _, f := range change {
			f(r)
		}
		return r
	}
	exact := v1.Exact
	tests := []struct {
		name     string
		policy   *v1.MatchPolicyType
		rules    []v1.NamedRuleWithOperations
		excluded []v1.NamedRuleWithOperations
		request  *Request
		want     string // matched resource and kind; "" for no match
	}{
		{"unset is exact", nil, []v1.NamedRuleWithOperations{extensions, apps}, nil, deployment(), ""},
		{"exact", &exact, []v1.NamedRuleWithOperations{extensions, apps}, nil, deployment(), ""},
		{"first rule wins", equivalent(), []v1.NamedRuleWithOperations{extensions, apps}, nil, deployment(),
			"extensions/v1beta1, Resource=deployments extensions/v1beta1, Kind=Deployment"},
		{"rules before equivalents", equivalent(), []v1.NamedRuleWithOperations{apps, extensions}, nil, deployment(),
			"apps/v1beta1, Resource=deployments apps/v1beta1, Kind=Deployment"},
		{"own resource before equivalents", equivalent(), []v1.NamedRuleWithOperations{extensions, rule("*", "apps", "v1", "*")}, nil, deployment(),
			"apps/v1, Resource=deployments apps/v1, Kind=Deployment"},
		{"subresource", equivalent(), []v1.NamedRuleWithOperations{extensions}, nil,
			deployment(func(r *Request) { r.SubResource, r.Kind = "scale", gvk("autoscaling/v1", "Scale") }),
			"extensions/v1beta1, Resource=deployments extensions/v1beta1, Kind=Scale"},
		{"name through an equivalent", equivalent(), []v1.NamedRuleWithOperations{rule("*", "extensions", "*", "deployments", "name")}, nil, deployment(),
			"extensions/v1beta1, Resource=deployments extensions/v1beta1, Kind=Deployment"},
		{"other name through an equivalent", equivalent(), []v1.NamedRuleWithOperations{rule("*", "extensions", "*", "deployments", "wrong-name")}, nil, deployment(), ""},
		{"exclude, policy unset", nil, []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")}, []v1.NamedRuleWithOperations{extensions}, deployment(),
			"apps/v1, Resource=deployments apps/v1, Kind=Deployment"},
		{"exclude an equivalent", equivalent(), []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")}, []v1.NamedRuleWithOperations{extensions}, deployment(), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resources := constraints(test.rules...)
			resources.MatchPolicy, resources.ExcludeResourceRules = test.policy, test.excluded
			got := matcher(t, "1.37").Policy(test.request, resources)
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			text := ""
			if got.Matched {
				text = got.Resource.String() + " " + got.Kind.String()
			}
			if text != test.want {
				t.Errorf("got %q (%s), want %q", text, got.Why.Reason, test.want)
			}
		})
	}
}

func equivalent() *v1.MatchPolicyType {
	policy := v1.Equivalent
	return &policy
}

func TestUnknownKind(t *testing.T) {
	request := pod()
	request.Resource = gvr("odd.example.com/v1", "things")
	// The names do not match, but the kind lookup comes first.
	rules := []v1.NamedRuleWithOperations{rule("*", "odd.example.com", "v2", "*", "other")}
	const want = "unable to convert to odd.example.com/v2, Resource=things: unknown kind"

	got := matcher(t, "1.37").Policy(request, constraints(rules...))
	if got.Err == nil || got.Err.Error() != want || got.Matched {
		t.Errorf("policy: error %v", got.Err)
	}
	// An excluding rule comes first, so nothing else is compared.
	excluding := constraints(rule("*", "*", "*", "services"))
	excluding.ExcludeResourceRules = rules
	if got = matcher(t, "1.37").Policy(request, excluding); got.Err == nil || got.Err.Error() != want {
		t.Errorf("a rule that excludes: error %v", got.Err)
	}
	hook := Webhook{Rules: []v1.RuleWithOperations{rules[0].RuleWithOperations}, MatchPolicy: equivalent(),
		NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}}
	got = matcher(t, "1.37").Webhook(request, &hook, "webhooks[0]")
	if got.Err == nil || got.Err.Error() != "Internal error occurred: "+want || !apierrors.IsInternalError(got.Err) {
		t.Errorf("webhook: error %v", got.Err)
	}
}

func TestNoRules(t *testing.T) {
	m := matcher(t, "1.37")
	if got := m.Policy(pod(), constraints()); !got.Matched || got.Kind != gvk("v1", "Pod") {
		t.Errorf("policy without rules: %+v", got)
	}
	if got := m.Binding(pod(), nil); !got.Matched || got.Resource != gvr("v1", "pods") {
		t.Errorf("binding without matchResources: %+v", got)
	}
	if got := m.Webhook(pod(), &Webhook{}, "webhooks[0]"); got.Matched {
		t.Error("a webhook without rules must not match")
	}
	hook := Webhook{NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}}
	got := m.Webhook(pod(), &hook, "webhooks[0]")
	if got.Matched || got.Why.Path != "webhooks[0].rules" {
		t.Errorf("webhook without rules: %+v", got)
	}
}

func TestVersions(t *testing.T) {
	bare := &v1.MatchResources{ResourceRules: []v1.NamedRuleWithOperations{rule("*", "*", "*", "*")}}
	onlyNamespace := &v1.MatchResources{ResourceRules: bare.ResourceRules, NamespaceSelector: &metav1.LabelSelector{}}
	tests := []struct {
		version   string
		resources *v1.MatchResources
		err       string
	}{
		{"1.35", bare, "a nil namespace selector was passed, please ensure selectors are initialized properly"},
		{"1.37", onlyNamespace, "a nil object selector was passed, please ensure selectors are initialized properly"},
		{"1.37", nil, "policy contained no match constraints, a required field"},
		{"1.34", bare, ""},
		{"1.30", onlyNamespace, ""},
	}
	for _, test := range tests {
		got := matcher(t, test.version).Policy(pod(), test.resources)
		if got.Matched {
			t.Errorf("%s: matched", test.version)
		}
		if err := got.Err; (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%s: error %v, want %q", test.version, err, test.err)
		}
	}
}

func TestErrorsWaitForTheRules(t *testing.T) {
	broken := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "bad value"}}}
	const text = `Internal error occurred: "bad value" is not a valid label selector operator`
	missing := pod(func(r *Request) { r.Namespace = "missing" })
	envProd := &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}
	tests := []struct {
		name              string
		request           *Request
		namespace, object *metav1.LabelSelector
		rule              v1.NamedRuleWithOperations
		err               string
	}{
		{"namespace selector, rules match", pod(), broken, nil, rule("*", "*", "*", "*"), text},
		{"namespace selector, rules do not match", pod(), broken, nil, rule("*", "*", "*", "services"), ""},
		{"object selector, rules match", pod(), nil, broken, rule("*", "*", "*", "*"), text},
		{"object selector, rules do not match", pod(), nil, broken, rule("*", "*", "*", "services"), ""},
		{"namespace error before object error", missing, envProd, broken, rule("*", "*", "*", "*"), `namespaces "missing" not found`},
		{"missing namespace, rules do not match", missing, envProd, nil, rule("*", "*", "*", "services"), ""},
		{"missing namespace, empty selector", missing, nil, nil, rule("*", "*", "*", "*"), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resources := constraints(test.rule)
			if test.namespace != nil {
				resources.NamespaceSelector = test.namespace
			}
			if test.object != nil {
				resources.ObjectSelector = test.object
			}
			hook := Webhook{Rules: []v1.RuleWithOperations{test.rule.RuleWithOperations},
				NamespaceSelector: resources.NamespaceSelector, ObjectSelector: resources.ObjectSelector}
			for who, got := range map[string]Result{
				"policy":  matcher(t, "1.37").Policy(test.request, resources),
				"webhook": matcher(t, "1.37").Webhook(test.request, &hook, "webhooks[1]"),
			} {
				var status *apierrors.StatusError
				switch {
				case test.err == "" && got.Err != nil:
					t.Errorf("%s: error %v", who, got.Err)
				case test.err != "" && (got.Err == nil || got.Err.Error() != test.err || got.Matched):
					t.Errorf("%s: error %v, want %s", who, got.Err, test.err)
				case test.err != "" && !errors.As(got.Err, &status):
					t.Errorf("%s: %T is no StatusError", who, got.Err)
				case strings.Contains(test.err, "not found") && status.ErrStatus.Code != 404:
					t.Errorf("%s: code %d", who, status.ErrStatus.Code)
				}
			}
		})
	}
}
