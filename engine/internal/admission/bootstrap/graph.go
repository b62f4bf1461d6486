package bootstrap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// dependency says that a webhook is called before the Pods of a backend start.
type dependency struct {
	backend int // index in checker.backends
	hook    int // index in checker.hooks
	decision
	what []string
	rule string
}

// dependencies are those of every backend on every webhook.
func (c *checker) dependencies() []dependency {
	var out []dependency
	for i, b := range c.backends {
		for j := range c.hooks {
			d := dependency{backend: i, hook: j}
			for _, p := range b.needs() {
				if !p.vital {
					continue
				}
				got, rule := c.intercepts(&c.hooks[j], &p)
				if got == no || got < d.decision {
					continue
				}
				if got > d.decision {
					d.decision, d.rule, d.what = got, rule, nil
				}
				if !slices.Contains(d.what, p.what) {
					d.what = append(d.what, p.what)
				}
			}
			if d.decision != no {
				out = append(out, d)
			}
		}
	}
	return out
}

// waits are the surest dependencies of one backend, by its index, on another: the
// first does not start while the second is down.
type waits map[[2]int]dependency

func (c *checker) waits(needs []dependency) waits {
	out := waits{}
	for _, d := range needs {
		on := slices.Index(c.backends, c.of[d.hook])
		if on < 0 || !c.hooks[d.hook].FailsClosed {
			continue
		}
		if key := [2]int{d.backend, on}; d.decision > out[key].decision {
			out[key] = d
		}
	}
	return out
}

// maxCircles is how many circles are reported.
const maxCircles = 10

// blockEachOther finds webhooks that wait for each other in a circle.
func (c *checker) blockEachOther(needs []dependency) {
	reported := map[string]bool{}
	w := c.waits(needs)
	for a := range c.backends {
		for _, sure := range []decision{yes, unsure} {
			circle := c.circle(w, a, sure)
			if len(circle) < 2 || len(reported) >= maxCircles {
				continue
			}
			if key := c.key(circle); !reported[key] {
				reported[key] = true
				c.reportCircle(w, circle, sure)
			}
			break
		}
	}
}

// circle is the shortest way from a backend over others back to itself, nil when
// there is none.
func (c *checker) circle(w waits, start int, sure decision) []int {
	type way []int
	queue := []way{{start}}
	seen := map[int]bool{}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for next := range c.backends {
			d, ok := w[[2]int{at[len(at)-1], next}]
			if !ok || d.decision < sure || next == at[len(at)-1] {
				continue
			}
			if next == start {
				return at
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, append(slices.Clone(at), next))
			}
		}
	}
	return nil
}

// key is the same for a circle wherever it is begun.
func (c *checker) key(circle []int) string {
	sorted := slices.Sorted(slices.Values(circle))
	return fmt.Sprint(sorted)
}

func (c *checker) reportCircle(w waits, circle []int, sure decision) {
	var steps []string
	var related []diag.Related
	first := w[[2]int{circle[0], circle[1]}]
	for i, a := range circle {
		d := w[[2]int{a, circle[(i+1)%len(circle)]}]
		h := &c.hooks[d.hook]
		steps = append(steps, fmt.Sprintf("the Pods of %s/%s need webhook %q (%s)", c.backends[a].namespace, c.backends[a].service, h.Name, list(d.what)))
		if h.Document != nil && i > 0 {
			related = append(related, diag.Related{Text: h.Document.Text, Span: h.Document.Locate(d.rule), Path: d.rule, Summary: fmt.Sprintf("webhook %q intercepts %s", h.Name, list(d.what))})
		}
	}
	h := &c.hooks[first.hook]
	severity, verb := diag.Error, "wait"
	if sure != yes {
		severity, verb = diag.Info, "may wait"
	}
	d := c.report(h, codes.WebhooksBlockEachOther, severity, first.rule,
		fmt.Sprintf("webhooks %s for each other: %s", verb, strings.Join(steps, ", and ")),
		"When all of them are down at once, as after a failure of the whole cluster, none can start. Exclude the webhooks' namespaces from all of them, for example with a label such as runlevel.")
	d.Related = related
	d.Fixes = exempt(h, c.backends[circle[0]].namespace)
}

// graph is what depends on what: configurations, their webhooks, Services, Pods,
// and the webhooks that intercept those.
func (c *checker) graph(needs []dependency) *report.Graph {
	g := &grapher{checker: c, Graph: &report.Graph{Nodes: []report.GraphNode{}, Edges: []report.GraphEdge{}}}
	for i := range c.hooks {
		g.hook(&c.hooks[i], c.of[i])
	}
	for i, d := range needs {
		if i < maxInterceptions {
			pods, h := g.pods(c.backends[d.backend]), &c.hooks[d.hook]
			g.edge(report.GraphEdge{From: pods, To: hookID(h), Kind: "intercepts", Label: strings.Join(d.what, "\n"), Open: !h.FailsClosed, Unsure: d.decision == unsure})
		}
	}
	g.markCycles()
	return g.Graph
}

// maxInterceptions is how many of its edges the graph has; with more nobody can
// read it.
const maxInterceptions = 500

type grapher struct {
	*checker
	*report.Graph
}

func hookID(h *webhook.Facts) string {
	return "webhook/" + h.Kind + "/" + h.Configuration + "/" + h.Path
}

func (g *grapher) node(n report.GraphNode) string {
	if !slices.ContainsFunc(g.Nodes, func(o report.GraphNode) bool { return o.ID == n.ID }) {
		g.Nodes = append(g.Nodes, n)
	}
	return n.ID
}

func (g *grapher) edge(e report.GraphEdge) {
	if !slices.ContainsFunc(g.Edges, func(o report.GraphEdge) bool { return o.From == e.From && o.To == e.To && o.Kind == e.Kind }) {
		g.Edges = append(g.Edges, e)
	}
}

func (g *grapher) hook(h *webhook.Facts, b *backend) {
	configuration := report.GraphNode{ID: h.Kind + "/" + h.Configuration, Kind: "configuration", Label: h.Configuration}
	hook := report.GraphNode{ID: hookID(h), Kind: "webhook", Label: h.Name}
	if h.Document != nil {
		configuration.Text, configuration.Span = h.Document.Text, h.Document.Locate("metadata.name")
		hook.Text, hook.Span = h.Document.Text, h.Document.Locate(h.Path+".name")
	}
	g.edge(report.GraphEdge{From: g.node(configuration), To: g.node(hook), Kind: "has"})
	target := report.GraphNode{Kind: "url"}
	if b == nil {
		if h.Client.URL == nil {
			return
		}
		target.ID, target.Label = "url/"+*h.Client.URL, *h.Client.URL
	} else {
		target = report.GraphNode{ID: "service/" + b.namespace + "/" + b.service, Kind: "service", Label: "Service " + b.namespace + "/" + b.service}
		if d := g.document("Service", b.namespace, b.service); d != nil {
			target.Text, target.Span = d.Text, d.Locate("metadata.name")
		}
	}
	g.edge(report.GraphEdge{From: hook.ID, To: g.node(target), Kind: "calls", Open: !h.FailsClosed})
	if b != nil {
		g.edge(report.GraphEdge{From: target.ID, To: g.pods(b), Kind: "selects"})
	}
}

// pods is the node of the Pods of a backend.
func (g *grapher) pods(b *backend) string {
	n := report.GraphNode{ID: "pods/" + b.namespace + "/" + b.service, Kind: "pods", Label: "Pods of Service " + b.namespace + "/" + b.service}
	if b.kind != "" {
		n.ID, n.Label = "pods/"+b.namespace+"/"+b.kind+"/"+b.name, "Pods of "+b.kind+" "+b.namespace+"/"+b.name
		if d := g.document(b.kind, b.namespace, b.name); d != nil {
			n.Text, n.Span = d.Text, d.Locate("metadata.name")
		}
	}
	return g.node(n)
}

// markCycles marks what lies on a way back to itself, over webhooks that fail
// closed.
func (g *grapher) markCycles() {
	next := map[string][]string{}
	for _, e := range g.Edges {
		if !e.Open {
			next[e.From] = append(next[e.From], e.To)
		}
	}
	reaches := map[string]map[string]bool{}
	for _, n := range g.Nodes {
		reached := map[string]bool{}
		queue := slices.Clone(next[n.ID])
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			if !reached[at] {
				reached[at] = true
				queue = append(queue, next[at]...)
			}
		}
		reaches[n.ID] = reached
	}
	for i := range g.Nodes {
		g.Nodes[i].Cycle = reaches[g.Nodes[i].ID][g.Nodes[i].ID]
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		e.Cycle = !e.Open && reaches[e.To][e.From] || e.From == e.To
	}
}
