package expressions

import (
	"slices"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// Comparison is an operator in an expression with the operands beside it, as far
// as names, calls and indexes go.
type Comparison struct {
	Left, Operator, Right string

	expression string
	start, end int // bytes
}

// ComparisonAt is the operator at an offset, in code points, of an expression.
func ComparisonAt(expression string, at int) (Comparison, bool) {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	i := d.Starting(at)
	if i < 1 || i+1 >= len(d.List) || d.List[i].Start != at || !slices.Contains(append([]string{"+"}, comparisons...), d.List[i].Text) {
		return Comparison{}, false
	}
	from, to := d.chainStart(i-1), d.chainEnd(i+1)
	if from < 0 || !utf8.ValidString(expression) {
		return Comparison{}, false
	}
	return Comparison{d.slice(from, i-1), d.List[i].Text, d.slice(i+1, to), expression, d.start(from), d.end(to)}, true
}

// Expression is the whole expression with another text in place of the
// comparison.
func (c Comparison) Expression(with string) string {
	return c.expression[:c.start] + with + c.expression[c.end:]
}

// WithinField puts text around the entry of a literal whose name is at an offset,
// in code points, of an expression; empty if there is none.
func WithinField(expression string, at int, before, after string) string {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	i := d.Starting(at)
	if i+2 >= len(d.List) || d.List[i].Start != at {
		return ""
	}
	if !d.Is(i+1, ":") {
		return ""
	}
	end := i + 2
	for j := i + 2; j < len(d.List) && !d.Is(j, ","); j++ {
		if p := d.Partner[j]; p > j {
			j = p
		} else if p >= 0 {
			break
		}
		end = j
	}
	return d.with(edit{d.start(i), d.start(i), before}, edit{d.end(end), d.end(end), after})
}
