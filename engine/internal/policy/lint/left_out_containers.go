package lint

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// leftOutContainers finds validations of the rights or images of containers that leave out init containers.
func leftOutContainers(p *policy) {
	if p.mentions("initContainers") && !slices.ContainsFunc(p.loops(), func(l loop) bool { return l.over("initContainers") }) {
		return // it is about them in another way
	}
	p.leftOut("initContainers", func(l loop) {
		severity := diag.Warning
		if !slices.ContainsFunc(l.fields, isSecurityField) {
			severity = diag.Info // who may choose an image has no other rights
		}
		out := p.report(p.document, codes.ContainersLeftOut, severity, l.in.path, "initContainers are not checked, so they bypass this validation",
			"An init container has the same rights on the node, and its image runs there too. Test both lists. Ephemeral containers come by pods/ephemeralcontainers.")
		p.within(out, p.document, l.in.path, l.list.Start, l.list.End)
		if out.Code == "" {
			return
		}
		if rule := p.podRule(); rule >= 0 && !p.mentions("ephemeralContainers") && !slices.Contains(l.fields, "ports") {
			out.Fixes = p.withEphemeral(rule, l, "initContainers", "ephemeralContainers") // the next finding would be about those
		} else {
			out.Fixes = p.withLists(l, "initContainers")
		}
	})
}

// loop is a macro over a list of containers.
type loop struct {
	in     expression
	macro  *values.Node
	list   *values.Node
	lists  []string // of containers, initContainers and ephemeralContainers
	fields []string // that the macro reads of a container, by their last names
	// origins says that a field is compared by more than its end or a part, so that an image may be one of a registry.
	origins bool
}

func (l loop) over(list string) bool { return slices.Contains(l.lists, list) }

var containerLists = []string{"containers", "initContainers", "ephemeralContainers"}

// loops are the macros of the policy that read fields of containers.
func (p *policy) loops() []loop {
	if p.containerLoops != nil {
		return *p.containerLoops
	}
	out := []loop{}
	for _, e := range p.evaluated() {
		if e.read == nil {
			continue
		}
		p.eachBelow(e.read.Root(), func(n *values.Node) {
			if n.Kind != values.Macro || len(n.Children) < 3 || n.Children[1].Kind != values.Declared {
				return
			}
			l := loop{in: e, macro: n, list: n.Children[0]}
			p.eachBelow(l.list, func(part *values.Node) {
				if slices.Contains(containerLists, fieldOf(part)) && !l.over(fieldOf(part)) {
					l.lists = append(l.lists, fieldOf(part))
				}
			})
			for _, body := range n.Children[2:] {
				p.eachBelow(body, func(part *values.Node) {
					if name := fieldOf(part); name != "" && !slices.Contains(l.fields, name) {
						l.fields = append(l.fields, name)
					}
					if part.Kind == values.Call && part.Name != "endsWith" && part.Name != "contains" && slices.ContainsFunc(part.Children, func(of *values.Node) bool { return fieldOf(of) != "" }) {
						l.origins = true
					}
				})
			}
			if len(l.lists) > 0 {
				out = append(out, l)
			}
		})
	}
	p.containerLoops = &out
	return out
}

// fieldOf is the field that a part selects, also with .? and in has(); empty for another part.
func fieldOf(n *values.Node) string {
	switch {
	case n.Kind == values.Select:
		return n.Name
	case n.Kind == values.Macro && n.Name == "has" && n.Expr != nil && n.Expr.Kind() == ast.SelectKind:
		return n.Expr.AsSelect().FieldName()
	}
	return ""
}

// leftOut calls found for the first validation that tests the rights or the images of containers, where no loop of
// this policy, or of another one for the same requests, tests the same of another list.
func (p *policy) leftOut(list string, found func(loop)) {
	others := slices.DeleteFunc(slices.Clone(p.all), func(o *policy) bool { return o != p && !p.sharesRequests(o, list) })
	done := false
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if done || n.Kind != values.Macro || n.Name != "all" && n.Name != "exists" || len(n.Children) != 3 || !slices.ContainsFunc(p.validations, func(v validation) bool { return v.path == e.path }) {
			return false
		}
		i := slices.IndexFunc(p.loops(), func(l loop) bool { return l.macro == n })
		at := of(n.Children[0])
		if i < 0 || at == nil || at.typ == nil || at.steps[0] != "object" || at.typ.Elem == nil || !strings.HasSuffix(at.typ.Elem.ID, ".Container") {
			return false
		}
		l := p.loops()[i]
		if !l.over("containers") || l.over(list) || !l.consequent() {
			return true
		}
		for _, o := range others {
			if slices.ContainsFunc(o.loops(), func(other loop) bool { return other.over(list) && other.tests(l) }) || o != p && o.mentions(list) && o.testsAny(l.decisive()) {
				return true
			}
		}
		done = true
		found(l)
		return true
	})
}

// consequent reports whether a loop is about the rights of containers, or only about where their images come from.
// One that tells containers apart by their images is about something else, and one about tags is no barrier.
func (l loop) consequent() bool {
	return slices.ContainsFunc(l.fields, isSecurityField) || slices.Equal(l.fields, []string{"image"}) && l.origins
}

// decisive are the fields of a loop without those that they are in.
func (l loop) decisive() []string {
	return slices.DeleteFunc(slices.Clone(l.fields), func(name string) bool { return name == "securityContext" || name == "capabilities" })
}

// tests reports whether a loop reads one of the fields that another one decides by.
func (l loop) tests(other loop) bool {
	return slices.ContainsFunc(other.decisive(), func(name string) bool { return slices.Contains(l.fields, name) })
}

// sharesRequests reports whether another policy may check a list of containers of the same objects.
func (p *policy) sharesRequests(o *policy, list string) bool {
	return o.mentions(list) && slices.ContainsFunc(o.targets(o.match.ResourceRules), func(t target) bool { return p.matchedBy(t, p.match.ResourceRules) })
}

// withLists are the fixes that add lists to what a loop goes over, in the expression or in the variable that it
// loops over. The type checker knows three types of containers: dyn() lets it add their lists.
func (p *policy) withLists(l loop, lists ...string) []diag.Fix {
	e, of := l.in, l.list
	for of.Kind == values.Select && of.Children[0].Kind == values.Ident && of.Children[0].Name == "variables" {
		i := slices.IndexFunc(p.variables, func(v variable) bool { return v.name == of.Name })
		if i < 0 || p.variables[i].read == nil {
			return nil
		}
		e, of = p.variables[i].expression, p.variables[i].read.Root()
	}
	source := []rune(e.text)
	text := string(source[of.Start:of.End])
	end := strings.LastIndex(text, ".containers")
	if end < 0 || strings.Count(text, ".containers") > 1 {
		return nil
	}
	base := text[strings.LastIndexAny(text[:end], " ([,")+1 : end]
	added := text
	for _, list := range lists {
		added += " + dyn(" + base + ".?" + list + ".orValue([]))"
	}
	inBrackets := of.Start > 0 && of.End < len(source) && source[of.Start-1] == '(' && source[of.End] == ')'
	if !inBrackets && (of.Start > 0 || of.End < len(source)) {
		added = "(" + added + ")"
	}
	return p.rewritten(p.document, e.path, of.Start, of.End, added)
}

// testsAny reports whether a validation reads a field with one of the names.
func (p *policy) testsAny(names []string) bool {
	return slices.ContainsFunc(p.validations, func(v validation) bool {
		return slices.ContainsFunc(p.fields(v.read), func(name string) bool { return slices.Contains(names, name) })
	})
}

// mentions reports whether an expression that the server evaluates has a word in it.
func (p *policy) mentions(word string) bool {
	return slices.ContainsFunc(p.evaluated(), func(e expression) bool { return strings.Contains(e.text, word) })
}
