package completion

import (
	"slices"

	"github.com/google/cel-go/common/decls"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Function is an entry of the reference of CEL: a function or macro that a new policy of
// one version may use.
type Function struct {
	Name string `json:"name"` // as it is written: "lists.range"
	Area string `json:"area"` // the heading that it belongs under
	// Signature has the parameters, those that may be left out in brackets, and the
	// type of the result: "(start[, end]) → string". A macro has no result type.
	Signature string `json:"signature"`
	Doc       string `json:"doc"`  // what it does, in a sentence or two
	Cost      string `json:"cost"` // what it costs, in words
	// Since is the first version that accepts it in a new policy; empty where every
	// version does that can be simulated.
	Since string `json:"since,omitempty"`
	// Example is an expression that uses it, Context the place where that is possible:
	// empty for any, or one of scenario.ExpressionContexts.
	Example string `json:"example"`
	Context string `json:"context,omitempty"`
	// Apply is a call to insert, with ${name} for places to fill in. It lacks the value
	// and the dot where Method is true.
	Apply  string `json:"apply"`
	Method bool   `json:"method,omitempty"`
}

// Functions are those that a new policy of the completer's version may use, by areas, in
// the order in which they are read.
func (c *Completer) Functions() ([]Function, error) {
	env, err := c.checker.Env(check.View{Scope: eval.Scope{Authorizer: true, Patch: true}})
	if err != nil {
		return nil, err
	}
	declared := env.Functions()
	q := &query{Completer: c}
	var out []Function
	for _, h := range functions() {
		f := Function{Name: h.name, Area: h.area, Example: h.example, Since: sinceOf(h.name), Doc: h.doc, Cost: h.cost}
		if h.area == "Patches" {
			f.Context = scenario.MutationContext
		}
		if h.isMacro() {
			if c.version.Before(version.FunctionSince(h.name)) {
				continue
			}
			f.Signature, f.Apply, f.Method = "("+h.params+")", h.body, h.name != "has"
			out = append(out, f)
			continue
		}
		d, ok := declared[h.name]
		if !ok {
			continue
		}
		item, ok := q.functionItem(h.name, d.OverloadDecls(), d)
		if !ok {
			continue
		}
		f.Signature, f.Apply, f.Method = item.Detail, item.Apply, onlyMethod(d.OverloadDecls())
		out = append(out, f)
	}
	return out, nil
}

func onlyMethod(overloads []*decls.OverloadDecl) bool {
	return !slices.ContainsFunc(overloads, func(o *decls.OverloadDecl) bool { return !o.IsMemberFunction() })
}

func sinceOf(name string) string {
	since := version.FunctionSince(name)
	if since == (version.Version{}) {
		return ""
	}
	return since.String()
}
