package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// effects are what the parts of a policy's expressions do to a request.
type effects struct {
	*policy
	// sign is 1 for a part that helps to admit a request where it is true, or where it is a list and has more
	// items; -1 for one that helps to deny it, and 0 where that is not clear.
	sign map[*values.Node]int
	// alone are the parts with a sign of 1 that are enough: the validation is true or the condition false where they are
	// true, whatever other parts are.
	alone map[*values.Node]bool
	// lists are the lists of the variables that macros declare, in is the expression of a part.
	lists map[*values.Node]*values.Node
	in    map[*values.Node]expression
}

// effects are those of the match conditions and validations.
func (p *policy) effects() *effects {
	if p.effect == nil {
		p.effect = &effects{policy: p, sign: map[*values.Node]int{}, alone: map[*values.Node]bool{}, lists: map[*values.Node]*values.Node{}, in: map[*values.Node]expression{}}
		for _, c := range p.conditions {
			p.effect.root(c, -1, true)
		}
		for _, v := range p.validations {
			p.effect.root(v.expression, 1, true)
		}
	}
	return p.effect
}

func (f *effects) root(e expression, sign int, alone bool) {
	if e.read != nil {
		f.walk(e, e.read.Root(), sign, alone, nil)
	}
}

// walk goes through a part with its sign, and whether it is enough. lists are those of the variables that the macros around it declare.
func (f *effects) walk(e expression, n *values.Node, sign int, alone bool, lists map[string]*values.Node) {
	f.alone[n] = f.alone[n] || alone
	if before, seen := f.sign[n]; seen && (before == sign || before == 0) {
		return
	} else if seen {
		sign = 0
	}
	f.sign[n], f.in[n] = sign, e
	if v, ok := f.variableOf(n); ok {
		f.root(v.expression, sign, alone)
		return
	}
	if n.Kind == values.Ident {
		f.lists[n] = lists[n.Name]
	}
	signs := f.below(n, sign)
	for i, child := range n.Children {
		inner := lists
		if n.Kind == values.Macro && i > 0 && n.Children[1].Kind == values.Declared {
			inner = map[string]*values.Node{}
			for name, list := range lists {
				inner[name] = list
			}
			for _, declared := range n.Children[1:] {
				if declared.Kind == values.Declared {
					inner[declared.Name] = nil
				}
			}
			inner[n.Children[1].Name] = n.Children[0]
		}
		of := 0
		if i < len(signs) {
			of = signs[i]
		}
		f.walk(e, child, of, alone && enough(n, sign), inner)
	}
}

// variableOf is the policy's variable that a part reads.
func (p *policy) variableOf(n *values.Node) (variable, bool) {
	if n.Kind != values.Select || len(n.Children) != 1 || n.Children[0].Kind != values.Ident || n.Children[0].Name != "variables" {
		return variable{}, false
	}
	i := slices.IndexFunc(p.variables, func(v variable) bool { return v.name == n.Name })
	if i < 0 {
		return variable{}, false
	}
	return p.variables[i], true
}

// below are the signs of a part's children; 0 for those that are missing.
func (f *effects) below(n *values.Node, sign int) []int {
	switch n.Kind {
	case values.Logical:
		return slices.Repeat([]int{sign}, len(n.Children))
	case values.Ternary:
		return []int{sign * decides(n), sign, sign}
	case values.Macro:
		switch {
		case n.Name == "all" && len(n.Children) == 3:
			return []int{-sign, 0, sign}
		case (n.Name == "exists" || n.Name == "filter") && len(n.Children) == 3, n.Name == "map" && len(n.Children) == 4:
			return []int{sign, 0, sign}
		case n.Name == "map":
			return []int{sign}
		}
	case values.Call:
		switch n.Name {
		case "!_":
			return []int{-sign}
		case "_+_":
			return []int{sign, sign}
		case "orValue", "dyn", "flatten", "distinct", "size":
			return []int{sign}
		case "@in":
			return []int{0, sign}
		}
		if len(n.Children) == 2 {
			return []int{sign * compared(n)}
		}
	}
	return nil
}

// enough reports whether a part's child decides what the part is, where the child helps to admit.
func enough(n *values.Node, sign int) bool {
	switch n.Kind {
	case values.Logical:
		return (n.Name == "_||_") == (sign > 0)
	case values.Macro:
		return n.Name == "exists" && sign > 0 || n.Name == "all" && sign < 0
	case values.Call:
		return true
	}
	return false
}

// decides is 1 for a ?: that is true where its condition is, or false where that is false, and -1 for the opposite: one
// of its branches is a constant.
func decides(n *values.Node) int {
	then, other := literal(n.Children[1]), literal(n.Children[2])
	switch {
	case then == true, other == false:
		return 1
	case then == false, other == true:
		return -1
	}
	return 0
}

// compared is 1 for a comparison that holds where its left side is true or has items, and -1 for the opposite.
func compared(n *values.Node) int {
	switch right := literal(n.Children[1]); {
	case n.Name == "_==_" && right == true, n.Name == "_!=_" && right == false,
		(n.Name == "_>_" || n.Name == "_!=_") && right == int64(0), n.Name == "_>=_" && right == int64(1):
		return 1
	case n.Name == "_==_" && (right == false || right == int64(0)), n.Name == "_!=_" && right == true, n.Name == "_<_" && right == int64(1):
		return -1
	}
	return 0
}

// texts are the literals that a part is: one, or the items of the list that its macro goes over.
func (f *effects) texts(n *values.Node) []*values.Node {
	if _, ok := literalText(n); ok {
		return []*values.Node{n}
	}
	list := f.lists[n]
	if n.Kind != values.Ident || list == nil {
		return nil
	}
	if v, ok := f.variableOf(list); ok && v.read != nil {
		list = v.read.Root()
	}
	if list.Kind != values.List {
		return nil
	}
	return list.Children
}
