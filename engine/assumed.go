package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/report"
)

// assumptions lists what the steps of a report rest on although no text says it.
// The fixes add to the cluster text.
func assumptions(r *report.Report, cluster string) []report.Assumption {
	a := assumed{cluster: cluster}
	for i := range r.Steps {
		s := &r.Steps[i]
		for _, m := range []*report.Match{s.Match, s.BindingMatch} {
			if m == nil {
				continue
			}
			for _, t := range m.Tests {
				if t.Assumed {
					a.namespace(r.Request.Namespace, i, t)
				}
			}
		}
		if s.Called && !s.Simulated && s.Status == report.Evaluated {
			a.answer(s.Webhook, i)
		}
	}
	return a.list
}

type assumed struct {
	cluster string
	list    []report.Assumption
}

// namespace is a Namespace whose labels a selector asked for.
func (a *assumed) namespace(name string, step int, t report.MatchTest) {
	entry := a.entry("Namespace "+name+" without labels", "the scenario's cluster does not have it, and a namespaceSelector asks for its labels", step)
	a.fix(entry, "Add Namespace "+name, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: "+name+"\n")
	if key, value, ok := strings.Cut(t.Wants, "="); ok && !t.Matched {
		a.fix(entry, "Add Namespace "+name+" with label "+t.Wants,
			fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n  labels:\n    %s: %q\n", name, key, value))
	}
}

// answer is what a webhook says that nothing answers for.
func (a *assumed) answer(name string, step int) {
	entry := a.entry("webhook "+name+" allows the request unchanged", "the scenario's cluster has no WebhookResponse for it", step)
	a.fix(entry, "Add a WebhookResponse", fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\nspec:\n  allowed: true\n", webhook.ResponseAPIVersion, webhook.ResponseKind, name))
}

// entry finds or adds an assumption, and notes that a step rests on it.
func (a *assumed) entry(what, why string, step int) *report.Assumption {
	i := slices.IndexFunc(a.list, func(x report.Assumption) bool { return x.What == what })
	if i < 0 {
		i = len(a.list)
		a.list = append(a.list, report.Assumption{What: what, Why: why})
	}
	if entry := &a.list[i]; !slices.Contains(entry.Steps, step) {
		entry.Steps = append(entry.Steps, step)
	}
	return &a.list[i]
}

// fix adds a document to the end of the cluster text.
func (a *assumed) fix(entry *report.Assumption, title, document string) {
	if slices.ContainsFunc(entry.Fixes, func(f diag.Fix) bool { return f.Title == title }) {
		return
	}
	entry.Fixes = append(entry.Fixes, a.document(title, document))
}

// document is the fix that adds a document to the end of the cluster text.
func (a *assumed) document(title, document string) diag.Fix {
	if strings.TrimSpace(a.cluster) != "" {
		if document = "---\n" + document; !strings.HasSuffix(a.cluster, "\n") {
			document = "\n" + document
		}
	}
	end := diag.Span{Start: len(a.cluster), End: len(a.cluster)}
	return diag.Fix{Title: title, Edits: []diag.Edit{{Text: diag.Cluster, Span: end, New: document}}}
}
