package assumptions

import (
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Existing says that the cluster text has what the request would create.
func Existing(e *evaluate.Evaluation) {
	a := &e.Initial
	resource, known := e.Catalog.ResourceFor(a.Resource)
	if e.Cluster.Complete() || a.Operation != request.Create || a.SubResource != "" || !known || resource.GVK != a.Kind || a.Name == "" {
		return
	}
	namespace := ""
	if resource.Namespaced {
		namespace = a.Namespace
	}
	if _, exists := e.Cluster.Get(a.Kind.GroupKind(), namespace, a.Name); exists {
		e.Chain.NotSimulated(fmt.Sprintf("The scenario's cluster has %s %s already. Preadmit creates it as if it did not exist; a server that admits it answers 409 AlreadyExists.", a.Kind.Kind, a.Name))
	}
}

// MissingNamespace reports a request in a namespace that the cluster text does not have,
// although it has others. The Namespace is assumed to exist, unless the text is complete: then
// the server rejects what needs it. A captured request shows that the namespace exists, so it is
// reported only where something asked for it.
func MissingNamespace(e *evaluate.Evaluation) {
	name := e.Initial.Namespace
	if name == "" || e.Initial.Kind.GroupKind() == untyped.Namespace.GroupKind() {
		return
	}
	complete := e.Cluster.Complete()
	if slices.Contains(e.Cluster.Namespaces(), name) || !complete && (e.Form.Captured || !e.Cluster.ListsNamespaces()) || e.Form.Captured && !askedForNamespace(e) {
		return
	}
	severity, detail := diag.Info, "It is assumed to exist, with no label but kubernetes.io/metadata.name."
	if complete {
		severity, detail = diag.Warning, "The cluster is complete (options.completeCluster), so the Namespace does not exist."
	}
	d := diag.Diagnostic{Code: codes.MissingNamespace, Severity: severity, Text: diag.Cluster,
		Summary: fmt.Sprintf("the scenario's cluster has no Namespace %s, which the request is in", name),
		Detail:  detail,
		Fixes:   []diag.Fix{compile.AddToCluster(e.Scenario.Cluster, "Add Namespace "+name, namespaceDocument(name))}}
	for _, doc := range e.Parsed(diag.Request) {
		for _, prefix := range []string{"", "object.", "oldObject.", "request.object.", "request.oldObject.", "request."} {
			for _, path := range []string{prefix + "metadata.namespace", prefix + "namespace"} {
				if at := doc.Locate(path); doc.Has(path) && d.Text != diag.Request && e.Scenario.Request[at.Start:at.End] == name {
					d.Text, d.Span, d.Path, d.Document = diag.Request, at, path, doc.Kind+"/"+doc.Name
				}
			}
		}
	}
	if near, ok := suggest.Of(e.Cluster.Namespaces(), name); ok && d.Text == diag.Request {
		d.Fixes = append(d.Fixes, diag.Fix{Title: "Change to namespace " + near, Edits: []diag.Edit{{Text: diag.Request, Span: d.Span, New: near}}})
	}
	e.Diagnose([]diag.Diagnostic{d})
}

// askedForNamespace reports whether a plugin, a selector or an expression looked for
// the Namespace of the request.
func askedForNamespace(e *evaluate.Evaluation) bool {
	return e.Chain.MissingNamespace || slices.ContainsFunc(e.Report.Steps, func(s report.Step) bool {
		return slices.ContainsFunc([]*report.Match{s.Match, s.BindingMatch}, func(m *report.Match) bool {
			return m != nil && slices.ContainsFunc(m.Tests, func(t report.MatchTest) bool { return t.Kind == "namespaceSelector" && t.Error != "" })
		})
	})
}

func namespaceDocument(name string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n"
}
