package values_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/internal/cel/celgen"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// compile returns the tree of an expression, nil if it does not compile.
func compile(t testing.TB, expression string) *values.Tree {
	t.Helper()
	environments, err := eval.NewSet().ForVersion(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	c := environments.NewCompiler(eval.Run, true, true).CompileIn(expression, eval.Free, eval.Scope{Params: true, Authorizer: true, Patch: true})
	if !c.OK() {
		return nil
	}
	return values.Parse(expression, c.AST.NativeRep())
}

// outline writes the tree as the text of every node, those below in brackets.
func outline(source []rune, n *values.Node) string {
	out := string(source[n.Start:n.End])
	if len(n.Children) == 0 {
		return out
	}
	var children []string
	for _, child := range n.Children {
		children = append(children, outline(source, child))
	}
	return out + " ⟨" + strings.Join(children, " | ") + "⟩"
}

func TestSpans(t *testing.T) {
	for _, test := range []struct{ name, expression, want string }{
		{"literals", `dyn(-2) in [dyn(1.5e-3), dyn(7u), dyn(-0x1F)]`, `dyn(-2) in [dyn(1.5e-3), dyn(7u), dyn(-0x1F)] ⟨dyn(-2) ⟨-2⟩ | [dyn(1.5e-3), dyn(7u), dyn(-0x1F)] ⟨dyn(1.5e-3) ⟨1.5e-3⟩ | dyn(7u) ⟨7u⟩ | dyn(-0x1F) ⟨-0x1F⟩⟩⟩`},
		{"words", `true == false || null == null`, `true == false || null == null ⟨true == false ⟨true | false⟩ | null == null ⟨null | null⟩⟩`},
		{"arithmetic", `1 + 2 * 3 - 4 / 5 % 6`, `1 + 2 * 3 - 4 / 5 % 6 ⟨1 + 2 * 3 ⟨1 | 2 * 3 ⟨2 | 3⟩⟩ | 4 / 5 % 6 ⟨4 / 5 ⟨4 | 5⟩ | 6⟩⟩`},
		{"comparison", `1 < 2 != (3 >= 4)`, `1 < 2 != (3 >= 4) ⟨1 < 2 ⟨1 | 2⟩ | 3 >= 4 ⟨3 | 4⟩⟩`},
		{"balanced", `true && false && true && false`, `true && false && true && false ⟨true && false ⟨true | false⟩ | true && false ⟨true | false⟩⟩`},
		{"not", `!(object.a == 1)`, `!(object.a == 1) ⟨object.a == 1 ⟨object.a ⟨object⟩ | 1⟩⟩`},
		{"not twice", `!!object.a && !!!object.b`, `!!object.a && !!!object.b ⟨object.a ⟨object⟩ | !!!object.b ⟨object.b ⟨object⟩⟩⟩`},
		{"minus", `- object.a - - object.b - (--object.c)`, `- object.a - - object.b - (--object.c) ⟨- object.a - - object.b ⟨- object.a ⟨object.a ⟨object⟩⟩ | - object.b ⟨object.b ⟨object⟩⟩⟩ | object.c ⟨object⟩⟩`},
		{"parentheses", ` ( (object.a) ) . b == ((1))`, `( (object.a) ) . b == ((1)) ⟨( (object.a) ) . b ⟨object.a ⟨object⟩⟩ | 1⟩`},
		{"one argument in parentheses", `size((object.a))`, `size((object.a)) ⟨object.a ⟨object⟩⟩`},
		{"in", `1 in (object.a)`, `1 in (object.a) ⟨1 | object.a ⟨object⟩⟩`},
		{"ternary", `object.a ? 1 : (object.b ? 2 : 3)`, `object.a ? 1 : (object.b ? 2 : 3) ⟨object.a ⟨object⟩ | 1 | object.b ? 2 : 3 ⟨object.b ⟨object⟩ | 2 | 3⟩⟩`},
		{"index", `object.a["x]y"][object.i].b`, `object.a["x]y"][object.i].b ⟨object.a["x]y"][object.i] ⟨object.a["x]y"] ⟨object.a ⟨object⟩ | "x]y"⟩ | object.i ⟨object⟩⟩⟩`},
		{"optionals", `object.?a[?0].b.orValue('x')`, `object.?a[?0].b.orValue('x') ⟨object.?a[?0].b ⟨object.?a[?0] ⟨object.?a ⟨object⟩ | 0⟩⟩ | 'x'⟩`},
		{"optional entries", `[?object.?a].size() + {?'k': object.?b}.size()`, `[?object.?a].size() + {?'k': object.?b}.size() ⟨[?object.?a].size() ⟨[?object.?a] ⟨object.?a ⟨object⟩⟩⟩ | {?'k': object.?b}.size() ⟨{?'k': object.?b} ⟨'k' | object.?b ⟨object⟩⟩⟩⟩`},
		{"map", `{'a': dyn(1), 'b': object.x}['a']`, `{'a': dyn(1), 'b': object.x}['a'] ⟨{'a': dyn(1), 'b': object.x} ⟨'a' | dyn(1) ⟨1⟩ | 'b' | object.x ⟨object⟩⟩ | 'a'⟩`},
		{"struct", `Object{spec: Object.spec{n: object.n + 1}}`, `Object{spec: Object.spec{n: object.n + 1}} ⟨Object.spec{n: object.n + 1} ⟨object.n + 1 ⟨object.n ⟨object⟩ | 1⟩⟩⟩`},
		{"functions with a namespace", `sets.contains([object.b], [object.a]) && format.dns1123Label().validate('x').hasValue()`, `sets.contains([object.b], [object.a]) && format.dns1123Label().validate('x').hasValue() ⟨sets.contains([object.b], [object.a]) ⟨[object.b] ⟨object.b ⟨object⟩⟩ | [object.a] ⟨object.a ⟨object⟩⟩⟩ | format.dns1123Label().validate('x').hasValue() ⟨format.dns1123Label().validate('x') ⟨format.dns1123Label() | 'x'⟩⟩⟩`},
		{"variable with a point", `authorizer.requestResource.check('get').allowed()`, `authorizer.requestResource.check('get').allowed() ⟨authorizer.requestResource.check('get') ⟨authorizer.requestResource | 'get'⟩⟩`},
		{"absolute name", `.object.a == .object`, `.object.a == .object ⟨.object.a ⟨.object⟩ | .object⟩`},
		{"has", `has(object.a.b) && !has((object.c).d)`, `has(object.a.b) && !has((object.c).d) ⟨has(object.a.b) ⟨object.a ⟨object⟩⟩ | !has((object.c).d) ⟨has((object.c).d) ⟨object.c ⟨object⟩⟩⟩⟩`},
		{"macros", `object.a.all(c, c.b.exists(d, d == c.e))`, `object.a.all(c, c.b.exists(d, d == c.e)) ⟨object.a ⟨object⟩ | c | c.b.exists(d, d == c.e) ⟨c.b ⟨c⟩ | d | d == c.e ⟨d | c.e ⟨c⟩⟩⟩⟩`},
		{"chain of macros", `object.a.filter(c, has(c.x)).map(c, c.y, c.z).exists_one(z, z)`, `object.a.filter(c, has(c.x)).map(c, c.y, c.z).exists_one(z, z) ⟨object.a.filter(c, has(c.x)).map(c, c.y, c.z) ⟨object.a.filter(c, has(c.x)) ⟨object.a ⟨object⟩ | c | has(c.x) ⟨c⟩⟩ | c | c.y ⟨c⟩ | c.z ⟨c⟩⟩ | z | z⟩`},
		{"two variables", `object.a.transformMap(k, v, k != '', string(v)).all(k, v, sets.contains([k], [v]))`, `object.a.transformMap(k, v, k != '', string(v)).all(k, v, sets.contains([k], [v])) ⟨object.a.transformMap(k, v, k != '', string(v)) ⟨object.a ⟨object⟩ | k | v | k != '' ⟨k | ''⟩ | string(v) ⟨v⟩⟩ | k | v | sets.contains([k], [v]) ⟨[k] ⟨k⟩ | [v] ⟨v⟩⟩⟩`},
		{"bindings", `object.?a.optMap(v, v + 1).orValue(0) + object.b.sortBy(e, e.f).size()`, `object.?a.optMap(v, v + 1).orValue(0) + object.b.sortBy(e, e.f).size() ⟨object.?a.optMap(v, v + 1).orValue(0) ⟨object.?a.optMap(v, v + 1) ⟨object.?a ⟨object⟩ | v | v + 1 ⟨v | 1⟩⟩ | 0⟩ | object.b.sortBy(e, e.f).size() ⟨object.b.sortBy(e, e.f) ⟨object.b ⟨object⟩ | e | e.f ⟨e⟩⟩⟩⟩`},
		{"strings", `"\"é" + '''a'b''' + r'\' + "日本" == string(b'\x41')`, `"\"é" + '''a'b''' + r'\' + "日本" == string(b'\x41') ⟨"\"é" + '''a'b''' + r'\' + "日本" ⟨"\"é" + '''a'b''' + r'\' ⟨"\"é" + '''a'b''' ⟨"\"é" | '''a'b'''⟩ | r'\'⟩ | "日本"⟩ | string(b'\x41') ⟨b'\x41'⟩⟩`},
		{"lines and comments", "'é' == object.a // (why\n  && // [\n  object.b // end", "'é' == object.a // (why\n  && // [\n  object.b ⟨'é' == object.a ⟨'é' | object.a ⟨object⟩⟩ | object.b ⟨object⟩⟩"},
		{"everything in parentheses", "((object.a))", "((object.a)) ⟨object⟩"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := compile(t, test.expression)
			if tree == nil {
				t.Fatal("does not compile")
			}
			if got := outline([]rune(test.expression), tree.Root); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestLoops(t *testing.T) {
	for expression, want := range map[string]int{
		"object.a.all(c, c.b.all(d, d.x))":        2,
		"object.?a.optMap(x, x.x).orValue(false)": 0,
		"object.a.sortBy(c, c.x)":                 1,
		"object.a.all(k, v, has(v.x.x))":          1,
	} {
		deepest := 0
		for _, n := range compile(t, expression).Nodes {
			if n.Kind == values.Select && n.Name == "x" {
				deepest = n.Depth
			}
		}
		if deepest != want {
			t.Errorf("%s: depth %d, want %d", expression, deepest, want)
		}
	}
}

// FuzzSpans checks random text, what little of it compiles.
func FuzzSpans(f *testing.F) {
	target := variants.Of(f, 300)
	for _, seed := range []string{
		"(object.a) == [1, 2][0]", "!!(!object.x)", "object.a.map(x, x ? 1 : 2)", "- -1 + --object.b", "'\\'' + \"é\" + b'x'",
		"Object{a: {'b': [?object.?c]}}", "has(object.a) // c", "object.?a.optMap(x, x).or(optional.of(1)).hasValue()", "1 in {1: 2}", "object['a'][object.b]",
		"Object{a: {'b': [?object.c]}}", // crashes cel-go
	} {
		target.Add(seed)
	}
	target.Fuzz(checkSpans)
}

// TestGeneratedSpans checks expressions that are made to compile.
func TestGeneratedSpans(t *testing.T) {
	compiled, n := 0, 1500
	if !variants.Full() {
		n /= 5
	}
	for seed := range uint64(n) {
		g := celgen.New(seed)
		expression := g.Bool(1 + int(seed%4))
		if compile(t, expression) != nil {
			compiled++
			checkSpans(t, expression)
		}
	}
	if compiled < n*2/3 {
		t.Errorf("only %d of %d expressions compile", compiled, n)
	}
}

// checkSpans checks what holds for every expression: nodes lie within their
// parents, siblings do not overlap, and the root covers all but blanks and
// comments.
func checkSpans(t *testing.T, expression string) {
	if !utf8.ValidString(expression) {
		return
	}
	tree := compile(t, expression)
	if tree == nil {
		return
	}
	source := []rune(expression)
	if got := string(source[tree.Root.Start:tree.Root.End]); !strings.Contains(expression, "//") && got != strings.TrimSpace(expression) {
		t.Errorf("%q: root is %q", expression, got)
	}
	for _, n := range tree.Nodes {
		if n.Start < 0 || n.Start >= n.End || n.End > len(source) {
			t.Fatalf("%q: node %d is [%d, %d)", expression, n.ID, n.Start, n.End)
		}
		end := n.Start
		for _, child := range n.Children {
			if child.Start < end || child.End > n.End {
				t.Errorf("%q: %q lies outside of %q", expression, string(source[child.Start:child.End]), string(source[n.Start:n.End]))
			}
			end = child.End
		}
	}
}
