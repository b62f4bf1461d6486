package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// draft is an expression on its way to one that the server accepts. Offsets are
// bytes; tokens are named by their index.
type draft struct {
	*source.Tokens
	*context
	text     string
	compiled *eval.Compiled
	// said are the answers of messages.
	said map[string]bool
	// what is what a rule without a sentence of its own says.
	what string
}

func newDraft(c *context, text string, compiled *eval.Compiled) *draft {
	return &draft{source.NewTokens(text), c, text, compiled, nil, ""}
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// with makes edits, which must be in order and not overlap.
func (d *draft) with(edits ...edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			return d.text // they overlap: the next round finds the rest
		}
		b.WriteString(d.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(d.text[at:])
	return b.String()
}

// each changes tokens; f returns false for those that stay.
func (d *draft) each(f func(i int) (string, bool)) string {
	var edits []edit
	for i := range d.List {
		if text, ok := f(i); ok {
			edits = append(edits, edit{d.start(i), d.end(i), text})
		}
	}
	return d.with(edits...)
}

func (d *draft) start(i int) int { return d.List[i].Bytes }
func (d *draft) end(i int) int   { return d.List[i].EndBytes() }

// slice is the text from token i to token j, both included.
func (d *draft) slice(i, j int) string {
	if i < 0 || j < i || j >= len(d.List) {
		return ""
	}
	return d.text[d.start(i):d.end(j)]
}

func (d *draft) isString(i int) bool {
	return i >= 0 && i < len(d.List) && d.List[i].Kind == source.String
}

func (d *draft) isNumber(i int) bool {
	return i >= 0 && i < len(d.List) && d.List[i].Kind == source.Number
}

// touches reports whether nothing is between token i and the one after it.
func (d *draft) touches(i int) bool { return i+1 < len(d.List) && d.end(i) == d.start(i+1) }

// ends reports whether an operand can end with token i.
func (d *draft) ends(i int) bool {
	return d.isString(i) || d.isNumber(i) || d.IsWord(i) || d.Is(i, ")") || d.Is(i, "]") || d.Is(i, "}")
}

// begins reports whether an operand can begin with token i.
func (d *draft) begins(i int) bool {
	return d.isString(i) || d.isNumber(i) || d.IsWord(i) || d.Is(i, "(") || d.Is(i, "[") || d.Is(i, "{") || d.Is(i, "!") || d.Is(i, "-")
}

// chainStart is the first token of the operand that ends with token i: names,
// calls, indexes and literals joined by points.
func (d *draft) chainStart(i int) int {
	for i > 0 {
		switch {
		case (d.Is(i, ")") || d.Is(i, "]") || d.Is(i, "}")) && d.Partner[i] >= 0:
			open := d.Partner[i]
			if d.IsWord(open-1) || d.Is(i, "]") && d.ends(open-1) && !d.Is(open-1, "(") {
				i = open - 1
				continue
			}
			if !d.Is(open-1, ".") {
				return open
			}
			i = open
		case d.Is(i-1, "?") && d.Is(i-2, "."):
			i -= 3
		case d.Is(i-1, "."):
			i -= 2
		default:
			return i
		}
	}
	return max(i, 0)
}

// chainEnd is the last token of the operand that begins with token i.
func (d *draft) chainEnd(i int) int {
	for (d.Is(i, "!") || d.Is(i, "-")) && i+1 < len(d.List) {
		i++
	}
	if d.Partner[i] > i {
		i = d.Partner[i]
	}
	for {
		switch {
		case d.Is(i+1, ".") && d.Is(i+2, "?") && d.IsWord(i+3):
			i += 3
		case d.Is(i+1, ".") && d.IsWord(i+2):
			i += 2
		case (d.Is(i+1, "(") || d.Is(i+1, "[") || d.Is(i+1, "{") && d.IsWord(i)) && d.Partner[i+1] > 0:
			i = d.Partner[i+1]
		default:
			return i
		}
	}
}

// arguments are the ranges of tokens between the commas of a bracket; nil if it
// is empty or not closed.
func (d *draft) arguments(open int) (list [][2]int) {
	end := d.Partner[open]
	if end <= open+1 {
		return nil
	}
	from := open + 1
	for i := from; i < end; i++ {
		if p := d.Partner[i]; p > i {
			i = p
			continue
		}
		if d.Is(i, ",") {
			list = append(list, [2]int{from, i - 1})
			from = i + 1
		}
	}
	return append(list, [2]int{from, end - 1})
}

// argument is the text of an argument.
func (d *draft) argument(a [2]int) string { return d.slice(a[0], a[1]) }

// call reports whether token i is the name of a function with a bracket after
// it, and whether it is a method.
func (d *draft) call(i int) (open int, method, ok bool) {
	if !d.IsWord(i) || !d.Is(i+1, "(") || d.Partner[i+1] < 0 {
		return 0, false, false
	}
	return i + 1, d.Is(i-1, "."), true
}

// messages reports whether a message of the compiler has a text in it. It looks once, because rules
// want to know it at each token and each token may be a mistake.
func (d *draft) messages(part string) bool {
	if d.said == nil {
		d.said = map[string]bool{}
	}
	said, known := d.said[part]
	if !known {
		said = strings.Contains(d.compiled.Err, part) ||
			slices.ContainsFunc(d.compiled.Issues, func(issue eval.Issue) bool { return strings.Contains(issue.Message, part) })
		d.said[part] = said
	}
	return said
}

// syntaxError reports whether the expression cannot be read.
func (d *draft) syntaxError() bool { return d.messages("Syntax error") }

// undeclared are the tokens of names that the compiler does not know.
func (d *draft) undeclared() map[int]string {
	out := map[int]string{}
	for _, issue := range d.compiled.Issues {
		rest, ok := strings.CutPrefix(issue.Message, "undeclared reference to '")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "'")
		if i := d.Starting(issue.Start); i < len(d.List) {
			out[i] = name
		}
	}
	return out
}

// combined reports whether an operand of && or a comparison would fall apart:
// it has an operator of a lower rank outside brackets.
func (d *draft) combined(from, to int) bool {
	for i := from; i <= to; i++ {
		if p := d.Partner[i]; p > i {
			i = p
			continue
		}
		for _, operator := range []string{"&&", "||", "?", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%"} {
			if d.Is(i, operator) && i > from {
				return true
			}
		}
	}
	return false
}

// operand is a part as an operand of an operator.
func (d *draft) operand(a [2]int) string {
	if d.combined(a[0], a[1]) {
		return "(" + d.argument(a) + ")"
	}
	return d.argument(a)
}
