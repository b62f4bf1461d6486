package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// defaultedFields finds validations that demand a field by has() alone, where the server gives the field a default
// before policies run.
func defaultedFields(p *policy) {
	if p.webhook || p.deniesNothing() {
		return
	}
	for _, v := range p.validations {
		if v.read == nil || p.said(p.document, v.path) {
			continue
		}
		for _, w := range p.worlds(nil) {
			found := false
			p.walk(w, v.read, func(n *values.Node, of func(*values.Node) *place) {
				if found || !isHas(n) || !demanded(v.read.Root(), n) {
					return
				}
				in, name := presence(n, of)
				if in == nil || in.steps[0] != "object" || slices.Contains(p.paths(v.read), strings.Join(append(slices.Clone(in.steps), name), ".")) {
					return
				}
				if value := p.alwaysDefault(append(slices.Clone(in.steps[1:]), name)); value != nil {
					found = true
					out := p.report(p.document, codes.ValidationNeverFalse, diag.Warning, v.path, fmt.Sprintf("has() is always true: the server sets %s to %v before policies run", name, value),
						"A policy cannot see whether the author wrote the field. Compare its value instead.")
					p.within(out, p.document, v.path, n.Start, n.End)
				}
			})
			if found {
				return
			}
		}
	}
}

// demanded reports whether a part has to be true for an expression to be true: for the object, or for each item of a list.
func demanded(root, n *values.Node) bool {
	for _, part := range operands(root, "_&&_") {
		if part == n || isLoop(part, "all") && demanded(part.Children[2], n) {
			return true
		}
	}
	return false
}

// alwaysDefault is the default of a field in all kinds that the policy matches, whatever the fields beside it are; nil
// where one has none.
func (p *policy) alwaysDefault(steps []string) (value any) {
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
			if example := exampleOf(f.Type); example != nil && f.Name != steps[len(steps)-1] && p.defaultBeside(w, steps, map[string]any{f.Name: example}) == nil {
				return nil
			}
		}
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
