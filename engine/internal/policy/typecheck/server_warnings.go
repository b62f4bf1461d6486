package typecheck

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Warning is an entry of status.typeChecking.expressionWarnings.
type Warning struct {
	FieldRef string
	Warning  string

	// problems are those of all kinds, and first is the kind of the first of them.
	problems []*cel.Error
	first    schema.GroupVersionKind
}

// ServerWarnings are those that kube-controller-manager writes into the status
// of a ValidatingAdmissionPolicy (semantics §10): for its validations and their
// messages only. Types of the object are called after their kind; the server
// adds a random number to that. Other kinds of documents have none.
func ServerWarnings(doc map[string]any, cat *catalog.Catalog, checker *check.Checker) ([]Warning, error) {
	if doc["kind"] != "ValidatingAdmissionPolicy" {
		return nil, nil
	}
	views, kinds := serverViews(doc, cat)
	for i := range views {
		variables, err := checker.Variables(model.Variables(doc), views[i])
		if err != nil {
			return nil, err
		}
		views[i].Variables = variables
	}
	var out []Warning
	for _, e := range model.Expressions(doc) {
		if !e.Place.TypeChecked {
			continue
		}
		w := Warning{FieldRef: e.Path}
		var texts []string
		for i, view := range views {
			result, err := checker.Check(e.Text, view)
			if err != nil {
				return nil, err
			}
			if result.Issues == nil {
				continue
			}
			if len(w.problems) == 0 {
				w.first = kinds[i]
			}
			w.problems = append(w.problems, result.Issues.Errors()...)
			text := strings.NewReplacer("<object>", kinds[i].Kind, "<params>", paramName(doc)).Replace(result.Issues.String())
			texts = append(texts, fmt.Sprintf("%v: %s\n", kinds[i], text))
		}
		if w.Warning = strings.Join(texts, "\n"); len(texts) > 0 {
			out = append(out, w)
		}
	}
	return out, nil
}

func paramName(doc map[string]any) string {
	gvk, _ := model.ParamKind(doc)
	return gvk.Kind
}

// serverViews are what the type checker's compiler sees, one for each kind that
// the policy names and the server serves.
func serverViews(doc map[string]any, cat *catalog.Catalog) ([]check.View, []schema.GroupVersionKind) {
	params, hasParams := model.ParamKind(doc)
	view := check.View{Style: check.Server, Scope: eval.Scope{Params: hasParams, Authorizer: true, Variables: true}}
	view.Params, _ = cat.TypeOf(params)
	var views []check.View
	var kinds []schema.GroupVersionKind
	for _, gvk := range model.Kinds(cat, model.Rules(doc, -1), check.Server) {
		if t, ok := cat.TypeOf(gvk); ok {
			view.Object = t
			views, kinds = append(views, view), append(kinds, gvk)
		}
	}
	return views, kinds
}
