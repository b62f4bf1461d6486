package bootstrap

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
)

// probe is a request that something in the cluster makes without being asked.
type probe struct {
	// what is intercepted, in words: "its Pods (CREATE)".
	what      string
	operation string
	resource  schema.GroupVersionResource
	sub       string
	namespace string
	name      string
	labels    labels
	user      *user.DefaultInfo
	// vital says that nothing starts while the request is rejected; others are
	// needed for a repair.
	vital bool
}

// The API groups of the probes.
var (
	core         = schema.GroupVersion{Version: "v1"}
	apps         = schema.GroupVersion{Group: "apps", Version: "v1"}
	discovery    = schema.GroupVersion{Group: "discovery.k8s.io", Version: "v1"}
	coordination = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
)

// bare are the labels of what controllers create without any.
var bare = labels{complete: true}

func controller(name string) *user.DefaultInfo {
	return &user.DefaultInfo{Name: "system:serviceaccount:kube-system:" + name, UID: "1",
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}}
}

var (
	kubelet   = &user.DefaultInfo{Name: "system:node:node-1", Groups: []string{"system:nodes", "system:authenticated"}}
	scheduler = &user.DefaultInfo{Name: "system:kube-scheduler", Groups: []string{"system:authenticated"}}
	manager   = &user.DefaultInfo{Name: "system:kube-controller-manager", Groups: []string{"system:authenticated"}}
	admin     = &user.DefaultInfo{Name: "kubernetes-admin", Groups: []string{"system:masters", "system:authenticated"}}
)

// needs are the requests behind the start of a webhook's Pods, and those that
// repair it.
func (b *backend) needs() []probe {
	ns := b.namespace
	out := []probe{
		{"its Pods (CREATE)", "CREATE", core.WithResource("pods"), "", ns, "", b.pods, controller("replicaset-controller"), true},
		{"the binding of its Pods to nodes (CREATE pods/binding)", "CREATE", core.WithResource("pods"), "binding", ns, b.name, bare, scheduler, true},
		{"its Pods' tokens (CREATE serviceaccounts/token)", "CREATE", core.WithResource("serviceaccounts"), "token", ns, b.name, bare, kubelet, true},
		{"its Pods' status (UPDATE pods/status)", "UPDATE", core.WithResource("pods"), "status", ns, b.name, b.pods, kubelet, true},
		{"its EndpointSlices (CREATE, UPDATE)", "UPDATE", discovery.WithResource("endpointslices"), "", ns, b.name, b.slices, controller("endpointslice-controller"), true},
		{"its EndpointSlices (CREATE, UPDATE)", "CREATE", discovery.WithResource("endpointslices"), "", ns, b.name, b.slices, controller("endpointslice-controller"), true},
		{"its Endpoints (UPDATE)", "UPDATE", core.WithResource("endpoints"), "", ns, b.name, b.own, controller("endpoint-controller"), false},
		{"its Service (UPDATE)", "UPDATE", core.WithResource("services"), "", ns, b.name, b.own, admin, false},
		{"Secrets in its namespace (UPDATE)", "UPDATE", core.WithResource("secrets"), "", ns, b.name, labels{}, admin, false},
		{"its namespace (UPDATE)", "UPDATE", core.WithResource("namespaces"), "", ns, ns, b.space, admin, false},
	}
	return append(out, b.workloadNeeds()...)
}

// workloadNeeds are the requests for what owns the Pods.
func (b *backend) workloadNeeds() []probe {
	ns := b.namespace
	var out []probe
	add := func(what, operation, resource string, l labels, who *user.DefaultInfo) {
		out = append(out, probe{what, operation, apps.WithResource(resource), "", ns, b.name, l, who, false})
	}
	switch b.kind {
	case "StatefulSet", "DaemonSet":
		resource := map[string]string{"StatefulSet": "statefulsets", "DaemonSet": "daemonsets"}[b.kind]
		add("its "+b.kind+" (UPDATE)", "UPDATE", resource, b.workload, admin)
		return out
	}
	add("its ReplicaSets (CREATE)", "CREATE", "replicasets", b.pods, controller("deployment-controller"))
	add("its Deployment (UPDATE)", "UPDATE", "deployments", b.workload, admin)
	return out
}

// controlPlane are the requests that keep a cluster alive. Those that are vital
// stop every controller or node when they are rejected.
func (c *checker) controlPlane() []probe {
	system := c.namespace("kube-system")
	leases := coordination.WithResource("leases")
	return []probe{
		{"node heartbeats (UPDATE leases in kube-node-lease)", "UPDATE", leases, "", "kube-node-lease", "node-1", bare, kubelet, true},
		{"leader election of controllers (UPDATE leases in kube-system)", "UPDATE", leases, "", "kube-system", "kube-controller-manager", bare, manager, true},
		{"node status (UPDATE nodes/status)", "UPDATE", core.WithResource("nodes"), "status", "", "node-1", labels{}, kubelet, true},
		{"nodes (CREATE)", "CREATE", core.WithResource("nodes"), "", "", "node-1", labels{}, kubelet, false},
		{"Pods in kube-system (CREATE)", "CREATE", core.WithResource("pods"), "", "kube-system", "", labels{}, controller("daemon-set-controller"), false},
		{"the API server's EndpointSlice (UPDATE)", "UPDATE", discovery.WithResource("endpointslices"), "", "default", "kubernetes", labels{known: map[string]string{"kubernetes.io/service-name": "kubernetes"}, complete: true}, &user.DefaultInfo{Name: "system:apiserver", Groups: []string{"system:authenticated", "system:masters"}}, false},
		{"kube-system itself (UPDATE)", "UPDATE", core.WithResource("namespaces"), "", "kube-system", "kube-system", system, admin, false},
		{"token reviews (CREATE tokenreviews)", "CREATE", schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "tokenreviews"}, "", "", "", bare, kubelet, false},
		{"permission checks (CREATE subjectaccessreviews)", "CREATE", schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"}, "", "", "", bare, kubelet, false},
	}
}

// intercepts says whether a webhook is called for a request, and by which rule.
func (c *checker) intercepts(h *webhook.Facts, p *probe) (decision, string) {
	kind, ok := c.Catalog.KindFor(p.resource, p.sub)
	if !ok {
		return no, ""
	}
	request := match.Request{Kind: kind, Resource: p.resource, SubResource: p.sub, Name: p.name, Namespace: p.namespace, Operation: p.operation}
	if _, exempt := c.matcher.ExemptFromWebhooks(&request, h.Static); exempt {
		return no, ""
	}
	selected := p.labels.selects(h.Match.ObjectSelector)
	switch {
	case p.resource.Resource == "namespaces":
		selected = both(selected, p.labels.selects(h.Match.NamespaceSelector))
	case p.namespace != "":
		selected = both(selected, c.namespace(p.namespace).selects(h.Match.NamespaceSelector))
	}
	if selected == no {
		return no, ""
	}
	result := c.byRules(h, &request)
	if !result.Matched {
		return no, ""
	}
	request.Object = p.object(kind)
	if p.operation == "UPDATE" {
		request.OldObject = request.Object
	}
	return both(selected, c.conditions(h, p, request)), result.Why.Path
}

// matchKey is what the rules of a webhook look at. No probe depends on the name of
// an object.
type matchKey struct {
	kind, configuration, path, operation, sub string
	resource                                  schema.GroupVersionResource
	namespaced                                bool
}

// byRules compares a request with the rules of a webhook alone.
func (c *checker) byRules(h *webhook.Facts, request *match.Request) match.Result {
	key := matchKey{h.Kind, h.Configuration, h.Path, request.Operation, request.SubResource, request.Resource, request.Namespace != ""}
	result, known := c.matched[key]
	if !known {
		rules := match.Webhook{Rules: h.Match.Rules, MatchPolicy: h.Match.MatchPolicy, NamespaceSelector: everything, ObjectSelector: everything}
		result = c.matcher.Webhook(request, &rules, h.Path)
		c.matched[key] = result
	}
	return result
}

// object is as much of the request's object as is known of it.
func (p *probe) object(kind schema.GroupVersionKind) map[string]any {
	metadata := map[string]any{}
	if p.name != "" {
		metadata["name"] = p.name
	}
	if p.namespace != "" && p.resource.Resource != "namespaces" {
		metadata["namespace"] = p.namespace
	}
	if len(p.labels.known) > 0 {
		set := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(p.labels.known)) {
			set[key] = p.labels.known[key]
		}
		metadata["labels"] = set
	}
	return map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": metadata}
}

// maxConditionCost bounds what the match conditions of all probes cost together,
// in CEL cost units. What is not evaluated is not known.
const maxConditionCost = 500_000

// conditions evaluates the match conditions for what is known of a request. One
// that fails may read what is not known.
func (c *checker) conditions(h *webhook.Facts, p *probe, request match.Request) decision {
	if len(h.Conditions) == 0 {
		return yes
	}
	if c.spent > maxConditionCost {
		return unsure
	}
	chain := &run.Chain{Evaluator: c.Evaluator, Version: c.Version, Catalog: c.Catalog, Expressions: c.Expressions, Cluster: c.Cluster, Matcher: c.matcher, Authorizer: c.Authorizer}
	chain.Attributes = run.Attributes{Request: request, User: p.user, UID: "00000000-0000-0000-0000-000000000000"}
	in, err := chain.ConditionInputs(request.Object, request.Kind)
	if err != nil {
		return unsure
	}
	outcome := condition.Evaluate(c.Evaluator, h.Conditions, nil, in, false)
	c.spent += outcome.Used
	switch {
	case outcome.Err != "":
		return unsure
	case outcome.Matches:
		return yes
	}
	return no
}
