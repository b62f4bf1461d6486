// Package bootstrap finds webhooks that can keep a cluster from starting or from
// repairing itself: a webhook that intercepts its own start, two that
// wait for each other, and those that stop nodes and controllers
// (webhooks-bootstrapping). It also reports other risks in a
// webhook's configuration, and builds the dependency graph.
//
// Nothing is run. The rules, selectors and match conditions of each webhook are
// compared with the requests that kubelets and controllers make.
package bootstrap

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Input is a configuration to look at.
type Input struct {
	Version     version.Version
	Catalog     *catalog.Catalog
	Expressions *eval.Environments
	Evaluator   *eval.Evaluator
	Cluster     *cluster.Cluster
	Authorizer  authorizer.UnconditionalAuthorizer
	// Hooks are the webhooks in the order in which they run, mutating ones first.
	Hooks []*webhook.Hook
	// Documents are those of the policies and cluster texts, for places.
	Documents []*scenario.Document
}

// MaxWebhooks bounds the work: each webhook is compared with what each other one
// needs. More are not looked at.
const MaxWebhooks = 150

// everything is a selector that selects everything.
var everything = &metav1.LabelSelector{}

type checker struct {
	Input
	matcher  *match.Matcher
	hooks    []webhook.Facts
	backends []*backend
	of       []*backend // the backend of each hook, nil for one outside the cluster
	out      []diag.Diagnostic
	spent    int64 // by match conditions, in CEL cost units
	// matched are the rules by webhook and kind of request, as many probes differ
	// in names and labels only.
	matched map[matchKey]match.Result
	// urls are the webhooks at URLs that not every API server reaches.
	urls []byURL
}

// Check looks at all webhooks. The graph is nil when there is none.
func Check(in Input) ([]diag.Diagnostic, *report.Graph) {
	if len(in.Hooks) == 0 || len(in.Hooks) > MaxWebhooks {
		return nil, nil
	}
	var hooks []webhook.Facts
	for _, h := range in.Hooks {
		hooks = append(hooks, h.Facts())
	}
	c := newChecker(in, hooks)
	needs := c.check()
	c.toServices()
	return c.out, c.graph(needs)
}

func newChecker(in Input, hooks []webhook.Facts) *checker {
	c := &checker{Input: in, hooks: hooks, matcher: match.New(in.Version, in.Catalog, in.Cluster), matched: map[matchKey]match.Result{}}
	for i := range c.hooks {
		c.of = append(c.of, c.backendOf(&c.hooks[i]))
	}
	return c
}

// check reports what there is to report, and returns what waits for what.
func (c *checker) check() []dependency {
	for i := range c.hooks {
		h := &c.hooks[i]
		if h.FailsClosed {
			c.itself(h, c.of[i])
			c.stopsCluster(h, c.of[i])
		}
		c.alone(h, c.of[i])
	}
	c.timeouts()
	c.sameService()
	needs := c.dependencies()
	c.blockEachOther(needs)
	return needs
}

// report adds a diagnostic about a field of a webhook.
func (c *checker) report(h *webhook.Facts, code string, severity diag.Severity, path, summary, detail string) *diag.Diagnostic {
	d := diag.Diagnostic{Code: code, Severity: severity, Accepted: true, Path: path, Summary: summary, Detail: detail}
	if h.Document != nil {
		d.Text, d.Span, d.Document = h.Document.Text, h.Document.Locate(path), h.Kind+"/"+h.Configuration
	}
	c.out = append(c.out, d)
	return &c.out[len(c.out)-1]
}

// found are the requests of a list that a webhook intercepts.
type found struct {
	names  []string // what they are, without repetition
	rule   string   // the first rule that does it
	vital  bool
	sure   bool
	severe bool // something vital is intercepted for sure
	// namespaces are those of the requests that a namespaceSelector should leave out;
	// cluster are the resources of those that are in none, so that no namespaceSelector
	// does. server says that the API server's own EndpointSlice is among the requests,
	// which is in the namespace default, beside the objects of users.
	namespaces []string
	cluster    []string
	server     bool
}

func (c *checker) find(h *webhook.Facts, probes []probe) found {
	var sure, open found
	for i := range probes {
		p := &probes[i]
		d, rule := c.intercepts(h, p)
		if d == no {
			continue
		}
		f := &open
		if d == yes {
			f, f.sure = &sure, true
			sure.sure, sure.severe = true, sure.severe || p.vital
		}
		if f.rule == "" {
			f.rule = rule
		}
		f.vital = f.vital || p.vital
		f.add(p)
	}
	if sure.sure {
		return sure
	}
	return open
}

// itself finds a webhook that must be asked before it can be started.
func (c *checker) itself(h *webhook.Facts, b *backend) {
	if b == nil {
		return
	}
	f := c.find(h, b.needs())
	severity := f.severity(true)
	if severity == "" {
		return
	}
	summary := fmt.Sprintf("webhook %q intercepts requests that it needs to restart: %s", h.Name, list(f.names))
	detail := fmt.Sprintf("Its clientConfig names Service %s/%s, and failurePolicy is Fail. While none of its Pods answers, the server rejects these requests, so it cannot recover by itself. Exclude its own namespace with the namespaceSelector.", b.namespace, b.service)
	switch {
	case !f.sure:
		summary = fmt.Sprintf("webhook %q may intercept requests that it needs to restart: %s", h.Name, list(f.names))
		detail += " Unknown labels may already exclude it: add the Namespace and the Deployment to the cluster text to be sure."
	case !f.severe:
		summary = fmt.Sprintf("webhook %q intercepts requests that would repair it: %s", h.Name, list(f.names))
		detail = fmt.Sprintf("Its clientConfig names Service %s/%s, and failurePolicy is Fail. While none of its Pods answers, the server rejects these requests. Pods restart without them, but no new version can be rolled out. Exclude its own namespace with the namespaceSelector.", b.namespace, b.service)
	}
	d := c.report(h, codes.WebhookBlocksItself, severity, f.rule, summary, detail)
	d.Related = c.places(b)
	d.Fixes = exempt(h, b.namespace)
}

// stopsCluster finds a webhook that stops nodes or controllers when it is down.
func (c *checker) stopsCluster(h *webhook.Facts, b *backend) {
	f := c.find(h, c.controlPlane())
	severity := f.severity(b != nil)
	if severity == "" {
		return
	}
	verb, detail := "intercepts", "While it does not answer, failurePolicy Fail rejects these requests of the control plane and of nodes."
	if !f.sure {
		verb = "may intercept"
		detail += " Unknown labels may already exclude them."
	} else if f.severe && b != nil {
		detail += " Then nodes or controllers stop, and nothing restarts the webhook."
	}
	d := c.report(h, codes.WebhookBlocksControlPlane, severity, f.rule, fmt.Sprintf("webhook %q %s requests that keep the cluster alive: %s", h.Name, verb, list(f.names)),
		detail+f.advice())
	if len(f.cluster) == 0 && !f.server {
		d.Fixes = exempt(h, f.namespaces...)
	} else if !namesOnly(h.Match.Rules, f.cluster) {
		d.Fixes = f.unless(h)
	}
}

// severity is that of a webhook that intercepts what was found, which may be an error; empty where it is nothing to report.
func (f *found) severity(mayBeError bool) diag.Severity {
	switch {
	case len(f.names) == 0 || !f.sure && !f.vital:
		return ""
	case !f.sure:
		return diag.Info
	case f.severe && mayBeError:
		return diag.Error
	}
	return diag.Warning
}

func (f *found) add(p *probe) {
	if !slices.Contains(f.names, p.what) {
		f.names = append(f.names, p.what)
	}
	switch {
	case p.namespace == "":
		if !slices.Contains(f.cluster, p.resource.Resource) {
			f.cluster = append(f.cluster, p.resource.Resource)
		}
	case p.namespace == metav1.NamespaceDefault:
		f.server = true
	case !slices.Contains(f.namespaces, p.namespace):
		f.namespaces = append(f.namespaces, p.namespace)
	}
}

// list joins what is intercepted.
func list(names []string) string {
	const shown = 4
	if len(names) > shown+1 {
		return strings.Join(names[:shown], ", ") + fmt.Sprintf(", and %d more", len(names)-shown)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// ruleNames are the resources of a rule, for messages.
func ruleNames(r *v1.RuleWithOperations) string {
	return strings.Join(r.Resources, ", ")
}
