package noeffect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// selectors reports a namespaceSelector that let a cluster-scoped object pass, and an
// objectSelector that no CONNECT request can match.
func (r *Run) selectors(m *report.Match, doc *scenario.Document) {
	if m == nil {
		return
	}
	for _, t := range m.Tests {
		written, _ := fieldpath.Parse(t.Path).Get(doc.Value)
		if selector, _ := written.(map[string]any); len(selector) == 0 {
			continue
		}
		switch {
		case t.Kind == "namespaceSelector" && m.Matched && r.Initial.Namespace == "":
			r.clusterScoped(doc, t.Path, m.Path)
		case t.Kind == "objectSelector" && !t.Matched && len(t.Labels) == 0 && t.Error == "" && r.Initial.Operation == "CONNECT":
			r.connect(doc, t.Path)
		}
	}
}

// clusterScoped reports a selector that the server does not apply to what is in no namespace.
func (r *Run) clusterScoped(doc *scenario.Document, path, rule string) {
	resource := r.Initial.Resource.Resource
	fields := fieldpath.As[map[string]any](fieldpath.Parse(rule).Get(doc.Value))
	var f diag.Fix
	if holder := fieldpath.Parse(path).Parent(); rule == "" { // of a binding, which takes the rules of its policy
		edit, ok := doc.Insert(holder.String(), "resourceRules",
			`[{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"], scope: Namespaced}]`)
		f = fix("Match namespaced resources only: scope: Namespaced", edit, ok)
	} else if list := untyped.Strings(fields, "resources"); len(list) > 1 || slices.ContainsFunc(list, func(name string) bool { return strings.HasPrefix(name, "*") }) {
		edit, ok := doc.Put(rule, "scope", "Namespaced")
		f = fix("Match namespaced resources only: scope: Namespaced", edit, ok)
	} else {
		edit, ok := doc.Remove(path)
		f = fix("Remove the namespaceSelector", edit, ok)
	}
	r.add(doc, codes.SelectorNotApplied, path, doc.LocateKey(path),
		fmt.Sprintf("the namespaceSelector does not apply to %s, which are in no namespace", resource),
		"The server ignores the namespaceSelector for cluster-scoped objects. Only a rule's scope and resources, and match conditions, exclude them.", f)
}

// connect reports a selector by labels that are not part of a CONNECT request.
func (r *Run) connect(doc *scenario.Document, path string) {
	resource := r.Initial.Resource.Resource + "/" + r.Initial.SubResource
	edit, ok := doc.Remove(path)
	r.add(doc, codes.SelectorNotApplied, path, doc.LocateKey(path),
		"the objectSelector never matches a CONNECT request: "+strings.TrimSuffix(resource, "/")+" carries options without labels",
		"The server does not read the labels of the object behind the connection. Select by namespaceSelector, or by match conditions on request.name and request.userInfo.",
		fix("Remove the objectSelector", edit, ok))
}
