package explain

import (
	"slices"

	"github.com/preadmit/preadmit/engine/report"
)

// decisive is the part that decided an expression: the smallest one that made
// it false or fail. Nil when the expression neither is false nor failed, or when
// its parts have no values.
func decisive(nodes []report.Node) *report.Part {
	n := deepestFailure(nodes)
	if n == nil {
		return nil
	}
	return &report.Part{Span: n.Span, Start: n.Start, End: n.End}
}

func deepestFailure(nodes []report.Node) *report.Node {
	for i := range nodes {
		n := &nodes[i]
		if !n.Evaluated || n.Error == "" && !n.Failed && n.Value != false {
			continue
		}
		within := deciding(*n)
		if n.IsFalseOr() {
			// Every alternative is false; the one to look at is that behind the
			// guards, as in !has(a.b) || a.b > 0, or for the value's type, as in
			// type(a) == int && a > 0 || type(a) == string && size(a) > 0.
			if within = slices.DeleteFunc(n.Alternatives(), isGuard); len(within) != 1 {
				within = slices.DeleteFunc(within, ofOtherType)
			}
			if len(within) != 1 {
				return n
			}
		}
		if inner := deepestFailure(within); inner != nil {
			return inner
		}
		return n
	}
	return nil
}

// deciding are the parts that made a part false or fail. A comparison is false
// by itself: that one of its sides has the value false decides nothing.
func deciding(n report.Node) []report.Node {
	switch {
	case n.Error != "" || n.Failed:
		return slices.DeleteFunc(slices.Clone(n.Children), func(c report.Node) bool { return c.Error == "" && !c.Failed })
	case n.Kind == "ternary" && len(n.Children) > 0:
		return n.Children[1:] // what it asks does not count, what it chose does
	case n.Kind == "logical", n.Kind == "macro":
		return n.Children
	}
	return nil
}

// isGuard reports whether a part only asks whether something is absent.
func isGuard(n report.Node) bool {
	if n.Name != "!_" || len(n.Children) != 1 {
		return false
	}
	test := n.Children[0]
	return test.Kind == "macro" && test.Name == "has" || test.Name == "@in"
}

// ofOtherType reports whether a part is false because a value has another type than the part is for.
func ofOtherType(n report.Node) bool {
	if n.Name == "_&&_" && n.Kind == "logical" {
		return slices.ContainsFunc(n.Children, ofOtherType)
	}
	return n.Name == "_==_" && n.Evaluated && n.Value == false && slices.ContainsFunc(n.Children, func(c report.Node) bool {
		return c.Kind == "call" && c.Name == "type"
	})
}
