package lint

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// defaultedFields finds tests of the presence of a field to which the server gives a default before policies run: the
// validations that demand it by has() alone, and the conditions, validations and mutations for objects without it.
func defaultedFields(p *policy) {
	if len(p.mutations) == 0 && p.deniesNothing() {
		return
	}
	for _, c := range p.conditions {
		p.alwaysThere(c, absenceDemanded, codes.ConditionNeverTrue, "this condition is never true", p.webhookWords(neverMatches))
	}
	for _, v := range p.validations {
		p.alwaysThere(v.expression, presenceDemanded, codes.ValidationNeverFalse, "has() is always true", "A policy cannot see whether the author wrote the field. Compare its value instead.")
		p.alwaysThere(v.expression, absenceDemanded, codes.ValidationNeverTrue, "this validation is never true", "So the policy denies every such object. Compare the value of the field instead.")
	}
	for _, m := range p.mutations {
		p.alwaysThere(m, absenceChosen, codes.FixedResult, "has() is always true", "So what is meant for objects without the field never happens. Compare it with the default instead.")
	}
}

// alwaysThere reports the first test of an expression that asks for a field which the server always sets.
func (p *policy) alwaysThere(e expression, asks func(root, n *values.Node) bool, code, summary, detail string) {
	if e.read == nil || p.said(p.document, e.path) {
		return
	}
	for _, w := range p.worlds(nil) {
		found := false
		p.walk(w, e.read, func(n *values.Node, of func(*values.Node) *place) {
			if found || !isHas(n) || !asks(e.read.Root(), n) {
				return
			}
			in, name := presence(n, of)
			if in == nil || in.steps[0] != "object" || code == codes.ValidationNeverFalse && slices.Contains(p.paths(e.read), strings.Join(append(slices.Clone(in.steps), name), ".")) {
				return
			}
			if value := p.alwaysDefault(append(slices.Clone(in.steps[1:]), name)); value != nil {
				found = true
				out := p.report(p.document, code, diag.Warning, e.path, fmt.Sprintf("%s: the server sets %s to %v before policies run", summary, name, value), detail)
				p.within(out, p.document, e.path, n.Start, n.End)
			}
		})
		if found {
			return
		}
	}
}

// presenceDemanded reports whether a part has to be true for an expression to be true: for the object, or for each item of a list.
func presenceDemanded(root, n *values.Node) bool {
	for _, part := range operands(root, operators.LogicalAnd) {
		if part == n || isLoop(part, "all") && presenceDemanded(part.Children[2], n) {
			return true
		}
	}
	return false
}

// absenceDemanded reports whether a part has to be false for an expression to be true.
func absenceDemanded(root, n *values.Node) bool {
	return slices.ContainsFunc(operands(root, operators.LogicalAnd), func(part *values.Node) bool {
		return isNegated(part, n) || isLoop(part, "exists") && absenceDemanded(part.Children[2], n)
	})
}

func isNegated(part, n *values.Node) bool {
	return part.Kind == values.Call && part.Name == operators.LogicalNot && part.Children[0] == n
}

// absenceChosen reports whether a mutation is made only where a part is false: it chooses the items of a list by it, or
// changes nothing where it is true.
func absenceChosen(root, n *values.Node) bool {
	if isLoop(root, "filter") && absenceDemanded(root.Children[2], n) {
		return true
	}
	if root.Kind == values.Ternary {
		test := root.Children[0]
		if test == n && changesNothing(root.Children[1]) || absenceDemanded(test, n) && changesNothing(root.Children[2]) {
			return true
		}
	}
	return slices.ContainsFunc(root.Children, func(child *values.Node) bool { return absenceChosen(child, n) })
}

// changesNothing reports whether a part is an empty list of patches or an empty object.
func changesNothing(n *values.Node) bool {
	return (n.Kind == values.List || n.Kind == values.Struct) && len(n.Children) == 0
}

// alwaysDefault is the default of a field in all kinds that the policy matches, whatever the fields beside it are, or
// words for one that depends on them; nil where one has none.
func (p *policy) alwaysDefault(steps []string) (value any) {
	varies := false
	for _, w := range p.worlds(nil) {
		if w.Resource == nil || w.Loose || w.Sub != "" || w.Operation == "DELETE" {
			return nil
		}
		if value = p.defaultBeside(w, steps, nil); value == nil {
			return nil
		}
		in := w.Object.At(steps[:len(steps)-1]...)
		if in == nil {
			return nil
		}
		for _, f := range in.Fields() {
			example := exampleOf(f.Type)
			if example == nil || f.Name == steps[len(steps)-1] {
				continue
			}
			switch beside := p.defaultBeside(w, steps, map[string]any{f.Name: example}); {
			case beside == nil:
				return nil
			case !reflect.DeepEqual(beside, value):
				varies = true
			}
		}
	}
	if varies {
		return "a default"
	}
	return value
}

// exampleOf is a value of a type; nil for one that is no scalar.
func exampleOf(t *catalog.Type) any {
	switch {
	case t.Kind == catalog.Boolean:
		return true
	case t.Kind == catalog.Integer:
		return int64(1)
	case t.Kind == catalog.String && len(t.Enum) > 0:
		return t.Enum[0]
	case t.Kind == catalog.String:
		return "x"
	}
	return nil
}

// defaultBeside is the value that the server gives a field of an object that has nothing but the fields around it, and
// those beside it; nil for none.
func (p *policy) defaultBeside(w *outcomes.World, steps []string, beside map[string]any) any {
	gvk, ok := p.Catalog.KindFor(w.Resource.GVR, w.Sub)
	if !ok {
		return nil
	}
	return p.Catalog.DefaultAt(gvk, slices.DeleteFunc(slices.Clone(steps), func(step string) bool { return step == "*" }), beside)
}
