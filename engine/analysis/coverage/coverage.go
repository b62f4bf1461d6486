// Package coverage reports which policy expressions, and which of their parts,
// a set of requests ran, and with which results. No test covers a condition
// that was never false.
//
// It reads reports, and needs the values of parts in them (engine.Options.Explain).
package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Coverage collects what reports say about the expressions of one text of policies.
type Coverage struct {
	expressions []*Expression
	known       map[key]*Expression
}

// key is what an expression is found by.
type key struct{ kind, name, path string }

// Expression is one expression of a policy or webhook configuration.
type Expression struct {
	// Kind and Name are those of the document, Path the field: that of the report.
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
	// Expression is the text, and Span where it is among the policies.
	Expression string    `json:"expression"`
	Span       diag.Span `json:"span"`
	// Runs counts how often it ran; True, False and Errors how it ended. One that gives
	// no truth has neither True nor False.
	Runs   int `json:"runs"`
	True   int `json:"true"`
	False  int `json:"false"`
	Errors int `json:"errors"`
	// IsBool says that it gives a truth, as far as a run has shown.
	IsBool bool `json:"isBool"`
	// Parts are those that give a truth, or that a run may leave out, by their place.
	Parts []*Part `json:"parts,omitempty"`
}

// Part is a part of an expression.
type Part struct {
	// Start and End are rune offsets in the expression; Text is that part of it.
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
	// Span is its place among the policies.
	Span diag.Span `json:"span"`
	// Ran says that any run came to it; True and False that it was that once.
	Ran   bool `json:"ran"`
	True  bool `json:"true"`
	False bool `json:"false"`
	// IsBool says that it gives a truth, as far as a run has shown.
	IsBool bool `json:"isBool"`
	// Sampled says that it ran in a loop of which the report has not every value, so
	// that True and False may have happened although they are not set.
	Sampled bool `json:"sampled,omitempty"`
}

// Of lists the expressions of the policies of a scenario; none of them has run.
func Of(policies string) *Coverage {
	c := &Coverage{known: map[key]*Expression{}}
	documents, _ := scenario.ParseDocuments(diag.Policies, policies) // the report has what is wrong
	for _, d := range documents {
		for _, e := range model.Expressions(d.Value) {
			k := key{d.Kind, d.Name, e.Path}
			if c.known[k] != nil {
				continue // two documents of one name: the server has one
			}
			c.known[k] = &Expression{Kind: d.Kind, Name: d.Name, Path: e.Path, Expression: e.Text, Span: d.Locate(e.Path)}
			c.expressions = append(c.expressions, c.known[k])
		}
	}
	slices.SortStableFunc(c.expressions, func(a, b *Expression) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return c
}

// Resume goes on where Expressions of the same policies stopped. Others count for nothing.
func Resume(policies string, former []*Expression) *Coverage {
	c := Of(policies)
	for i, x := range c.expressions {
		if i >= len(former) || former[i] == nil {
			break
		}
		if f := former[i]; f.Kind == x.Kind && f.Name == x.Name && f.Path == x.Path && f.Expression == x.Expression && f.Span == x.Span {
			*x = *f
		}
	}
	return c
}

// Expressions are all expressions, in the order of the text.
func (c *Coverage) Expressions() []*Expression { return c.expressions }

// Add counts what one report shows.
func (c *Coverage) Add(r *report.Report) {
	for i := range r.Steps {
		s := &r.Steps[i]
		name := cmp.Or(s.Policy, s.Configuration)
		add := func(list ...report.Evaluation) {
			for j := range list {
				c.run(key{s.Kind, name, list[j].Path}, &list[j])
			}
		}
		add(s.Conditions...)
		add(s.Variables...)
		add(s.AuditAnnotations...)
		for _, m := range s.Mutations {
			add(m.Evaluation)
			add(m.Variables...)
		}
		for _, v := range s.Validations {
			add(v.Evaluation)
			if v.MessageExpression != nil {
				add(*v.MessageExpression)
			}
		}
	}
}

func (c *Coverage) run(k key, e *report.Evaluation) {
	x := c.known[k]
	if x == nil || !e.Evaluated {
		return
	}
	x.Runs++
	if e.Error != "" {
		x.Errors++
	}
	if truth, ok := e.Result.(bool); ok {
		x.IsBool = true
		if truth {
			x.True++
		} else {
			x.False++
		}
	}
	whole := [2]int{0, len([]rune(e.Expression))}
	for i := range e.Children {
		x.part(&e.Children[i], nil, whole)
	}
}

// part takes over one part and those below it. What is below a part that never ran
// never ran either, and is not listed: the part itself says so.
func (x *Expression) part(n, above *report.Node, whole [2]int) {
	if n.Kind == "declared" {
		return
	}
	optional := above != nil && (above.Kind == "logical" || above.Kind == "ternary" || above.Kind == "macro" && above.Name != "has")
	negated := above != nil && above.Name == "!_" // the opposite of what is above says the same
	isBool := n.Type == "bool" && n.Kind != "literal" && !negated
	if (isBool || optional && n.Kind != "literal") && [2]int{n.Start, n.End} != whole {
		x.at(n).saw(n, isBool)
	}
	if !n.Evaluated {
		return
	}
	for i := range n.Children {
		x.part(&n.Children[i], n, whole)
	}
}

func (x *Expression) at(n *report.Node) *Part {
	i, found := slices.BinarySearchFunc(x.Parts, n, func(p *Part, n *report.Node) int {
		return cmp.Or(cmp.Compare(p.Start, n.Start), cmp.Compare(n.End, p.End)) // the longer one first
	})
	if !found {
		runes := []rune(x.Expression)
		text := ""
		if n.Start <= n.End && n.End <= len(runes) {
			text = string(runes[n.Start:n.End])
		}
		x.Parts = slices.Insert(x.Parts, i, &Part{Start: n.Start, End: n.End, Text: text, Span: n.Span})
	}
	return x.Parts[i]
}

func (p *Part) saw(n *report.Node, isBool bool) {
	p.Ran = p.Ran || n.Evaluated
	if !isBool {
		return
	}
	p.IsBool = true
	for _, v := range append(slices.Clone(n.Values), n.Value) {
		switch v {
		case true:
			p.True = true
		case false:
			p.False = true
		}
	}
	p.Sampled = p.Sampled || n.Cut || len(n.Values) > 0 && n.Count > len(n.Values)
}

// Gap is something that no request has shown.
type Gap struct {
	// Expression is where it is; Part is nil when it is about all of it.
	Expression *Expression `json:"-"`
	Part       *Part       `json:"-"`
	// What is "never ran", "never true" or "never false".
	What string `json:"what"`
}

// String says it in a sentence about the text of the part.
func (g Gap) String() string {
	text := g.Expression.Expression
	if g.Part != nil {
		text = g.Part.Text
	}
	what := g.What
	if g.Part != nil && g.Part.Sampled && what != NeverRan {
		what += ", judging by the recorded values of its loop"
	}
	return fmt.Sprintf("%s: %s", strings.Join(strings.Fields(text), " "), what)
}

// What a gap may be.
const (
	NeverRan   = "never ran"
	NeverTrue  = "never true"
	NeverFalse = "never false"
)

// Gaps are what no request has shown of an expression. One that never ran has one gap.
func (x *Expression) Gaps() []Gap {
	if x.Runs == 0 {
		return []Gap{{x, nil, NeverRan}}
	}
	var gaps []Gap
	truth := func(p *Part, isBool, was, wasNot bool) {
		if isBool && !was {
			gaps = append(gaps, Gap{x, p, NeverTrue})
		}
		if isBool && !wasNot {
			gaps = append(gaps, Gap{x, p, NeverFalse})
		}
	}
	truth(nil, x.IsBool, x.True > 0, x.False > 0)
	for _, p := range x.Parts {
		if !p.Ran {
			gaps = append(gaps, Gap{x, p, NeverRan})
			continue
		}
		truth(p, p.IsBool, p.True, p.False)
	}
	return gaps
}

// Targets is how many things there are to show of an expression: that it runs, and,
// where it or a part gives a truth, that it is true and that it is false. What a part
// that never ran would show is one thing.
func (x *Expression) Targets() int {
	if x.Runs == 0 {
		return 1
	}
	n := 1
	if x.IsBool {
		n = 2
	}
	for _, p := range x.Parts {
		n++
		if p.Ran && p.IsBool {
			n++
		}
	}
	return n
}

// Total adds up the targets of all expressions, and those that were shown.
func Total(list []*Expression) (shown, targets int) {
	for _, x := range list {
		targets += x.Targets()
		shown += x.Targets() - len(x.Gaps())
	}
	return shown, targets
}
