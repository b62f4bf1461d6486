package bootstrap

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	klabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/kube/clientaddress"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file makes the repairs that write a Service in place of a URL. A webhook that
// is called in the cluster can block itself and others, which one outside it cannot;
// so each repair is tried, and offered only where nothing worse is found with it.

// byURL is a webhook at a URL that not every API server reaches.
type byURL struct {
	hook *webhook.Facts
	at   int // its diagnostic, in checker.out
	url  *url.URL
}

// reference is a Service that may take the place of a URL.
type reference struct {
	namespace, name string
	path            string
	port            int32 // of the Service
	target          int32 // of its Pods
	// fill is what is left for the reader to fill in: "name and path"; made says that
	// the names are made up.
	fill string
	made bool
}

// title is that of the repair.
func (r *reference) title(add bool) string {
	title := fmt.Sprintf("Write the Service %s/%s", r.namespace, r.name)
	if r.made {
		title = "Write a Service"
	}
	if add {
		title += " and add it to the cluster"
	}
	if r.fill != "" {
		title += ", its " + r.fill + " to fill in"
	}
	return title
}

// What is tried is bounded: each repair runs all checks anew.
const (
	maxURLs     = 8 // webhooks whose URL gets a repair
	maxServices = 3 // Services that are offered for one URL
)

// toServices adds the repairs to the diagnostics about URLs.
func (c *checker) toServices() {
	for _, u := range c.urls[:min(len(c.urls), maxURLs)] {
		if u.hook.Document == nil {
			continue
		}
		for _, r := range c.references(u) {
			c.out[u.at].Fixes = append(c.out[u.at].Fixes, c.toService(u.hook, r)...)
		}
	}
}

// references are the Services that a URL may mean: the one whose name in the DNS of the
// cluster it has (NAME.NAMESPACE.svc), else those with its port, else one to fill in.
func (c *checker) references(u byURL) []reference {
	port := int32(defaultTLSPort)
	if given, err := strconv.ParseInt(u.url.Port(), 10, 32); err == nil {
		port = int32(given)
	}
	if len(clientaddress.Port(nil, port)) > 0 {
		return nil
	}
	at, fill := strings.TrimSuffix(u.url.Path, "/"), ""
	if len(clientaddress.Path(nil, at)) > 0 { // a URL may have it, and the server rejects it at a Service
		at, fill = "", "path"
	}
	if names := strings.Split(u.url.Hostname(), "."); len(names) > 2 && names[2] == "svc" && names[0] != "" && names[1] != "" {
		return []reference{{namespace: names[1], name: names[0], path: at, port: port, target: port, fill: fill}}
	}
	var out []reference
	for _, s := range c.Cluster.List(schema.GroupKind{Kind: "Service"}, "", klabels.Everything()) {
		if its := servicePort(s.Value, int64(port)); its != 0 && len(out) < maxServices {
			out = append(out, reference{namespace: s.Namespace, name: s.Name, path: at, port: int32(its), fill: fill})
		}
	}
	if len(out) > 0 {
		return out
	}
	if fill != "" {
		fill = " and " + fill
	}
	return []reference{{namespace: c.newNamespace(), name: serviceName(u.hook.Name), path: at, port: defaultTLSPort, target: port, fill: "name" + fill, made: true}}
}

// defaultTLSPort is that of https, and of a Service reference without a port.
const defaultTLSPort = 443

// servicePort is the port of a Service behind which Pods listen on a port, or which is
// that port itself; 0 for none.
func servicePort(service map[string]any, port int64) int64 {
	if len(stringsAt(service, "spec", "selector")) == 0 || untyped.At[any](service, "spec", "clusterIP") == "None" || untyped.At[any](service, "spec", "type") == "ExternalName" {
		return 0 // the server cannot call it, or no text says what answers
	}
	list := untyped.At[[]any](service, "spec", "ports")
	for _, p := range list {
		entry, _ := p.(map[string]any)
		its, _ := entry["port"].(int64)
		if target, ok := entry["targetPort"].(int64); its == port || ok && target == port {
			return its
		}
	}
	return 0
}

// newNamespace is a name for a namespace of webhooks that the texts do not have.
func (c *checker) newNamespace() string {
	name := "webhooks"
	for i := 2; slices.Contains(c.Cluster.Namespaces(), name); i++ {
		name = fmt.Sprintf("webhooks-%d", i)
	}
	return name
}

// serviceName is a name for the Service of a webhook: labels.example.com is called by
// labels-webhook. Names of Services begin with a letter.
func serviceName(hook string) string {
	label, _, _ := strings.Cut(hook, ".")
	if label == "" || label[0] < 'a' || label[0] > 'z' || len(label) > 50 {
		return "webhook"
	}
	return label + "-webhook"
}

// toService is the repair that calls a Service, nil where it cannot be written or would
// make things worse. What a complete cluster has not yet is added to it, and where the
// webhook would intercept what it needs to start, its namespace is left out.
func (c *checker) toService(h *webhook.Facts, r reference) []diag.Fix {
	path := fieldpath.Parse(h.Path).Child("clientConfig").Child("url").String()
	renamed, named := h.Document.Rename(path, "service")
	rewritten, written := h.Document.Rewrite(path, r.yaml())
	if !named || !written {
		return nil
	}
	edits := []diag.Edit{renamed, rewritten}
	documents, in := c.added(r)
	moved := *h
	moved.Client = v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: r.namespace, Name: r.name, Port: &r.port}}
	tried := c.try(in, h, moved)
	if tried.blocksItself(h) {
		left := exempt(h, r.namespace)
		if left == nil {
			return nil
		}
		edits = append(edits, left[0].Edits...)
		moved.Match.NamespaceSelector = leavingOut(h.Match.NamespaceSelector, r.namespace)
		tried = c.try(in, h, moved)
	}
	if !tried.better(c) {
		return nil
	}
	if documents != "" {
		edits = append(edits, scenario.AtEnd(diag.Cluster, c.clusterText(), documents))
	}
	return []diag.Fix{{Title: r.title(documents != ""), Edits: edits, Draft: r.fill != ""}}
}

// yaml is the reference as it is written, on one line.
func (r *reference) yaml() string {
	service := "{namespace: " + inFlow(r.namespace) + ", name: " + inFlow(r.name)
	if r.path != "" {
		service += ", path: " + inFlow(r.path)
	}
	if r.port != defaultTLSPort {
		service += fmt.Sprintf(", port: %d", r.port)
	}
	return service + "}"
}

// inFlow is a string as YAML between brackets, in quotes where it needs them.
func inFlow(s string) string {
	var list []any
	if err := yaml.Unmarshal([]byte("["+s+"]"), &list); err == nil && len(list) == 1 && list[0] == s {
		return s
	}
	return strconv.Quote(s)
}

// added are the documents that a complete cluster lacks for a Service to be called, and
// the cluster with them.
func (c *checker) added(r reference) (documents string, in *cluster.Cluster) {
	in = c.Cluster
	_, exists := in.Get(schema.GroupKind{Kind: "Service"}, r.namespace, r.name)
	if exists || !in.ListsNamespaces() {
		return "", in
	}
	core := schema.GroupVersion{Version: "v1"}
	if !in.HasNamespace(r.namespace) {
		documents = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + r.namespace + "\n---\n"
		in = in.With(cluster.Object{GVK: core.WithKind("Namespace"), Name: r.namespace, Builtin: true, Value: map[string]any{
			"metadata": map[string]any{"name": r.namespace, "labels": map[string]any{nameLabel: r.namespace}}}})
	}
	documents += fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata:\n  name: %[2]s\n  namespace: %[1]s\nspec:\n  selector: {app: %[2]s}\n  ports:\n  - {port: %[3]d, targetPort: %[4]d}\n",
		r.namespace, r.name, r.port, r.target)
	in = in.With(cluster.Object{GVK: core.WithKind("Service"), Namespace: r.namespace, Name: r.name, Builtin: true, Value: map[string]any{
		"metadata": map[string]any{"name": r.name, "namespace": r.namespace},
		"spec":     map[string]any{"selector": map[string]any{"app": r.name}, "ports": []any{map[string]any{"port": int64(r.port)}}}}})
	return documents, in
}

// clusterText is the text of the cluster, as far as a document shows it.
func (c *checker) clusterText() string {
	for _, d := range c.Documents {
		if d.Text == diag.Cluster {
			return d.Source()
		}
	}
	return ""
}

// try runs the checks with another cluster, and a webhook in the place of one.
func (c *checker) try(in *cluster.Cluster, h *webhook.Facts, moved webhook.Facts) *checker {
	hooks := slices.Clone(c.hooks)
	for i := range c.hooks {
		if &c.hooks[i] == h {
			hooks[i] = moved
		}
	}
	input := c.Input
	input.Cluster = in
	tried := newChecker(input, hooks)
	tried.spent, tried.matched = c.spent, c.matched
	tried.check()
	c.spent = tried.spent
	return tried
}

// leavingOut is a selector that also leaves out a namespace.
func leavingOut(s *metav1.LabelSelector, namespace string) *metav1.LabelSelector {
	out := &metav1.LabelSelector{}
	if s != nil {
		out = s.DeepCopy()
	}
	out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: nameLabel, Operator: metav1.LabelSelectorOpNotIn, Values: []string{namespace}})
	return out
}

// blocksItself reports whether a webhook is found to intercept what it needs to start.
func (c *checker) blocksItself(h *webhook.Facts) bool {
	return slices.ContainsFunc(c.out, func(d diag.Diagnostic) bool {
		return d.Code == codes.WebhookBlocksItself && d.Document == h.Kind+"/"+h.Configuration && strings.HasPrefix(d.Path, h.Path+".")
	})
}

// better reports whether there are fewer problems than before, and no more errors.
func (c *checker) better(before *checker) bool {
	errors, all := c.problems()
	errorsBefore, allBefore := before.problems()
	return errors <= errorsBefore && all < allBefore
}

// problems counts what was found: errors, and errors and warnings.
func (c *checker) problems() (errors, all int) {
	for _, d := range c.out {
		switch d.Severity {
		case diag.Error:
			errors, all = errors+1, all+1
		case diag.Warning:
			all++
		}
	}
	return errors, all
}
