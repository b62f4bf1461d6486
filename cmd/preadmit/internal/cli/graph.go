package cli

import (
	"fmt"
	"io"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/graph"
)

// The -o formats for graphs; the first is Mermaid's.
var graphForms = []string{"graph", "graph=dot", "graph=json"}

// printGraph writes the dependencies of webhooks and policies, and what policies stop. It needs no
// request.
func (a *app) printGraph(in *input, r *report.Report, format string) error {
	if err := a.complain(in, r.Diagnostics); err != nil {
		return err
	}
	graphs := []struct {
		name  string
		graph *report.Graph
	}{{"webhooks", r.WebhookGraph}, {"policies", r.PolicyGraph}, {"stops", r.StopGraph}}
	out := map[string]*report.Graph{}
	for _, g := range graphs {
		if g.graph == nil {
			continue
		}
		out[g.name] = g.graph
		var err error
		switch format {
		case "graph":
			_, err = fmt.Fprintf(a.stdout, "%%%% %s\n%s", g.name, graph.Mermaid(g.graph))
		case "graph=dot":
			_, err = io.WriteString(a.stdout, graph.DOT(g.name, g.graph))
		}
		if err != nil {
			return fmt.Errorf("writing a graph: %w", err)
		}
	}
	if format == "graph=json" {
		return writeJSON(a.stdout, out)
	}
	if len(out) == 0 {
		fmt.Fprintln(a.stderr, "there is no graph: there is no webhook, no mutating policy and no policy that stops the cluster, or there are too many webhooks to compare")
	}
	return nil
}

// graphExit returns a graph's exit code. A graph does not need a request.
func graphExit(what string, r *report.Report) int {
	switch code := failOn(what, r); {
	case report.Wrong(r.Install, r.Diagnostics):
		return exitInput
	case what == failOnFindings && code == exitDenied:
		return code
	}
	return exitOK
}
