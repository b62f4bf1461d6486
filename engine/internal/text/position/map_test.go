package position

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

type decode func(source string, start int, want string) (*ScalarMap, bool)

// TestScalars checks each scalar's decoded text and the source of each of its characters.
// engine/scenario fuzzes the round trip through a parser; this tests each rule.
func TestScalars(t *testing.T) {
	tests := []struct {
		name   string
		decode decode
		source string // from the first ^ on; the part after the second ^ does not belong to it
		text   string
		pieces string // separated by |
	}{
		{"plain", Plain, "^ab c^ # comment", "ab c", "a|b| |c"},
		{"plain, folded", Plain, "^a \n\t b\n\n  c^\nd: e", "a b\nc", "a|\n|b|\n|c"},
		{"plain, CRLF", Plain, "^a\r\n  b^\r\n", "a b", "a|\r\n|b"},
		{"plain, not ASCII", Plain, "^é😀^: 1", "é😀", "é|😀"},
		{"single quotes", SingleQuoted, "^'a''b'^", "a'b", "a|''|b"},
		{"single quotes, folded", SingleQuoted, "^' a\n b\n\n\n  c '^", " a b\n\nc ", " |a|\n|b|\n|\n|c| "},
		{"double quotes", DoubleQuoted, `^"a\"\x41\u00e9\U0001F600\N"^`, "a\"Aé😀\u0085", `a|\"|\x41|\u00e9|\U0001F600|\N`},
		{"double quotes, escaped break", DoubleQuoted, "^\"a \\\n   b\"^", "a b", "a| |b"},
		{"double quotes, escaped break and empty line", DoubleQuoted, "^\"a\\\n\n  b\"^", "a\nb", "a|\n|b"},
		{"double quotes, folded", DoubleQuoted, "^\"a\n  b\"^", "a b", "a|\n|b"},
		{"double quotes, line separator", DoubleQuoted, "^\"a\u2028  b\"^", "a\u2028b", "a|\u2028|b"},
		{"literal", Block, "^|\n  a\n   b\n\n  c\n^d", "a\n b\n\nc\n", "a|\n| |b|\n|\n|c|\n"},
		{"literal, stripped", Block, "^|-\n  a\n  b^\n", "a\nb", "a|\n|b"},
		{"literal, kept", Block, "^|+\n  a\n\n \n^d", "a\n\n\n", "a|\n|\n|\n"},
		{"literal, indented by indicator", Block, "^|2-\n   a\n  b^\n", " a\nb", " |a|\n|b"},
		{"literal, comment in the header", Block, "^|- # + 9\n  a^\n\n", "a", "a"},
		{"literal, CRLF", Block, "^|\r\n  a\r\n  b\r\n^", "a\nb\n", "a|\r\n|b|\r\n"},
		{"literal, end of text", Block, "^|\n  a^", "a", "a"},
		{"literal, empty lines first", Block, "^|\n\n \n  a\n^", "\n\na\n", "\n|\n|a|\n"},
		{"literal, only empty lines", Block, "^|+\n\n \n^b", "\n\n", "\n|\n"},
		{"literal, empty", Block, "^|^\nb: 1", "", ""},
		{"literal, tab in the content", Block, "^|\n  a\tb\n^", "a\tb\n", "a|\t|b|\n"},
		{"folded", Block, "^>\n  a\n  b\n\n  c\n^", "a b\nc\n", "a|\n|b|\n|c|\n"},
		{"folded, more indented", Block, "^>\n  a\n   b\n  c\n^", "a\n b\nc\n", "a|\n| |b|\n|c|\n"},
		{"folded, tab starts a line", Block, "^>\n  a\n  \tb\n^", "a\n\tb\n", "a|\n|\t|b|\n"},
		{"folded, stripped", Block, "^>-\n  a\n  b\n\n\n  c^\n\n", "a b\n\nc", "a|\n|b|\n|\n|c"},
		{"folded, kept", Block, "^>+\n  a\n  b\n\n^c: d", "a b\n\n", "a|\n|b|\n|\n"},
		{"folded, CRLF", Block, "^>-\r\n  a\r\n  b\r\n\r\n  c^\r\n", "a b\nc", "a|\r\n|b|\r\n|c"},
		{"folded, indented by indicator", Block, "^>2-\n   a\n  b\n  c^\n", " a\nb c", " |a|\n|b|\n|c"},
		{"folded, empty line before more indented", Block, "^>\n  a\n\n    b\n  c\n^", "a\n\n  b\nc\n", "a|\n|\n| | |b|\n|c|\n"},
		{"folded, not ASCII", Block, "^>-\n  é\n  😀 x^", "é 😀 x", "é|\n|😀| |x"},
		{"literal, indicator after the chomping", Block, "^|-2\n   a\n  b^\n", " a\nb", " |a|\n|b"},
		{"literal, kept and indented by indicator", Block, "^|+1\n  a\n\n^b", " a\n\n", " |a|\n|\n"},
		{"single quotes, CRLF", SingleQuoted, "^'a\r\n  b\r\n\r\n  c'^\r\n", "a b\nc", "a|\r\n|b|\r\n|c"},
		{"double quotes, CRLF", DoubleQuoted, "^\"a\r\n  b\\\r\n  c\"^\r\n", "a bc", "a|\r\n|b|c"},
		{"double quotes, tab and trailing blanks", DoubleQuoted, "^\"a\tb  \n \t c\"^", "a\tb c", "a|\t|b|\n|c"},
		{"JSON", JSONString, `^"a\"\/\n\u00e9\ud83d\ude00x"^`, "a\"/\né😀x", `a|\"|\/|\n|\u00e9|\ud83d\ude00|x`},
		{"JSON, half a pair", JSONString, `^"\ud83dx\ude00"^`, "\ufffdx\ufffd", `\ud83d|x|\ude00`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := "😀: "
			parts := strings.Split(tt.source, "^")
			source := before + strings.Join(parts, "")
			m, ok := tt.decode(source, len(before), tt.text)
			if !ok {
				t.Fatalf("not decoded to %q", tt.text)
			}
			if got := source[m.Span.Start:m.Span.End]; got != parts[1] {
				t.Errorf("the whole is %q, want %q", got, parts[1])
			}
			var pieces []string
			for i := range utf8.RuneCountInString(m.Text) {
				span := m.SpanOfRunes(i, i+1)
				pieces = append(pieces, source[span.Start:span.End])
			}
			if got := strings.Join(pieces, "|"); got != tt.pieces {
				t.Errorf("pieces\ngot  %q\nwant %q", got, tt.pieces)
			}
			if _, ok := tt.decode(source, len(before), tt.text+"x"); ok {
				t.Error("decoded to something else as well")
			}
		})
	}
}

func TestBroken(t *testing.T) {
	for _, tt := range []struct {
		decode decode
		source string
	}{
		{SingleQuoted, "'a"}, {DoubleQuoted, `"a`}, {DoubleQuoted, `"\q"`}, {DoubleQuoted, `"\x4"`}, {DoubleQuoted, `"\u12`}, {DoubleQuoted, `"\`},
		{DoubleQuoted, `"\U00110000"`}, {JSONString, `"a`}, {JSONString, `"\x41"`}, {JSONString, `"\u12"`}, {JSONString, `"\`},
	} {
		for _, want := range []string{"", "a", "A", "q"} {
			if m, ok := tt.decode(tt.source, 0, want); ok {
				t.Errorf("%s was decoded to %+v", tt.source, m)
			}
		}
	}
}

func TestSpans(t *testing.T) {
	const source = `x: "a\né"` // the value is 4 bytes in 3 characters
	m, ok := DoubleQuoted(source, 3, "a\né")
	if !ok {
		t.Fatal("not decoded")
	}
	span := func(start, end int) diag.Span { return diag.Span{Start: start, End: end} }
	for _, tt := range []struct {
		name      string
		got, want diag.Span
	}{
		{"all", m.SpanOfRunes(0, 3), span(4, 9)},
		{"clamped", m.SpanOfRunes(-5, 99), span(4, 9)},
		{"empty", m.SpanOfRunes(1, 1), span(5, 5)},
		{"empty at the end", m.SpanOfRunes(3, 3), span(9, 9)},
		{"reversed", m.SpanOfRunes(2, 1), span(7, 7)},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	empty, _ := DoubleQuoted(`""`, 0, "")
	if empty.SpanOfRunes(0, 1) != span(0, 0) {
		t.Errorf("in an empty string: %v", empty.SpanOfRunes(0, 1))
	}
}

// TestIndex compares every offset in a text with counting.
func TestIndex(t *testing.T) {
	text := "aé😀\n" + strings.Repeat("x", 300) + "😀" + strings.Repeat("é", 300)
	x := NewIndex(text)
	runes := 0
	for i := range text {
		if got := [2]int{x.Runes(i), x.FromRunes(runes)}; got != [2]int{runes, i} {
			t.Fatalf("byte %d: %v, want %d code points, and back", i, got, runes)
		}
		runes++
	}
	if got := [3]int{x.Runes(1 << 30), x.FromRunes(1 << 30), x.FromRunes(-1)}; got != [3]int{runes, len(text), 0} {
		t.Errorf("outside the text: %v", got)
	}
}

func TestLineStarts(t *testing.T) {
	if got, want := LineStarts("xxa\r\nb\rc\nd\u0085e\u2028f\u2029", 2), []int{2, 5, 7, 9, 12, 16, 20}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
