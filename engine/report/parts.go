package report

import "strings"

// DecisivePart splits an expression before, at and after the part that decided it. In is empty if
// only the whole expression decided.
func (e *Evaluation) DecisivePart() (before, in, after string) {
	runes, part := []rune(e.Expression), e.Decisive
	if part == nil || part.Start < 0 || part.End > len(runes) || part.Start >= part.End {
		return e.Expression, "", ""
	}
	before, in, after = string(runes[:part.Start]), string(runes[part.Start:part.End]), string(runes[part.End:])
	if strings.TrimSpace(before+after) == "" {
		return e.Expression, "", ""
	}
	return before, in, after
}

// DecisiveNode returns the deciding part with its children, or nil.
func (e *Evaluation) DecisiveNode() *Node {
	if e.Decisive == nil {
		return nil
	}
	return find(e.Children, *e.Decisive)
}

func find(nodes []Node, part Part) *Node {
	for i := range nodes {
		n := &nodes[i]
		if n.Start == part.Start && n.End == part.End {
			return n
		}
		if inner := find(n.Children, part); inner != nil {
			return inner
		}
	}
	return nil
}

// IsFalseOr reports whether a part is an "or" that is false.
func (n *Node) IsFalseOr() bool {
	return n.Name == "_||_" && n.Kind == "logical" && n.Value == false && n.Error == "" && !n.Failed
}

// Alternatives returns the operands of a false "or", including those of nested ones.
func (n *Node) Alternatives() []Node {
	var out []Node
	for i := range n.Children {
		if child := &n.Children[i]; child.IsFalseOr() {
			out = append(out, child.Alternatives()...)
		} else {
			out = append(out, *child)
		}
	}
	return out
}
