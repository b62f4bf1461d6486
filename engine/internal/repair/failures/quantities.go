package failures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// amount is a text that is a quantity of Kubernetes and no whole number.
var amount = lazy.Regexp{Text: `^[+-]?[0-9]+(?:\.[0-9]+)?(?:m|k|[KMGTPE]i?|e[0-9]+)?$`}

// quantityOfNumber reads the argument of each quantity() as a text: a field of the type
// int-or-string may hold a number, which quantity() does not read.
func quantityOfNumber(s *rewrite.Source, n *node) []diag.Fix {
	if kind := n.children[0].Type; kind != "int" && kind != "double" {
		return nil
	}
	top := n
	for top.parent != nil {
		top = top.parent
	}
	var changes []rewrite.Change
	top.walk(func(other *node) {
		if other.Kind != "call" || other.Name != "quantity" || len(other.children) != 1 {
			return
		}
		if of := other.children[0]; of.Kind != "literal" && of.Name != "string" && of.Start > other.Start {
			changes = append(changes, rewrite.Replace(of.Start, of.Start, "string("), rewrite.Replace(of.End, of.End, ")"))
		}
	})
	if len(changes) == 0 {
		return nil
	}
	return []diag.Fix{s.Fix("Convert the value with string() first", changes...)}
}

// asQuantity compares as quantities what int() cannot read: int(x) <= 2 becomes
// quantity(x).compareTo(quantity('2')) <= 0.
func asQuantity(s *rewrite.Source, n *node) []diag.Fix {
	p := n.parent
	if len(n.children) != 1 || p == nil || p.Kind != "call" || len(p.children) != 2 || !slices.Contains([]string{"_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_"}, p.Name) {
		return nil
	}
	value, ok := n.children[0].Value.(string)
	other := p.children[1-n.index]
	if !ok || !amount.MatchString(value) || other.Kind != "literal" || other.Type != "int" {
		return nil
	}
	text := func(n *node) string { return string(s.Runes[n.Start:n.End]) }
	sides := []string{"quantity(" + text(n.children[0]) + ")", "quantity('" + text(other) + "')"}
	if n.index == 1 {
		slices.Reverse(sides)
	}
	compared := fmt.Sprintf("%s.compareTo(%s) %s 0", sides[0], sides[1], strings.Trim(p.Name, "_"))
	fix := s.Fix("Compare quantities: "+compared, rewrite.Replace(p.Start, p.End, compared))
	fix.Choice = true // the number may be of another unit than of one byte or one CPU
	return []diag.Fix{fix}
}
