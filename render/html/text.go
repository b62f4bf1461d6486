package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// valueLimit limits the shown characters of a value in a row.
const valueLimit = 240

// value writes a result as one line of JSON, cut after valueLimit characters.
func value(v any) string {
	raw, err := report.JSON(v)
	if err != nil {
		return fmt.Sprintf("(cannot be shown: %v)", err)
	}
	return cut(raw, valueLimit)
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

// YAML writes an object as kubectl get -o yaml does: with sigs.k8s.io/yaml, which converts through
// JSON. It skips that conversion where it makes no difference, because it takes two thirds of the
// time.
func YAML(v any) string {
	marshal := scenario.YAML
	if sameThroughJSON(v) {
		marshal = func(v any) ([]byte, error) { return yamlv2.Marshal(v) }
	}
	raw, err := marshal(v)
	if err != nil {
		return fmt.Sprintf("# cannot be shown: %v\n", err)
	}
	return string(raw)
}

// sameThroughJSON reports whether a value survives JSON unchanged. Floats, for example, are written
// differently.
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

// fieldPath returns a patch operation's field; the whole object has a name too.
func fieldPath(pointer string) string {
	return cmp.Or(report.FieldPath(pointer), "(whole object)")
}

// operationSign returns the mark before a patch operation, as in a diff.
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

// isBlock reports whether a value is better shown as a YAML block.
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

// line returns the 1-based line of a place in one of the texts; 0 if the text is unknown.
func (v View) line(text diag.Text, span diag.Span) int {
	source, ok := v.Texts[text]
	if !ok || source == "" {
		return 0
	}
	lines := v.lines[text]
	if lines == nil {
		if lines = diag.NewLines(source); v.lines != nil {
			v.lines[text] = lines
		}
	}
	line, _ := lines.At(span.Start)
	return line
}

// expressionPlace labels a link to an expression: "line 14" in the policies, where nearly all are.
func (v View) expressionPlace(text diag.Text, span diag.Span) string {
	line := v.line(text, span)
	if text == diag.Policies && line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return placeName(text, line)
}

// shortValue limits the characters of a result next to its expression. A longer one is below it.
const shortValue = 20

// isLong reports whether a result is longer than that.
func isLong(e report.Evaluation) bool {
	return e.Error == "" && e.Evaluated && utf8.RuneCountInString(value(e.Result)) > shortValue
}

// longExpression is the length from which an expression fills its line, so that its result is below
// it.
const longExpression = 60

// needsRoom reports whether an expression and its result do not fit on one line.
func needsRoom(e report.Evaluation) bool {
	return e.Error != "" || isLong(e) || utf8.RuneCountInString(e.Expression) > longExpression || strings.Contains(strings.TrimSpace(e.Expression), "\n")
}

// inShort returns an evaluation whose error omits the expression, which is next to it. The message
// above has the server's full text.
func inShort(e report.Evaluation) report.Evaluation {
	if _, short, ok := strings.Cut(e.Error, "' resulted in error: "); ok && strings.HasPrefix(e.Error, "expression '") {
		e.Error = short
	}
	return e
}
