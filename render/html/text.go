package html

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// valueLimit is the number of characters of a value that a row shows before
// it is cut.
const valueLimit = 240

// value writes a result on one line, as JSON, cut after valueLimit characters.
func value(v any) string {
	raw, err := marshal(v)
	if err != nil {
		return fmt.Sprintf("(cannot be shown: %v)", err)
	}
	return cut(raw, valueLimit)
}

// marshal is json.Marshal without the escaping of <, > and & that would make
// labels such as "a<b" unreadable; templ escapes the output.
func marshal(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// cut shortens s to limit characters and says how many there were.
func cut(s string, limit int) string {
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	runes := []rune(s)
	return fmt.Sprintf("%s… (%s characters)", string(runes[:limit]), report.Number(int64(n)))
}

// YAML writes an object the way kubectl get -o yaml does: with
// sigs.k8s.io/yaml, which goes through JSON. Where that cannot make a
// difference it is left out, because it takes two thirds of the time.
func YAML(v any) string {
	marshal := yaml.Marshal
	if sameThroughJSON(v) {
		marshal = func(v any) ([]byte, error) { return yamlv2.Marshal(v) }
	}
	raw, err := marshal(v)
	if err != nil {
		return fmt.Sprintf("# cannot be shown: %v\n", err)
	}
	return string(raw)
}

// sameThroughJSON says that a value is one of those that JSON gives back as
// they were. Numbers with a fraction, for one, are written differently.
func sameThroughJSON(v any) bool {
	switch v := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return utf8.ValidString(v)
	case []any:
		return v != nil && !slices.ContainsFunc(v, func(item any) bool { return !sameThroughJSON(item) })
	case map[string]any:
		for key, item := range v {
			if !utf8.ValidString(key) || !sameThroughJSON(item) {
				return false
			}
		}
		return v != nil
	}
	return false
}

// fieldPath is the field of a patch operation; the whole object has a name too.
func fieldPath(pointer string) string {
	return cmp.Or(report.FieldPath(pointer), "(whole object)")
}

// operationSign is the mark before a patch operation, as in a diff.
func operationSign(op string) string {
	switch op {
	case "add":
		return "+"
	case "remove":
		return "−"
	case "test":
		return "?"
	case "move", "copy":
		return "→"
	}
	return "~"
}

// isBlock reports whether a value is better shown as several lines of YAML.
func isBlock(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	case string:
		return strings.Contains(v, "\n")
	}
	return false
}

// line is the 1-based line of a place in one of the scenario's texts; 0 when
// the text is not known.
func (v View) line(text diag.Text, span diag.Span) int {
	source, ok := v.Texts[text]
	if !ok || source == "" {
		return 0
	}
	line, _ := diag.LineColumn(source, span.Start)
	return line
}

// placeName is the label of a link into an editor: "policies 14".
func (v View) placeName(text diag.Text, span diag.Span) string {
	if line := v.line(text, span); line > 0 {
		return fmt.Sprintf("%s %d", text, line)
	}
	return string(text)
}

// failingPart cuts an expression in the part before, at and after the smallest
// sub-expression that decided it: the deepest one that failed, or the operand
// of a conjunction that is false. Middle is empty when there is no such part.
func failingPart(e report.Evaluation) (before, middle, after string) {
	node := deepestFailure(e.Children)
	runes := []rune(e.Expression)
	if node == nil || node.Start < 0 || node.End > len(runes) || node.Start >= node.End ||
		(node.Start == 0 && node.End == len(runes)) {
		return e.Expression, "", ""
	}
	return string(runes[:node.Start]), string(runes[node.Start:node.End]), string(runes[node.End:])
}

func deepestFailure(nodes []report.Node) *report.Node {
	for i := range nodes {
		n := &nodes[i]
		if !n.Evaluated || (n.Error == "" && !n.Failed && n.Value != false) {
			continue
		}
		if isDisjunction(*n) {
			// Every alternative is false; the one to look at is that behind the
			// guards, as in !has(a.b) || a.b > 0.
			tests := slices.DeleteFunc(alternatives(*n), isGuard)
			if len(tests) != 1 {
				return n
			}
			if inner := deepestFailure(tests); inner != nil {
				return inner
			}
			return n
		}
		if inner := deepestFailure(deciding(*n)); inner != nil {
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

// isDisjunction reports whether a part is an "or" that is false.
func isDisjunction(n report.Node) bool {
	return n.Name == "_||_" && n.Kind == "logical" && n.Value == false && n.Error == "" && !n.Failed
}

// alternatives are the operands of an "or" and of those in it.
func alternatives(n report.Node) []report.Node {
	var out []report.Node
	for _, child := range n.Children {
		if isDisjunction(child) {
			out = append(out, alternatives(child)...)
		} else {
			out = append(out, child)
		}
	}
	return out
}

// isGuard reports whether a part only asks whether something is absent.
func isGuard(n report.Node) bool {
	if n.Name != "!_" || len(n.Children) != 1 {
		return false
	}
	test := n.Children[0]
	return test.Kind == "macro" && test.Name == "has" || test.Name == "@in"
}

// shortValue is the number of characters of a result that stand beside its
// expression; a longer one stands below it.
const shortValue = 20

// isLong reports whether a result takes more than a few characters.
func isLong(e report.Evaluation) bool {
	return e.Error == "" && e.Evaluated && utf8.RuneCountInString(value(e.Result)) > shortValue
}

// longExpression is the number of characters from which an expression fills the
// line, so that its result stands below it.
const longExpression = 60

// needsRoom reports whether an expression and its result cannot stand in a line.
func needsRoom(e report.Evaluation) bool {
	return e.Error != "" || isLong(e) || utf8.RuneCountInString(e.Expression) > longExpression || strings.Contains(strings.TrimSpace(e.Expression), "\n")
}

// inShort is an evaluation whose error leaves out the expression, which stands
// beside it. The server's whole text is in the message above.
func inShort(e report.Evaluation) report.Evaluation {
	if _, short, ok := strings.Cut(e.Error, "' resulted in error: "); ok && strings.HasPrefix(e.Error, "expression '") {
		e.Error = short
	}
	return e
}
