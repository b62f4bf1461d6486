package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// saysRemove are words of a policy whose label is meant to be removed first.
var saysRemove = lazy.Regexp{Text: `(?i)\b(remov|unset|clear|chang|set|add)\w*\b.*\blabel`}

// saysRemove reports whether a validation's message asks to change a label first.
func (v validation) saysRemove() bool {
	return saysRemove.MatchString(v.message) || v.messageExpression != nil && saysRemove.MatchString(v.messageExpression.text)
}

// mark is a label that decides whether a policy protects an object, and the place that says so. An annotation is often
// meant to be removed by who may update the object.
type mark struct {
	key      string
	document *scenario.Document
	path     string
}

// removableLabels finds policies that protect stored objects by a label which an update may remove before.
func removableLabels(p *policy) {
	if len(p.validations) == 0 || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) ||
		slices.ContainsFunc(p.validations, validation.saysRemove) {
		return
	}
	for _, operation := range []string{"UPDATE", "DELETE"} {
		worlds := slices.DeleteFunc(slices.Clone(p.worlds(nil)), func(w *outcomes.World) bool {
			return w.Operation != operation || w.Resource == nil || w.Sub != ""
		})
		if len(worlds) == 0 || operation == "UPDATE" && !p.comparesOld() {
			continue
		}
		for _, m := range p.marks() {
			if p.protects(worlds, m) && !slices.ContainsFunc(p.all, func(o *policy) bool { return o.keeps(worlds, m) }) {
				p.reportRemovable(m, operation)
				return
			}
		}
	}
}

func (p *policy) reportRemovable(m mark, operation string) {
	severity, what := diag.Warning, "the change"
	if operation == "DELETE" {
		what = "the deletion"
		if !slices.ContainsFunc(p.worlds(nil), func(w *outcomes.World) bool { return w.Operation == "UPDATE" }) {
			severity = diag.Info // a second step may be the intention
		}
	}
	p.report(m.document, codes.LabelRemovable, severity, m.path, fmt.Sprintf("an update may remove the label %s, and then nothing denies %s", m.key, what),
		"The policy protects an object only while it has the label. Deny updates that remove or change it, or select by namespace.")
}

// comparesOld reports whether a validation compares an object with what it was.
func (p *policy) comparesOld() bool {
	return slices.ContainsFunc(p.validations, func(v validation) bool {
		return v.read != nil && slices.Contains(p.reads(v.read), "oldObject")
	})
}

// marks are the labels that selectors demand, and those that match conditions read.
func (p *policy) marks() []mark {
	var out []mark
	for key, r := range requirements(p.match.ObjectSelector) {
		if r.Exists {
			out = append(out, mark{key, p.document, p.matchField + "objectSelector"})
		}
	}
	for _, b := range p.bindings {
		if b.match == nil || len(p.bindings) > 1 {
			continue
		}
		for key, r := range requirements(b.match.ObjectSelector) {
			if r.Exists {
				out = append(out, mark{key, b.document, "spec.matchResources.objectSelector"})
			}
		}
	}
	for _, e := range p.conditions {
		if e.read == nil {
			continue
		}
		for _, path := range p.paths(e.read) {
			_, path, _ = strings.Cut(strings.ReplaceAll(path, "has ", ""), ".metadata.")
			if key, ok := strings.CutPrefix(path, "labels."); ok {
				out = append(out, mark{key, p.document, e.path})
			}
		}
	}
	slices.SortFunc(out, func(a, b mark) int { return strings.Compare(a.path+a.key, b.path+b.key) })
	return out
}

// protects reports whether the policy is proved to admit all objects without a label, and may deny one with it.
func (p *policy) protects(worlds []*outcomes.World, m mark) bool {
	selected := strings.HasSuffix(m.path, "objectSelector")
	never := selected || p.explore(marked(worlds, "labels", m.key, outcomes.TextSet{Missing: true}, outcomes.TextSet{Missing: true}), func(r *outcomes.Run) bool { return !p.deniesIn(r) })
	return never && !p.explore(marked(worlds, "labels", m.key, outcomes.TextSet{Exists: true}, outcomes.TextSet{Exists: true}), func(r *outcomes.Run) bool { return !p.deniesIn(r) })
}

// deniesIn reports whether the policy denies in a case.
func (p *policy) deniesIn(r *outcomes.Run) bool {
	return holdAll(r, p.conditions) && slices.ContainsFunc(p.validations, func(v validation) bool { return r.Outcome(v.read) != outcomes.True })
}

// keeps reports whether a policy about updates of the same objects is about the label, and so may keep it; a webhook may
// do anything.
func (p *policy) keeps(of []*outcomes.World, m mark) bool {
	updates := slices.ContainsFunc(of, func(w *outcomes.World) bool {
		return p.matchedBy(target{operation: "UPDATE", resource: w.Resource}, p.match.ResourceRules)
	})
	return updates && (p.webhook || slices.ContainsFunc(p.validations, func(v validation) bool {
		return v.path != m.path && v.read != nil && (slices.Contains(p.fields(v.read), m.key) || slices.Contains(p.paths(v.read), "oldObject.metadata.labels"))
	}))
}

// replacedLabels finds validations that deny another value of a label or annotation, but not its removal, after which
// an update sets any value.
func replacedLabels(p *policy) {
	worlds := slices.DeleteFunc(slices.Clone(p.worlds(nil)), func(w *outcomes.World) bool {
		return w.Operation != "UPDATE" || w.Sub != ""
	})
	if len(worlds) == 0 || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	for _, v := range p.validations {
		if v.read == nil || v.saysRemove() || p.said(p.document, v.path) {
			continue
		}
		paths := p.paths(v.read)
		for _, path := range paths {
			list, key, ok := strings.Cut(strings.TrimPrefix(path, "object.metadata."), ".")
			m := mark{key, p.document, v.path}
			if !ok || list != "labels" && list != "annotations" || !slices.Contains(paths, "old"+strings.ToUpper(path[:1])+path[1:]) ||
				slices.ContainsFunc(p.all, func(o *policy) bool { return o.keeps(worlds, m) }) {
				continue
			}
			there, missing, may := outcomes.TextSet{Exists: true}, outcomes.TextSet{Missing: true}, false
			passes := p.passes(marked(worlds, list, key, there, missing), v) && p.passes(marked(worlds, list, key, missing, there), v)
			proof := p.proof()
			p.explore(marked(worlds, list, key, there, there), func(r *outcomes.Run) bool {
				may = may || holdAll(r, p.conditions) && r.Outcome(v.read) == outcomes.False
				return !may
			})
			if !passes || !may {
				continue
			}
			out := p.report(p.document, codes.LabelRemovable, diag.Warning, v.path, fmt.Sprintf("an update may remove %s, and the next one may set another value", key),
				"Deny the removal, too: compare wherever the old object has it."+proof)
			p.within(out, p.document, v.path, v.read.Root().Start, v.read.Root().End)
			return
		}
	}
}

// passes reports whether a validation is proved to deny nothing: it is true somewhere and never false, or the policy does
// not match.
func (p *policy) passes(worlds []*outcomes.World, v validation) bool {
	var seen outcomes.Outcome
	all := p.explore(worlds, func(r *outcomes.Run) bool {
		if holdAll(r, p.conditions) {
			seen |= r.Outcome(v.read)
		}
		return seen&outcomes.False == 0
	})
	return all && (seen == 0 || seen&outcomes.True != 0)
}

// marked are worlds in which a label of object and oldObject is known to be there or not.
func marked(worlds []*outcomes.World, list, key string, object, old outcomes.TextSet) []*outcomes.World {
	var out []*outcomes.World
	for _, w := range worlds {
		next := *w
		next.Texts = maps.Clone(w.Texts)
		next.Texts["object.metadata."+list+"."+key], next.Texts["oldObject.metadata."+list+"."+key] = object, old
		out = append(out, &next)
	}
	return out
}
