package source_test

import (
	"testing"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// TestIssue checks which characters an issue underlines, for positions as
// cel-go gives them.
func TestIssue(t *testing.T) {
	for _, c := range []struct {
		source       string
		line, column int
		message      string
		want         string
	}{
		{"nope == 1", 1, 0, "undeclared reference to 'nope' (in container '')", "nope"},
		{"a.nope(1)", 1, 6, "undeclared reference to 'nope' (in container '')", "nope"},
		{"variables.x", 1, 9, "undefined field 'x'", "x"},
		{"Object.spec{}", 1, 11, "undeclared reference to 'Object.spec' (in container '')", "Object.spec"},
		{"1 == 'a'", 1, 2, "found no matching overload for '_==_' applied to '(int, string)'", "=="},
		{"size(5)", 1, 4, "found no matching overload for 'size' applied to '(int)'", "size"},
		{"[1, 'a\\'b']", 1, 4, "expected type 'int' but found 'string'", `'a\'b'`},
		{"'ä' ==\n  nope", 2, 2, "undeclared reference to 'nope' (in container '')", "nope"},
		{"a ==", 1, 4, "Syntax error: mismatched input '<EOF>'", "="},
		{"a ? 1 : 'b'", 1, 2, "found no matching overload for '_?_:_' applied to '(bool, int, string)'", "?"},
		{"has(object.a.b) && object.a.b", 1, 3, "undefined field 'b'", "b"},
		{"a . `b.c` == 1", 1, 2, "undefined field 'b.c'", "`b.c`"},
		{"size (5)", 1, 5, "found no matching overload for 'size' applied to '(int)'", "size"},
		{"a.exists(b, c)", 1, 8, "expression of type 'int' cannot be range of a comprehension", "exists"},
		{"a b (c)", 1, 4, "Syntax error: extraneous input '('", "("},
		{"1 == 'open", 1, 5, "Syntax error: token recognition error at: ''open'", "'"},
		{" a + 1.5e-3 \n", -1, -1, "expression recursion limit exceeded: 250", "a + 1.5e-3"},
		{"a + b", 1, -1, "anything", "a + b"},
		{"a + b", 0, 3, "anything", "a + b"},
		{"x", 7, 7, "anything", "x"},
		{"a\nb", 1, 90, "anything", "b"},
		{"", 1, 0, "anything", ""},
	} {
		text := source.NewText(c.source)
		start, end := text.Issue(c.line, c.column, c.message)
		if got := text.Slice(start, end); got != c.want {
			t.Errorf("%q %q: got %q, want %q", c.source, c.message, got, c.want)
		}
	}
}

// FuzzIssue checks that a position, whatever it is, leads to a range within the
// expression, and that tokens are what the expression has between their offsets.
func FuzzIssue(f *testing.F) {
	target := variants.Of(f, 1000)
	for _, e := range []string{"", "a.b(c)[?0] == r'\\' && `x` // y", "\"\"\"\n", "1e-", "ä\xff.`", "has(", "b'"} {
		target.Add(e, 1, 0, "undefined field 'b'")
		target.Add(e, -1, -1, "Syntax error")
		target.Add(e, 2, 100, "undeclared reference to 'a'")
	}
	target.Fuzz(func(t *testing.T, expression string, line, column int, message string) {
		text := source.NewText(expression)
		for _, find := range []func() (int, int){
			func() (int, int) { return text.Issue(line, column, message) },
			func() (int, int) { return text.WordAt(column) },
			func() (int, int) { return text.TypeName(column) },
			text.Whole,
		} {
			start, end := find()
			if n := utf8.RuneCountInString(expression); start < 0 || end > n || start > end || start == end && n > 0 {
				t.Fatalf("%q: %d to %d, of %d", expression, start, end, n)
			}
		}
		at := 0
		for _, token := range source.Lex(expression) {
			if token.Bytes < at || token.Text == "" || expression[token.Bytes:token.EndBytes()] != token.Text {
				t.Fatalf("%q: the token %+v", expression, token)
			}
			if got := utf8.RuneCountInString(expression[:token.Bytes]); got != token.Start || token.End-token.Start != utf8.RuneCountInString(token.Text) {
				t.Fatalf("%q: the token %+v begins after %d code points", expression, token, got)
			}
			at = token.EndBytes()
		}
	})
}
