package explain

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

var keyWithSlash = regexp.MustCompile(`^(/(?:[^'\\]*/)?(?:labels|annotations|matchLabels|nodeSelector)/)([^/'\\]+/[^'\\]+)$`)

// fixes are the ways to repair a part that failed.
func fixes(s *rewrite.Source, e *report.Evaluation, n *node) []diag.Fix {
	var out []diag.Fix
	switch {
	case strings.HasPrefix(n.Error, "no such overload") && n.Name == "_+_":
		return stringify(s, n)
	case n.Missing == "" || len(n.children) == 0 || strings.HasSuffix(n.Note, "which has no fields"):
		return nil
	}
	if f, ok := rename(s, n); ok {
		out = append(out, f)
	}
	out = append(out, guards(s, e, n)...)
	if f, ok := optional(s, e, n); ok {
		out = append(out, f)
	}
	return out
}

// stringify converts the operands of + that are no strings.
func stringify(s *rewrite.Source, n *node) []diag.Fix {
	var changes []rewrite.Change
	strings := 0
	for _, child := range n.children {
		if child.Type == "string" {
			strings++
			continue
		}
		changes = append(changes, rewrite.Change{child.Start, child.Start, "string("}, rewrite.Change{child.End, child.End, ")"})
	}
	if strings == 0 || len(changes) == 0 {
		return nil
	}
	return []diag.Fix{s.Fix("Convert the value with string()", changes...)}
}

// rename writes the name that the object has.
func rename(s *rewrite.Source, n *node) (diag.Fix, bool) {
	if n.Nearest == "" {
		return diag.Fix{}, false
	}
	title := "Write " + n.Nearest
	if n.Kind == "select" {
		start := n.End - len([]rune(n.Name))
		if start < 0 || string(s.Runes[start:n.End]) != n.Name || !identifier.MatchString(n.Nearest) {
			return diag.Fix{}, false
		}
		return s.Fix(title, rewrite.Change{start, n.End, n.Nearest}), true
	}
	if key := n.children[len(n.children)-1]; n.Kind == "index" && key.Kind == "literal" {
		return s.Fix(title, rewrite.Change{key.Start, key.End, literal(n.Nearest)}), true
	}
	return diag.Fix{}, false
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// test is an expression that is true where a part can be evaluated, and one
// that is true where it cannot.
func test(s *rewrite.Source, n *node) (present, absent, what string) {
	operand := n.children[0]
	on := string(s.Runes[operand.Start:operand.End])
	part := string(s.Runes[n.Start:n.End])
	switch {
	case operand.Kind == "variable" && operand.Evaluated && operand.Type == "null_type":
		return on + " != null", on + " == null", on
	case n.Kind == "select" && !strings.ContainsAny(part, "?"):
		return "has(" + part + ")", "!has(" + part + ")", part
	case n.Kind != "index" || len(n.children) < 2:
		return "", "", ""
	}
	index := n.children[1]
	key := string(s.Runes[index.Start:index.End])
	if strings.HasPrefix(n.Error, "index out of bounds") {
		return fmt.Sprintf("size(%s) > %s", on, key), fmt.Sprintf("size(%s) <= %s", on, key), part
	}
	return fmt.Sprintf("%s in %s", key, on), fmt.Sprintf("!(%s in %s)", key, on), part
}

// guards puts a test before the condition that a part stands in.
func guards(s *rewrite.Source, e *report.Evaluation, n *node) []diag.Fix {
	condition, ok := conditionOf(e, n)
	if !ok {
		return nil
	}
	present, absent, what := test(s, n)
	if present == "" {
		return nil
	}
	open, closing := "", ""
	if condition.Kind == "ternary" {
		open, closing = "(", ")"
	}
	and, or := present+" && "+open, absent+" || "+open
	andEnd, orEnd := closing, closing
	if condition.under("call", "!_") {
		and, andEnd = "("+and, andEnd+")"
	}
	if condition.under("call", "!_") || condition.under("logical", "_&&_") {
		or, orEnd = "("+or, orEnd+")"
	}
	around := func(title, before, after string) diag.Fix {
		list := []rewrite.Change{{condition.Start, condition.Start, before}}
		if after != "" {
			list = append(list, rewrite.Change{condition.End, condition.End, after})
		}
		return s.Fix(title, list...)
	}
	if strings.HasSuffix(present, "!= null") {
		return []diag.Fix{
			around("Guard the condition: false where "+what+" is null", and, andEnd),
			around("Guard the condition: true where "+what+" is null", or, orEnd),
		}
	}
	return []diag.Fix{
		around("Guard the condition: false without "+what, and, andEnd),
		around("Guard the condition: true without "+what, or, orEnd),
	}
}

// conditionOf is the smallest condition around a part: an operand of && or ||,
// what ? : asks, what a macro tests, or a whole validation.
func conditionOf(e *report.Evaluation, n *node) (*node, bool) {
	for {
		p := n.parent
		switch {
		case p == nil:
			return n, e.List == "conditions" || e.List == "validations" || e.List == "webhook" || e.List == "condition" || e.List == "validation"
		case p.Kind == "logical", p.Kind == "call" && p.Name == "!_", p.Kind == "ternary" && n.index == 0:
			return n, true
		case p.Kind == "macro" && p.Name != "has" && n.index > 0:
			return n, tests(p, n)
		}
		n = p
	}
}

// tests reports whether an argument of a macro is a condition.
func tests(macro, arg *node) bool {
	switch macro.Name {
	case "all", "exists", "exists_one", "existsOne", "filter":
		return true
	}
	return arg.index < len(macro.children)-1 // the filter of map and transformMap
}

// optional selects with ? and gives a value for where there is none.
func optional(s *rewrite.Source, e *report.Evaluation, n *node) (diag.Fix, bool) {
	end := n
	for end.parent != nil && end.index == 0 && (end.parent.Kind == "select" || end.parent.Kind == "index") {
		end = end.parent
	}
	value := otherwise(e, end)
	mark := n.End - len([]rune(n.Name))
	if n.Kind == "index" {
		mark = n.children[len(n.children)-1].Start
		if mark == 0 || s.Runes[mark-1] != '[' {
			return diag.Fix{}, false
		}
	}
	if value == "" || mark <= n.Start || n.Kind != "index" && string(s.Runes[mark:n.End]) != n.Name {
		return diag.Fix{}, false
	}
	return s.Fix("Use "+value+" where it is absent", rewrite.Change{mark, mark, "?"}, rewrite.Change{end.End, end.End, ".orValue(" + value + ")"}), true
}

// otherwise is the value that fits where a part stands, "" when that is not
// plain.
func otherwise(e *report.Evaluation, n *node) string {
	p := n.parent
	switch {
	case p == nil:
		if _, ok := conditionOf(e, n); ok {
			return "false"
		}
		return ""
	case p.Kind == "logical", p.Kind == "ternary" && n.index == 0, p.Kind == "call" && p.Name == "!_":
		return "false"
	case p.Kind == "macro" && p.Name != "has" && n.index == 0:
		return "[]"
	case p.Kind == "macro" && n.index > 0 && p.Name != "has" && tests(p, n):
		return "false"
	case p.Kind != "call":
		return ""
	}
	switch p.Name {
	case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_+_":
		return zero(p.children[1-n.index].Type)
	case "@in":
		if n.index == 1 {
			return "[]"
		}
	case "size":
		return "[]"
	case "startsWith", "endsWith", "contains", "matches", "lowerAscii", "upperAscii", "trim", "split", "replace", "substring", "string":
		if n.index == 0 {
			return "''"
		}
	}
	return ""
}

func zero(typeName string) string {
	switch typeName {
	case "string":
		return "''"
	case "int":
		return "0"
	case "double":
		return "0.0"
	case "bool":
		return "false"
	case "list":
		return "[]"
	}
	return ""
}
