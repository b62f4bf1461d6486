package text

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// node makes an evaluated node of the part of an expression that is source.
func node(expression, source string, v any, children ...report.Node) report.Node {
	at := strings.Index(expression, source)
	if at < 0 {
		panic("no such part: " + source)
	}
	start := len([]rune(expression[:at]))
	return report.Node{Start: start, End: start + len([]rune(source)), Value: v, Evaluated: true, Children: children}
}

func TestExplain(t *testing.T) {
	const compare = "object.spec.replicas <= variables.limit"
	const either = "has(a.b) || a.c == 'x'"
	const loop = "list.all(c, c.x > 1)"
	const lines = "a.b &&\n\tc.d"
	const wide = "'é' + ünï.code"
	skipped := node(either, "a.c == 'x'", nil, node(either, "a.c", nil))
	skipped.Evaluated, skipped.Children[0].Evaluated = false, false
	runs := node(loop, "c.x", nil)
	runs.Count, runs.Values = 3, []any{2, 5, 1}
	failed := node("a.b", "a.b", nil, node("a.b", "a", map[string]any{}))
	failed.Error = "no such key: b"
	missing := node("a.b.c", "a.b.c", nil, node("a.b.c", "a.b", map[string]any{"x": 1}, node("a.b.c", "a", map[string]any{"b": 2})))
	missing.Error = "no such key: c"
	for _, test := range []struct {
		name, expression string
		nodes            []report.Node
		want             string
	}{
		{"operator and fields", compare, []report.Node{
			node(compare, compare, false,
				node(compare, "object.spec.replicas", 8),
				node(compare, "variables.limit", 5)),
		}, `
object.spec.replicas <= variables.limit
|                    |  |
8                    |  5
                     false`},
		{"select under its last field", compare, []report.Node{
			node(compare, compare, false,
				node(compare, "object.spec.replicas", 8, node(compare, "object.spec", map[string]any{"replicas": 8})),
				node(compare, "variables.limit", 5, node(compare, "variables", map[string]any{}))),
		}, `
object.spec.replicas <= variables.limit
            |        |            |
            8        false        5`},
		{"the object that lacks a field is shown", "a.b.c", []report.Node{missing}, `
a.b.c
  | |
  | error: no such key: c
  {"x":1}`},
		{"short circuit, literal not repeated", either, []report.Node{
			node(either, either, true, node(either, "has(a.b)", true), skipped),
		}, `
has(a.b) || a.c == 'x'
|        |  |   |
true     |  |   (not evaluated)
         |  (not evaluated)
         true`},
		{"loop", loop, []report.Node{node(loop, loop, false, node(loop, "list", []any{1}), runs)}, `
list.all(c, c.x > 1)
|    |      |
[1]  false  2 | 5 | 1`},
		{"error", "a.b", []report.Node{failed}, `
a.b
| |
| error: no such key: b
{}`},
		{"several lines", lines, []report.Node{node(lines, lines, true, node(lines, "a.b", true), node(lines, "c.d", true))}, `
a.b &&
|   |
|   true
true
	c.d
	|
	true`},
		{"runes", wide, []report.Node{node(wide, wide, "éx", node(wide, "ünï.code", "x", node(wide, "ünï", map[string]any{})))}, `
'é' + ünï.code
|         |
"éx"      "x"`},
		{"nothing", "1 + 1", nil, "\n1 + 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Explain(test.expression, test.nodes, 80); "\n"+got != test.want {
				t.Errorf("got\n%s\nwant%s", got, test.want)
			}
		})
	}
}
