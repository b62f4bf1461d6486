package bootstrap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	klabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// backend is what answers for webhooks: the Pods behind a Service.
type backend struct {
	namespace, service string
	// kind and name are those of what owns the Pods; kind is empty when no text
	// says it, and the name is that of the Service then.
	kind, name string
	replicas   int64
	// empty says that the texts have the Pods of the Service's namespace, and that it
	// selects none of them.
	empty bool
	// single says that its one replica is reported already.
	single bool
	// Labels of the Pods, of what owns them, of the Service, of its EndpointSlices
	// and of the namespace.
	pods, workload, own, slices, space labels
}

// workloads are the kinds that own Pods, and the path to the labels of the Pods.
var workloads = []struct {
	kind schema.GroupKind
	path []string
}{
	{schema.GroupKind{Group: "apps", Kind: "Deployment"}, []string{"spec", "template", "metadata"}},
	{schema.GroupKind{Group: "apps", Kind: "StatefulSet"}, []string{"spec", "template", "metadata"}},
	{schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, []string{"spec", "template", "metadata"}},
	{schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, []string{"spec", "template", "metadata"}},
	{schema.GroupKind{Kind: "Pod"}, []string{"metadata"}},
}

// backendOf finds what answers for a webhook; nil when it is outside the cluster.
func (c *checker) backendOf(h *webhook.Facts) *backend {
	ref := h.Client.Service
	if ref == nil {
		return nil
	}
	for _, b := range c.backends {
		if b.namespace == ref.Namespace && b.service == ref.Name {
			return b
		}
	}
	b := &backend{namespace: ref.Namespace, service: ref.Name, name: ref.Name, space: c.namespace(ref.Namespace), replicas: -1}
	c.backends = append(c.backends, b)
	service, ok := c.Cluster.Get(schema.GroupKind{Kind: "Service"}, ref.Namespace, ref.Name)
	if !ok {
		return b
	}
	b.own = labels{stringsAt(service.Value, "metadata", "labels"), true}
	b.slices = labels{b.own.known, false}.with(map[string]string{"kubernetes.io/service-name": ref.Name, "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"})
	b.slices.complete = true
	selector := stringsAt(service.Value, "spec", "selector")
	b.pods = labels{selector, false}
	if len(selector) > 0 {
		b.owner(c.Cluster, selector)
	}
	return b
}

// owner finds what owns the Pods that a Service selects.
func (b *backend) owner(in *cluster.Cluster, selector map[string]string) {
	want := klabels.SelectorFromSet(selector)
	some := false
	for _, w := range workloads {
		for _, o := range in.List(w.kind, b.namespace, klabels.Everything()) {
			some = true
			pods := stringsAt(o.Value, append(slices.Clone(w.path), "labels")...)
			if !want.Matches(klabels.Set(pods)) {
				continue
			}
			b.kind, b.name = w.kind.Kind, o.Name
			b.pods = labels{pods, true}.with(map[string]string{"pod-template-hash": "1"})
			b.workload = labels{stringsAt(o.Value, "metadata", "labels"), true}
			if n, ok := untyped.At[any](o.Value, "spec", "replicas").(int64); ok {
				b.replicas = n
			}
			return
		}
	}
	b.empty = some
}

// namespace returns what is known of the labels of a namespace.
func (c *checker) namespace(name string) labels {
	if o, ok := c.Cluster.Get(schema.GroupKind{Kind: "Namespace"}, "", name); ok {
		return labels{stringsAt(o.Value, "metadata", "labels"), true}
	}
	return labels{map[string]string{"kubernetes.io/metadata.name": name}, false}
}

func stringsAt(v any, path ...string) map[string]string {
	m := untyped.At[map[string]any](v, path...)
	out := make(map[string]string, len(m))
	for key, value := range m {
		if s, ok := value.(string); ok {
			out[key] = s
		}
	}
	return out
}

// document finds an object in the texts.
func (c *checker) document(kind, namespace, name string) *scenario.Document {
	for _, d := range c.Documents {
		if d.Kind == kind && d.Name == name && (kind == "Namespace" || cmp.Or(d.Namespace, "default") == namespace) {
			return d
		}
	}
	return nil
}

// places are where the texts have what answers for a webhook.
func (c *checker) places(b *backend) []diag.Related {
	var out []diag.Related
	for _, at := range []struct{ kind, name, summary string }{
		{"Service", b.service, "the Service of the webhook"}, {b.kind, b.name, "its backend"}, {"Namespace", b.namespace, "its namespace"},
	} {
		if d := c.document(at.kind, b.namespace, at.name); d != nil && at.kind != "" {
			out = append(out, diag.Related{Text: d.Text, Span: d.Locate("metadata.name"), Path: "metadata.name", Summary: at.summary})
		}
	}
	return out
}

// backendProblems reports a Service without Pods, and one Pod on which much
// depends.
func (c *checker) backendProblems(h *webhook.Facts, b *backend) {
	if b == nil {
		return
	}
	if b.empty {
		d := c.report(h, codes.WebhookWithoutBackend, diag.Warning, h.Path+".clientConfig.service",
			"the Service "+b.namespace+"/"+b.service+" selects no Pod in the cluster text, so every call of webhook \""+h.Name+"\" fails",
			"This namespace has Pods or workloads, but none has the labels that the Service selects. Correct the Service's selector or the Pods' labels.")
		d.Related, d.Fixes = c.places(b), c.selecting(b)
	}
	if h.FailsClosed && b.replicas == 1 && !b.single && c.firstCore(h) != "" {
		b.single = true
		d := c.report(h, codes.WebhookSingleReplica, diag.Info, h.Path+".clientConfig.service",
			"webhook \""+h.Name+"\" has one replica; requests for "+c.firstCore(h)+" are rejected while it restarts",
			"Run two or more replicas on different nodes, with a PodDisruptionBudget.")
		d.Related, d.Fixes = c.places(b), c.secondReplica(b)
	}
}

// secondReplica is the repair that lets a second Pod answer.
func (c *checker) secondReplica(b *backend) []diag.Fix {
	d := c.document(b.kind, b.namespace, b.name)
	if d == nil {
		return nil
	}
	edit, ok := d.Rewrite("spec.replicas", "2")
	return one("Change to replicas: 2", ok, edit)
}

// selecting is the repair that lets a Service select the Pods of the one workload of its
// namespace that no Service selects.
func (c *checker) selecting(b *backend) []diag.Fix {
	service := c.document("Service", b.namespace, b.service)
	var left []cluster.Object
	kind := ""
	for _, w := range workloads {
		for _, o := range c.Cluster.List(w.kind, b.namespace, klabels.Everything()) {
			if !c.selected(b.namespace, stringsAt(o.Value, append(slices.Clone(w.path), "labels")...)) {
				left, kind = append(left, o), w.kind.Kind
			}
		}
	}
	if service == nil || len(left) != 1 || kind == "Pod" {
		return nil
	}
	labels := stringsAt(left[0].Value, "spec", "selector", "matchLabels")
	if len(labels) == 0 {
		return nil
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, key+": "+strconv.Quote(labels[key]))
	}
	edit, ok := service.Rewrite("spec.selector", "{"+strings.Join(pairs, ", ")+"}")
	return one(fmt.Sprintf("Select the Pods of %s %s", kind, left[0].Name), ok, edit)
}

// selected reports whether a Service of the namespace selects Pods with these labels.
func (c *checker) selected(namespace string, pods map[string]string) bool {
	for _, s := range c.Cluster.List(schema.GroupKind{Kind: "Service"}, namespace, klabels.Everything()) {
		selector := stringsAt(s.Value, "spec", "selector")
		if len(selector) > 0 && klabels.SelectorFromSet(selector).Matches(klabels.Set(pods)) {
			return true
		}
	}
	return false
}

// firstCore names built-in resources that a webhook intercepts, on which more
// depends than on those of its own definitions; empty when there are none.
func (c *checker) firstCore(h *webhook.Facts) string {
	for _, r := range h.Match.Rules {
		for _, group := range r.APIGroups {
			if group == "" || group == "apps" || group == "*" {
				return ruleNames(&r)
			}
		}
	}
	return ""
}
