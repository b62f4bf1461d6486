// Package outcomes finds the results that an expression can have. It evaluates the expression for
// every case that it distinguishes: a field is present or missing, equals a constant or is above or
// below it, a function returns true or false.
//
// It errs on one side only: a part that it does not understand may have any result, independent of
// the others. So no request causes a result that it does not find, but a result that it finds may
// be impossible.
package outcomes

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Outcome is a set of a condition's results.
type Outcome uint8

// The single outcomes. Value is a result other than true and false, such as a message.
const (
	True Outcome = 1 << iota
	False
	Failed
	Value
)

// Expression is an expression that can be explored.
type Expression struct {
	tree *values.Tree
	text []rune
}

// Read prepares a compiled expression. It returns nil for one that did not compile.
func Read(c *eval.Compiled) *Expression {
	if c == nil || c.AST == nil {
		return nil
	}
	return &Expression{tree: values.Parse(c.Expression, c.AST.NativeRep()), text: []rune(c.Expression)}
}

// Nodes are all parts of the expression, parents before their children.
func (e *Expression) Nodes() []*values.Node { return e.tree.Nodes }

// Root is the tree of the expression.
func (e *Expression) Root() *values.Node { return e.tree.Root }

// World is what all explored requests have in common. The zero value knows nothing.
type World struct {
	// Operation is the requests' operation; empty if unknown.
	Operation string
	// Resource is the requests' resource, Sub its subresource; nil if unknown.
	Resource *catalog.Resource
	Sub      string
	// Object is the type of object and oldObject, Params that of params; nil if unknown.
	Object, Params *catalog.Type
	// Metadata is the type of the metadata of every object.
	Metadata *catalog.Type
	// Loose reports whether a value may have another type than its field declares.
	Loose bool
	// Variables are those of the policy, nil for one that did not compile.
	Variables map[string]*Expression
	// Texts has the known values of strings, by their fields' keys.
	Texts map[string]TextSet
	// Known are the values of fields that are there, scalars, by their keys.
	Known map[string]any
}

// TextSet restricts a string's values.
type TextSet struct {
	In    []string // one of these; nil is any
	NotIn []string // none of these
	// Exists and Missing report whether the field is always present, or never.
	Exists, Missing bool
}

// Run is one of the explored cases.
type Run struct {
	world  *World
	levels []*level
	steps  *int
}

// level holds a case's choices: level 0 those about the request, each loop's level those about its
// items.
type level struct {
	trail       []choice
	next        int
	facts       map[string]*facts
	chosen      map[string]int
	paths       map[string][]string
	quantifiers map[string][]quantified
}

// choice is a point at which cases differ.
type choice struct {
	options []int
	at      int
}

// tooMany ends an exploration.
type tooMany struct{}

// Explore calls body for every case, until body returns false. It reports whether it reached all
// cases within the given number of steps.
func Explore(w *World, steps int, body func(*Run) bool) (all bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooMany); !ok {
				panic(r)
			}
			all = false
		}
	}()
	r := &Run{world: w, steps: &steps}
	all = true
	r.each(func() bool {
		all = body(r)
		return all
	})
	return all
}

// each calls body for every combination of the choices at a new level, until it is false.
func (r *Run) each(body func() bool) {
	l := &level{}
	r.levels = append(r.levels, l)
	depth := len(r.levels)
	defer func() { r.levels = r.levels[:depth-1] }()
	for {
		l.begin()
		if !body() || !l.advance() {
			return
		}
	}
}

func (l *level) begin() {
	l.next, l.facts, l.chosen, l.paths, l.quantifiers = 0, map[string]*facts{}, map[string]int{}, map[string][]string{}, map[string][]quantified{}
}

// advance goes on to the next case.
func (l *level) advance() bool {
	for n := len(l.trail); n > 0; n-- {
		last := &l.trail[n-1]
		if last.at++; last.at < len(last.options) {
			l.trail = l.trail[:n]
			return true
		}
	}
	return false
}

// pick makes a choice that no earlier one decides.
func (r *Run) pick(at int, options ...int) int {
	if *r.steps--; *r.steps < 0 {
		panic(tooMany{})
	}
	if len(options) == 1 {
		return options[0]
	}
	l := r.levels[at]
	if l.next == len(l.trail) {
		l.trail = append(l.trail, choice{options: slices.Clone(options)})
	}
	c := l.trail[l.next]
	l.next++
	return c.options[c.at]
}

// choose is pick for what has a name, and so the same answer wherever it is asked.
func (r *Run) choose(at int, name string, options ...int) int {
	l := r.levels[at]
	if known, ok := l.chosen[name]; ok {
		return known
	}
	picked := r.pick(at, options...)
	l.chosen[name] = picked
	return picked
}

// Outcome is the result of an expression in this case.
func (r *Run) Outcome(e *Expression) Outcome {
	if e == nil {
		return Outcome(r.pick(0, int(True), int(False), int(Failed)))
	}
	switch v := r.eval(e, e.tree.Root, nil); v.kind {
	case failed:
		return Failed
	case boolean:
		return truth(v.b)
	case unknown:
		if v.shape != boolShape && v.shape != anyShape {
			return Value
		}
		return r.condition(v)
	}
	return Value
}

// Succeeds reports whether an expression whose result is no condition has one in this case.
func (r *Run) Succeeds(e *Expression) bool {
	if e == nil {
		return r.pick(0, 0, 1) == 1
	}
	return r.eval(e, e.tree.Root, nil).kind != failed
}

// Missing is the field whose absence makes an expression fail in this case, as its path; empty for other causes.
func (r *Run) Missing(e *Expression) string {
	if v := r.eval(e, e.tree.Root, nil); v.kind == failed {
		return v.key
	}
	return ""
}

// Text is the text that an expression gives in this case, if that is the same for all requests
// of the case.
func (r *Run) Text(e *Expression) (string, bool) {
	if e == nil {
		return "", false
	}
	v := r.eval(e, e.tree.Root, nil)
	return v.s, v.kind == text
}

func truth(b bool) Outcome {
	if b {
		return True
	}
	return False
}

// condition decides a value that is used as a condition.
func (r *Run) condition(v value) Outcome {
	switch {
	case v.kind == boolean:
		return truth(v.b)
	case v.kind != unknown:
		return Failed
	case v.shape != boolShape && v.shape != anyShape:
		return Failed
	}
	f := r.facts(v)
	options := []int{}
	for _, want := range []bool{true, false} {
		if f.allows(value{kind: boolean, b: want}) {
			options = append(options, int(truth(want)))
		}
	}
	if v.shape == anyShape && f.shape != boolShape {
		options = append(options, int(Failed))
	}
	if len(options) == 0 {
		return Failed
	}
	picked := Outcome(r.pick(v.level, options...))
	if picked == Failed {
		f.not = append(f.not, boolShape)
		return Failed
	}
	f.shape, f.equal = boolShape, &value{kind: boolean, b: picked == True}
	return picked
}
