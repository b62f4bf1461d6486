package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

const (
	// maxDeciding limits the named deciding parts of an expression.
	maxDeciding = 3
	// maxCompared limits the characters of a deciding value. Whole service account names fit.
	maxCompared = 120
)

// because says which values made a condition or validation true or false: both sides of the
// deciding comparisons, unless they are literals. Of another result it says which values chose it.
// It is empty if nothing did, and if the parts have no values.
func because(e report.Evaluation) string {
	if e.Error != "" || len(e.Children) == 0 {
		return ""
	}
	root := &e.Children[0]
	if _, ok := e.Result.(bool); !ok && root.Kind == "ternary" && len(root.Children) == 3 {
		root = &root.Children[0]
	}
	result, ok := root.Value.(bool)
	if !ok {
		return ""
	}
	b := deciding{source: []rune(e.Expression), part: e.Decisive}
	b.find(root, result)
	if len(b.said) > maxDeciding {
		return ""
	}
	return strings.Join(b.said, "; ")
}

// deciding collects an expression's deciding parts.
type deciding struct {
	source []rune
	part   *report.Part // the smallest one that made it false; nil for others
	said   []string
}

func (b *deciding) say(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.said, text) {
		b.said = append(b.said, text)
	}
}

// find adds what gave a part its result.
func (b *deciding) find(n *report.Node, result bool) {
	if !n.Evaluated || n.Error != "" || n.Failed || len(n.Values) > 0 || n.Value != result {
		return
	}
	switch {
	case n.Kind == "logical":
		b.logical(n, result)
	case n.Kind == "ternary" && len(n.Children) == 3:
		for i := range n.Children[1:] {
			b.find(&n.Children[1+i], result)
		}
	case n.Kind == "macro" && n.Name == "has" && len(n.Children) == 1:
		b.has(n, result)
	case n.Kind == "macro" && strings.HasPrefix(n.Note, n.Name+" is false because of ") && n.Decided == nil:
		b.say("%s", n.Note)
		b.loop(n)
	case n.Kind == "macro" && loops[n.Name] && len(n.Children) == 3:
		b.loop(n)
	case n.Name == "!_" && len(n.Children) == 1:
		b.find(&n.Children[0], !result)
	case comparisons[n.Name] && len(n.Children) == 2:
		b.compared(n, result)
	case n.Kind == "call" && len(n.Children) > 0 && ofText[n.Name] && !constant(&n.Children[0]):
		b.say("%s is %s", b.text(&n.Children[0]), shown(&n.Children[0]))
	case n.Kind == "select" || n.Kind == "index" || n.Kind == "variable":
		b.say("%s is %t", b.text(n), result)
	}
}

// logical visits the operands of && and ||: one of them decides, or all do.
func (b *deciding) logical(n *report.Node, result bool) {
	one := (n.Name == "_||_") == result
	for i := range n.Children {
		if c := &n.Children[i]; n.IsFalseOr() && b.part != nil && c.Start <= b.part.Start && b.part.End <= c.End {
			b.find(c, result)
			return // the others are for other values
		}
	}
	for i := range n.Children {
		before := len(b.said)
		b.find(&n.Children[i], result)
		if one && len(b.said) > before {
			return
		}
	}
}

// has visits the argument of has(on.name).
func (b *deciding) has(n *report.Node, result bool) {
	on := &n.Children[0]
	name := strings.Trim(strings.TrimPrefix(b.rest(n, on), ")"), " .)\n\t")
	text := b.text(on) + "." + name
	fields, _ := on.Value.(map[string]any)
	switch {
	case !result:
		b.say("%s is missing", text)
	case fields[name] != nil:
		b.say("%s is %s", text, cut(value(fields[name]), maxCompared))
	default:
		b.say("%s is there", text)
	}
}

// rest returns a part's text after one of its children.
func (b *deciding) rest(n, part *report.Node) string {
	if part.End < 0 || n.End > len(b.source) || part.End >= n.End {
		return ""
	}
	return string(b.source[part.End:n.End])
}

// loop visits the item that decided a macro, or all items if none did.
func (b *deciding) loop(n *report.Node) {
	over, body := &n.Children[0], &n.Children[2]
	if result := n.Name == "all"; n.Decided == nil && n.Value == result && b.outside(body, n.Children[1].Name, result) {
		return
	}
	items, _ := over.Value.([]any)
	if n.Decided != nil && *n.Decided < len(items) {
		item := fmt.Sprintf("%s[%d]", b.text(over), *n.Decided)
		if parts := b.ofItem(body, n.Children[1].Name, item, *n.Decided); len(parts) > 0 && len(parts) <= maxDeciding {
			b.said = append(b.said, parts...)
		} else {
			b.say("%s is %s", item, cut(value(items[*n.Decided]), maxCompared))
		}
	} else if parts := b.ofItems(body, n.Children[1].Name, b.text(over), len(items)); len(parts) > 0 && len(parts) <= maxDeciding {
		b.said = append(b.said, parts...)
	} else {
		b.say("%s is %s", b.text(over), shown(over))
	}
	for i := range body.Children {
		if c := &body.Children[i]; c.Evaluated && len(c.Values) == 0 && !constant(c) && c.Kind != "logical" && c.Kind != "macro" && c.Type != "bool" && !reads(c, n.Children[1].Name) {
			b.say("%s is %s", b.text(c), shown(c))
		}
	}
}

// outside visits the operand of a loop's test that gives it the same result for every item.
func (b *deciding) outside(n *report.Node, variable string, result bool) bool {
	before := len(b.said)
	if !reads(n, variable) {
		b.find(n, result)
		return len(b.said) > before
	}
	return n.Kind == "logical" && (n.Name == "_||_") == result && slices.ContainsFunc(n.Children, func(c report.Node) bool {
		return b.outside(&c, variable, result)
	})
}

// ofItems returns what a part reads from all items of a list, each field with its values.
func (b *deciding) ofItems(n *report.Node, variable, list string, count int) (parts []string) {
	item := list + "[*]"
	if count == 1 {
		item = list + "[0]"
	}
	var fields []string
	all := map[string][]string{}
	for i := range count {
		for _, part := range b.ofItem(n, variable, item, i) {
			field, is, _ := strings.Cut(part, " is ")
			if all[field] == nil {
				fields = append(fields, field)
			}
			if !slices.Contains(all[field], is) {
				all[field] = append(all[field], is)
			}
		}
	}
	for _, field := range fields {
		parts = append(parts, field+" is "+cut(strings.Join(all[field], ", "), maxCompared))
	}
	return parts
}

// ofItem returns what a part reads from a loop's item, in iteration at. item is the loop variable's
// value.
func (b *deciding) ofItem(n *report.Node, variable, item string, at int) []string {
	has := n.Kind == "macro" && n.Name == "has" && len(n.Children) == 1
	field := n.Kind == "select" || n.Kind == "index"
	if root := rootOf(n); (has || field) && root.Kind == "variable" && root.Name == variable && root != n {
		now, ok := valueAt(n, at)
		path := item + strings.TrimSpace(b.rest(n, root))
		switch {
		case !ok || has && now != "false":
			return nil
		case has:
			return []string{strings.TrimSuffix(path, ")") + " is missing"}
		}
		return []string{path + " is " + now}
	}
	var out []string
	for i := range n.Children {
		for _, part := range b.ofItem(&n.Children[i], variable, item, at) {
			if !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// rootOf returns the start of a chain of fields and indexes.
func rootOf(n *report.Node) *report.Node {
	for (n.Kind == "select" || n.Kind == "index" || n.Kind == "macro" && n.Name == "has") && len(n.Children) > 0 {
		n = &n.Children[0]
	}
	return n
}

// valueAt returns a part's last value in an iteration of the outermost loop.
func valueAt(n *report.Node, at int) (string, bool) {
	for i, path := range slices.Backward(n.At) {
		if len(path) == 0 || path[0] != at || i >= len(n.Values) {
			continue
		}
		if text, ok := n.Values[i].(string); ok && strings.HasPrefix(text, "error: ") {
			return "", false
		}
		if i < len(n.ShownValues) && n.ShownValues[i] != "" {
			return cut(n.ShownValues[i], maxCompared), true
		}
		return cut(value(n.Values[i]), maxCompared), true
	}
	if len(n.At) == 0 && n.Evaluated && n.Error == "" {
		return shown(n), true // one run
	}
	return "", false
}

// reads reports whether a variable occurs in a part.
func reads(n *report.Node, variable string) bool {
	return n.Kind == "variable" && n.Name == variable || slices.ContainsFunc(n.Children, func(c report.Node) bool { return reads(&c, variable) })
}

// compared visits both sides of a comparison.
func (b *deciding) compared(n *report.Node, result bool) {
	left, right := &n.Children[0], &n.Children[1]
	if constant(left) && !constant(right) && n.Name != "@in" {
		left, right = right, left
	}
	if constant(left) && constant(right) || left.Type == "" || right.Type == "" {
		return
	}
	differ := n.Name == "_==_" && !result || n.Name == "_!=_" && result
	switch {
	case n.Name == "@in" && constant(left):
		b.say("%s is %s", b.text(right), shown(right))
	case n.Name == "@in" && !constant(right):
		b.say("%s is %s, %s is %s", b.text(left), shown(left), b.text(right), shown(right))
	case differ && constant(right):
		b.say("%s is %s, not %s", b.text(left), shown(left), shown(right))
	case constant(right):
		b.say("%s is %s", b.text(left), shown(left))
	default:
		b.say("%s is %s, %s is %s", b.text(left), shown(left), b.text(right), shown(right))
	}
}

var (
	comparisons = map[string]bool{"_==_": true, "_!=_": true, "_<_": true, "_<=_": true, "_>_": true, "_>=_": true, "@in": true}
	loops       = map[string]bool{"all": true, "exists": true, "exists_one": true}
	// ofText are the string and list tests whose target decides.
	ofText = map[string]bool{"startsWith": true, "endsWith": true, "contains": true, "matches": true, "hasValue": true, "isLessThan": true, "isGreaterThan": true, "isIP": true, "isQuantity": true}
)

// constant reports whether a part's value is written in the expression.
func constant(n *report.Node) bool {
	if n.Kind == "literal" || n.Kind == "variable" && n.Type == "type" {
		return true
	}
	if n.Kind != "list" && n.Name != "-_" {
		return false
	}
	for i := range n.Children {
		if !constant(&n.Children[i]) {
			return false
		}
	}
	return true
}

func (b *deciding) text(n *report.Node) string {
	if n.Start < 0 || n.End > len(b.source) || n.Start >= n.End {
		return n.Name
	}
	return cut(oneLine(string(b.source[n.Start:n.End])), maxCompared)
}

func shown(n *report.Node) string {
	if n.Shown != "" {
		return cut(n.Shown, maxCompared)
	}
	return cut(value(n.Value), maxCompared)
}
