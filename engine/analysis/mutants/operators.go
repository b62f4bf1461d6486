package mutants

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// swaps are the operators that take each other's place, by CEL's names of them: those
// that people mix up.
var swaps = map[string]struct{ from, to string }{
	"_&&_": {"&&", "||"}, "_||_": {"||", "&&"},
	"_==_": {"==", "!="}, "_!=_": {"!=", "=="},
	"_<_": {"<", "<="}, "_<=_": {"<=", "<"}, "_>_": {">", ">="}, "_>=_": {">=", ">"},
	"_+_": {"+", "-"}, "_-_": {"-", "+"}, "_*_": {"*", "/"},
}

// macros are those that take each other's place.
var macros = map[string]string{"all": "exists", "exists": "all", "exists_one": "exists"}

// functions are those that take each other's place.
var functions = map[string]string{"startsWith": "endsWith", "endsWith": "startsWith"}

// generator collects the mutants of one expression.
type generator struct {
	expression []rune
	path       string
	mutants    []Mutant
}

// add adds the mutant in which some runes are replaced.
func (g *generator) add(change string, start, end int, text string, span diag.Span) {
	if start < 0 || start > end || end > len(g.expression) {
		return // a part that has no place of its own
	}
	g.mutants = append(g.mutants, Mutant{
		Path: g.path, Change: change, Expression: string(g.expression), Span: span,
		Mutated: string(g.expression[:start]) + text + string(g.expression[end:]),
	})
}

func (g *generator) text(n *report.Node) string { return string(g.expression[n.Start:n.End]) }

// node adds the mutants of a part and of those below it that ran: what short-circuiting
// left out is changed by the request that runs it.
func (g *generator) node(n *report.Node) {
	if !n.Evaluated || n.Start < 0 || n.End > len(g.expression) {
		return
	}
	switch {
	case n.Kind == "logical":
		g.swap(n)
		g.without(n)
	case n.Kind == "call" && n.Name == "!_" && len(n.Children) == 1:
		g.add("! is removed", n.Start, n.End, "("+g.text(&n.Children[0])+")", n.Span)
	case n.Kind == "call" && swaps[n.Name].from != "":
		g.swap(n)
	case n.Kind == "call" && functions[n.Name] != "":
		g.rename(n, functions[n.Name])
	case n.Kind == "macro" && macros[n.Name] != "":
		g.rename(n, macros[n.Name])
	case n.Kind == "ternary" && len(n.Children) == 3:
		condition := &n.Children[0]
		g.add("the condition of ?: is inverted", condition.Start, condition.End, "!("+g.text(condition)+")", condition.Span)
	case n.Kind == "literal":
		g.literal(n)
	}
	for i := range n.Children {
		g.node(&n.Children[i])
	}
}

// swap changes the operator between the two operands.
func (g *generator) swap(n *report.Node) {
	if len(n.Children) != 2 {
		return
	}
	operator := swaps[n.Name]
	from, to := n.Children[0].End, n.Children[1].Start
	if from > to {
		return
	}
	// Brackets of the operands are between them, too, and never the operator's characters.
	before, after, found := strings.Cut(string(g.expression[from:to]), operator.from)
	if found && !strings.Contains(after, operator.from) {
		g.add(operator.from+" becomes "+operator.to, from, to, before+operator.to+after, n.Span)
	}
}

// without leaves out one operand of && or ||: a guard, or what it guards.
func (g *generator) without(n *report.Node) {
	if len(n.Children) != 2 {
		return
	}
	for i := range n.Children {
		gone, kept := &n.Children[i], &n.Children[1-i]
		g.add(fmt.Sprintf("%s is removed", short(g.text(gone))), n.Start, n.End, "("+g.text(kept)+")", n.Span)
	}
}

// rename changes the name of a function or macro: the last one before its arguments,
// after the operand.
func (g *generator) rename(n *report.Node, to string) {
	from := n.Start
	if len(n.Children) > 0 {
		from = n.Children[0].End
	}
	text := string(g.expression[from:n.End])
	if i := strings.Index(text, n.Name+"("); i >= 0 {
		at := from + len([]rune(text[:i]))
		g.add(n.Name+" becomes "+to, at, at+len([]rune(n.Name)), to, n.Span)
	}
}

func (g *generator) literal(n *report.Node) {
	text := g.text(n)
	switch n.Type {
	case "bool":
		other := strconv.FormatBool(text != "true")
		g.add(text+" becomes "+other, n.Start, n.End, other, n.Span)
	case "int":
		if i, err := strconv.ParseInt(text, 0, 64); err == nil && i < 1<<62 {
			g.add(fmt.Sprintf("%s becomes %d", text, i+1), n.Start, n.End, strconv.FormatInt(i+1, 10), n.Span)
		}
	}
}

// short is a text for a sentence.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}
