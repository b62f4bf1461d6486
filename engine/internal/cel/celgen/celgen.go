// Package celgen writes random CEL expressions for tests, over an object such
// as Object gives. Most of them compile, many fail when they run: both matter.
package celgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Object is what the variable object holds for generated expressions.
func Object() map[string]any {
	return map[string]any{
		"name": "web",
		"n":    int64(3),
		"flag": true,
		"list": []any{int64(1), int64(2), int64(3)},
		"map":  map[string]any{"a": "x", "b": "yy"},
		"items": []any{
			map[string]any{"name": "é1", "n": int64(1), "tags": []any{"a", "b"}},
			map[string]any{"name": "b2", "n": int64(2)},
			map[string]any{"name": "c3", "n": int64(0), "tags": []any{}},
		},
	}
}

// Generator writes expressions from a source of choices.
type Generator struct {
	*rand.Rand
	variables []string
}

// New returns a generator; equal seeds give equal expressions.
func New(seed uint64) *Generator { return &Generator{Rand: rand.New(rand.NewPCG(seed, 1))} }

// Bool writes an expression that is a bool, or meant to be one.
func (g *Generator) Bool(depth int) string {
	if depth <= 0 {
		return g.pick("true", "false", "object.flag", "has(object.n)", "has( object.nope )", "object.map.a == 'x'")
	}
	switch g.IntN(13) {
	case 0, 1:
		return g.Bool(depth-1) + g.pick(" && ", "&&", "\n  && ") + g.Bool(depth-1)
	case 2, 3:
		return g.Bool(depth-1) + g.pick(" || ", " // or (\n|| ") + g.Bool(depth-1)
	case 4:
		return g.pick("!", "!!", "!!!") + "(" + g.Bool(depth-1) + ")"
	case 5:
		return "(" + g.Bool(depth-1) + " ? " + g.Bool(depth-1) + " : " + g.Bool(depth-1) + ")"
	case 6:
		return g.Int(depth-1) + g.pick(" < ", " >= ", "==", " != ", " in [1, 2, 3] && 1 < ", " in object.list || 2 > ") + g.Int(depth-1)
	case 7:
		return g.Text(depth-1) + g.pick(".startsWith", ".contains", ".matches") + "(" + g.pick("'a'", "\"é\"", "r'\\w'") + ")"
	case 8, 9:
		return g.loop(depth, g.pick("all", "exists", "exists_one"), g.Bool)
	case 10:
		return g.List(depth-1) + g.pick(".all(i, v, ", ".exists(i, v, ") + "i >= 0 && " + g.Bool(depth-1) + ")"
	case 11:
		return "object.?" + g.pick("n", "nope", "map.a", "map.?zz") + g.pick(".hasValue()", ".optMap(o, o != null).orValue("+g.Bool(depth-1)+")", ".orValue(1) != null")
	}
	return "has(object." + g.pick("map.a", "n.x", "items", "nope.a") + ")"
}

// Int writes an expression that is an int, or meant to be one.
func (g *Generator) Int(depth int) string {
	if depth <= 0 {
		return g.pick("1", "-2", "object.n", "object.list[0]", "object.list[7]", "object.nope", "object['n']", "- -3")
	}
	switch g.IntN(8) {
	case 0, 1:
		return "(" + g.Int(depth-1) + g.pick(" + ", "-", " * ", " / ") + g.Int(depth-1) + ")"
	case 2:
		return "size(" + g.List(depth-1) + ")"
	case 3:
		return g.Text(depth-1) + ".size()"
	case 4:
		return "object.list[" + g.Int(depth-1) + "]"
	case 5:
		return "(" + g.Bool(depth-1) + " ? object.n : " + g.Int(depth-1) + ")"
	case 6:
		return "object.?" + g.pick("n", "nope", "list[?5]") + ".orValue(" + g.Int(depth-1) + ")"
	}
	return "(" + g.Bool(depth-1) + " ? object : object.map)." + g.pick("n", "a", "list[0]")
}

// Text writes an expression that is a string, or meant to be one.
func (g *Generator) Text(depth int) string {
	if depth <= 0 {
		return g.pick("'a'", "\"\\\"日本\"", "object.name", "object.map['a']", "object.map.zz", "'''x'''")
	}
	switch g.IntN(4) {
	case 0:
		return "(" + g.Text(depth-1) + " + " + g.Text(depth-1) + ")"
	case 1:
		return "string(" + g.Int(depth-1) + ")"
	case 2:
		return g.Text(depth-1) + g.pick(".upperAscii()", ".replace('a', 'b')", ".substring(1)", ".trim()")
	}
	return "object.map[" + g.Text(depth-1) + "]"
}

// List writes an expression that is a list, or meant to be one.
func (g *Generator) List(depth int) string {
	if depth <= 0 {
		return g.pick("object.items", "object.list", "[1, 2, 3]", "object.map", "[object.n, object.list[1]]", "[]", "object.nope")
	}
	switch g.IntN(6) {
	case 0, 1:
		return g.loop(depth, g.pick("filter"), g.Bool)
	case 2:
		return g.loop(depth, "map", g.Int)
	case 3:
		return "[" + g.Int(depth-1) + ", " + g.Int(depth-1) + "]"
	case 4:
		return "(" + g.List(depth-1) + " + " + g.List(depth-1) + ")"
	}
	return g.pick("object.items", "object.list")
}

// loop writes a macro; the variable that it declares appears in its body.
func (g *Generator) loop(depth int, macro string, body func(int) string) string {
	v := fmt.Sprintf("v%d", len(g.variables))
	list := g.List(depth - 1)
	g.variables = append(g.variables, v)
	defer func() { g.variables = g.variables[:len(g.variables)-1] }()
	inner := body(depth - 1)
	for _, part := range []string{"object.n", "object.name", "object.flag"} {
		if g.IntN(2) == 0 {
			inner = strings.Replace(inner, part, v+strings.TrimPrefix(part, "object"), 1)
		}
	}
	return list + "." + macro + "(" + v + ", " + inner + ")"
}

func (g *Generator) pick(list ...string) string { return list[g.IntN(len(list))] }
