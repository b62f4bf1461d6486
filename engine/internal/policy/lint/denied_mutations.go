package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// write is a field that a mutation sets to a constant, or removes.
type write struct {
	steps   []string
	value   any
	removes bool
	in      expression
	at      *values.Node
}

// key is the name of the written field as outcomes have it.
func (w *write) key() string { return "object." + strings.Join(w.steps, ".") }

// deniedMutations finds validations that deny every object in which a mutating policy has written a constant.
func deniedMutations(p *policy) {
	if len(p.validations) == 0 || !slices.ContainsFunc(p.bindings, binding.denies) || p.paramKind != nil {
		return
	}
	for _, m := range p.all {
		if len(m.mutations) == 0 || len(m.bindings) == 0 || p.apart(m) {
			continue
		}
		for _, w := range m.writes() {
			if p.reportDenied(m, &w) {
				break
			}
		}
	}
}

// reportDenied reports the first validation that denies what a mutation writes.
func (p *policy) reportDenied(m *policy, w *write) bool {
	sets := func(o *policy) bool {
		return o != m && len(o.mutations) > 0 && slices.ContainsFunc(o.writes(), func(other write) bool { return other.key() == w.key() })
	}
	if slices.ContainsFunc(p.all, sets) {
		return false
	}
	worlds := p.mutated(m, w)
	conditions := slices.Clone(p.conditions)
	for _, c := range m.conditions {
		if c.read != nil && !slices.Contains(m.reads(c.read), "variables") && !m.touches(c, w) {
			conditions = append(conditions, c)
		}
	}
	for _, v := range p.validations {
		if v.read == nil || p.said(p.document, v.path) || !p.touches(v.expression, w) || p.pairs >= mostPairs {
			continue
		}
		p.pairs++
		seen := p.seen(worlds, conditions, v.expression)
		if seen&trueAndFalse != outcomes.False {
			continue
		}
		proof := p.proof()
		if before := p.seen(p.mutated(m, nil), conditions, v.expression); before != 0 && before&outcomes.True == 0 {
			continue // it denies all objects by itself
		}
		p.sayDenied(m, w, v, proof)
		return true
	}
	return false
}

func (p *policy) sayDenied(m *policy, w *write, v validation, proof string) {
	what := fmt.Sprintf("sets %s to %v", strings.Join(w.steps, "."), w.value)
	if w.removes {
		what = "removes " + strings.Join(w.steps, ".")
	}
	out := p.report(p.document, codes.ValidationBrokenByMutation, diag.Warning, v.path, fmt.Sprintf("this validation denies what policy %s makes of the object: it %s", m.document.Name, what),
		"The server validates the mutated object. Correct the mutation, or the validation."+proof)
	if out.Code != "" {
		span := m.document.Locate(w.in.path)
		if s, ok := m.document.Scalar(w.in.path); ok {
			span = s.SpanOfRunes(w.at.Start, w.at.End)
		}
		out.Related = []diag.Related{{Text: m.document.Text, Span: span, Path: w.in.path, Summary: "the mutation"}}
	}
}

// apart reports whether the selectors of two policies exclude each other, or leave out objects by name.
func (p *policy) apart(m *policy) bool {
	var namespaces, objects []*metav1.LabelSelector
	for _, o := range []*policy{p, m} {
		namespaces, objects = append(namespaces, o.match.NamespaceSelector), append(objects, o.match.ObjectSelector)
		if len(o.match.ExcludeResourceRules) > 0 || slices.ContainsFunc(o.match.ResourceRules, func(r v1.NamedRuleWithOperations) bool { return len(r.ResourceNames) > 0 }) {
			return true
		}
		if b := o.bindings[0].match; b != nil {
			namespaces, objects = append(namespaces, b.NamespaceSelector), append(objects, b.ObjectSelector)
		}
	}
	return contradiction(namespaces...) != "" || contradiction(objects...) != ""
}

// mutated are the requests that both policies match, after a mutation; without one before it.
func (p *policy) mutated(m *policy, w *write) []*outcomes.World {
	worlds := p.worldsOf(&binding{match: &v1.MatchResources{ResourceRules: m.match.ResourceRules}})
	worlds = slices.DeleteFunc(worlds, func(world *outcomes.World) bool {
		return world.Resource == nil || world.Sub != "" || world.Operation != "CREATE" && world.Operation != "UPDATE" || w != nil && !written(world.Object, w.steps)
	})
	for _, world := range worlds {
		if w == nil {
			continue
		}
		if w.removes {
			world.Texts[w.key()] = outcomes.TextSet{Missing: true}
			continue
		}
		delete(world.Texts, w.key())
		world.Known = map[string]any{w.key(): w.value}
	}
	return worlds
}

// written reports whether steps lead to one field of an object, and not through a list.
func written(t *catalog.Type, steps []string) bool {
	for i := range steps {
		if of := t.At(steps[:i]...); of == nil || of.Kind != catalog.Struct && of.Kind != catalog.Map {
			return false
		}
	}
	return t.At(steps...) != nil
}

// touches reports whether an expression reads a written field, or asks for it.
func (p *policy) touches(e expression, w *write) bool {
	return slices.ContainsFunc(p.paths(e.read), func(path string) bool {
		path = strings.ReplaceAll(path, "has ", "")
		return path == w.key() || strings.HasPrefix(w.key(), path+".") && path != "object" && path != "object.metadata" && path != "object.spec"
	})
}

// writes are the constants that the policy's mutations write, at any place where an expression may return them.
func (p *policy) writes() []write {
	var out []write
	for _, e := range p.mutations {
		if e.read == nil {
			continue
		}
		for _, n := range e.read.Nodes() {
			if n.Kind != values.Struct || n.Expr == nil || n.Expr.Kind() != ast.StructKind {
				continue
			}
			fields, name := structFields(n), n.Expr.AsStruct().TypeName()
			add := func(steps []string, of ast.Expr) {
				for _, w := range constants(steps, of) {
					w.in, w.at = e, n
					out = append(out, w)
				}
			}
			if pointer, ok := literalValue(fields["path"]).(string); ok && strings.HasSuffix(name, "JSONPatch") {
				steps := strings.Split(strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(pointer, "/")), "/")
				switch literalValue(fields["op"]) {
				case "add", "replace":
					add(steps, fields["value"])
				case "remove":
					out = append(out, write{steps: steps, removes: true, in: e, at: n})
				}
				continue
			}
			if below, ok := strings.CutPrefix(name, "Object"); ok {
				steps := strings.FieldsFunc(below, func(r rune) bool { return r == '.' })
				for field, of := range fields {
					add(append(slices.Clone(steps), field), of)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b write) int { return strings.Compare(a.key(), b.key()) })
	return out
}

// constants are the scalars in a literal, those of a map by its keys. Types in it are looked at for themselves.
func constants(steps []string, of ast.Expr) []write {
	switch v := literalValue(of).(type) {
	case string, bool, int64:
		return []write{{steps: steps, value: v}}
	}
	if of == nil || of.Kind() != ast.MapKind {
		return nil
	}
	var out []write
	for _, entry := range of.AsMap().Entries() {
		if key, ok := literalValue(entry.AsMapEntry().Key()).(string); ok {
			out = append(out, constants(append(slices.Clone(steps), key), entry.AsMapEntry().Value())...)
		}
	}
	return out
}
