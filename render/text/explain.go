package text

import (
	"slices"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/report"
)

// Explain writes an expression with the value of every part under it, as power
// assertions do:
//
//	object.spec.replicas <= variables.limit
//	            |        |            |
//	            8        false        5
//
// Objects on the way to a field are left out.
//
// Positions of nodes are rune offsets in the expression. An expression of
// several lines gets the values under each of its lines. The result ends
// without a line feed.
func Explain(expression string, nodes []report.Node, width int) string {
	runes := []rune(expression)
	marks := collect(runes, nodes, nil)
	slices.SortStableFunc(marks, func(a, b mark) int { return a.at - b.at })
	marks = slices.CompactFunc(marks, func(a, b mark) bool { return a.at == b.at })

	var out []string
	begin := 0
	for {
		end := begin
		for end < len(runes) && runes[end] != '\n' {
			end++
		}
		out = append(out, explainLine(runes[begin:end], within(marks, begin, end), max(width, 30))...)
		if end == len(runes) {
			return strings.Join(out, "\n")
		}
		begin = end + 1
	}
}

// mark is a value and the position under which it is written.
type mark struct {
	at   int // rune offset
	text string
}

// within returns the marks from begin to end, relative to begin.
func within(marks []mark, begin, end int) []mark {
	var out []mark
	for _, m := range marks {
		if m.at >= begin && m.at < end {
			out = append(out, mark{m.at - begin, m.text})
		}
	}
	return out
}

// collect makes a mark for every informative node. Outer nodes come first, so that they win a
// position shared with an inner one.
func collect(expression []rune, nodes []report.Node, marks []mark) []mark {
	return collectIn(expression, nil, nodes, marks)
}

func collectIn(expression []rune, parent *report.Node, nodes []report.Node, marks []mark) []mark {
	for i := range nodes {
		n := &nodes[i]
		if n.Start < 0 || n.End > len(expression) || n.Start >= n.End {
			continue
		}
		if !literal(expression[n.Start:n.End]) && !n.Failed && !onTheWay(expression, parent, n) {
			marks = append(marks, mark{anchor(expression, *n), nodeText(*n)})
		}
		marks = collectIn(expression, n, n.Children, marks)
	}
	return marks
}

// onTheWay reports whether a node is an object from which its parent only selects a field: the
// values of object or object.spec are not interesting then.
func onTheWay(expression []rune, parent, n *report.Node) bool {
	if parent == nil || parent.Failed || parent.Error != "" || n.Error != "" || !n.Evaluated {
		return false
	}
	if _, isMap := n.Value.(map[string]any); !isMap || n.Start != parent.Start || n.End >= parent.End {
		return false
	}
	return expression[n.End] == '.' || expression[n.End] == '['
}

// literal reports whether the source already shows a node's value.
func literal(source []rune) bool {
	switch first := source[0]; {
	case first == '"' || first == '\'':
		return slices.Index(source[1:], first) == len(source)-2
	case unicode.IsDigit(first):
		return !slices.ContainsFunc(source, unicode.IsSpace)
	}
	word := string(source)
	return word == "true" || word == "false" || word == "null"
}

// anchor returns the position under which a node's value is written: its operator, last field or
// function, not its first rune, which belongs to the operand.
func anchor(expression []rune, n report.Node) int {
	at := n.Start
	for _, child := range n.Children {
		if child.Start >= n.Start && child.End <= n.End && leads(expression, n.Start, child.Start) {
			at = max(at, child.End)
		}
	}
	if at == n.Start {
		return at
	}
	for at < n.End && (unicode.IsSpace(expression[at]) || expression[at] == ')') {
		at++
	}
	if at < n.End && expression[at] == '.' {
		at++
		if at < n.End && expression[at] == '?' {
			at++
		}
	}
	if at >= n.End {
		return n.Start
	}
	return at
}

// leads reports whether only opening parentheses precede a child in its node, so that the child is
// its first operand.
func leads(expression []rune, start, child int) bool {
	return !slices.ContainsFunc(expression[start:min(child, len(expression))], func(r rune) bool { return r != '(' && !unicode.IsSpace(r) })
}

// maxExplained limits the columns of one value.
const maxExplained = 40

func nodeText(n report.Node) string {
	switch {
	case n.Error != "":
		return cut("error: "+oneLine(n.Error), 2*maxExplained)
	case !n.Evaluated:
		return "(not evaluated)"
	case n.Count > 1 && len(n.Values) > 0:
		list := make([]string, len(n.Values))
		for i, v := range n.Values {
			list[i] = cut(shownValue(n, i, v), maxExplained/2)
		}
		if n.Cut || n.Count > len(n.Values) {
			list = append(list, "…")
		}
		return cut(strings.Join(list, " | "), 2*maxExplained)
	}
	text := n.Shown
	if text == "" {
		text = value(n.Value)
	}
	text = cut(text, maxExplained)
	if n.Cut && !strings.HasSuffix(text, "…") {
		text += "…"
	}
	return text
}

// shownValue returns a part's value in one of its runs.
func shownValue(n report.Node, i int, v any) string {
	if i < len(n.ShownValues) && n.ShownValues[i] != "" {
		return n.ShownValues[i]
	}
	return value(v)
}

// explainLine writes one line of the expression and the values below it. Marks are ordered by
// position. The rightmost values come first; a value that would overlap the next bar waits for a
// later row.
func explainLine(line []rune, marks []mark, width int) []string {
	out := []string{string(line)}
	if len(marks) == 0 {
		return out
	}
	out = append(out, bars(line, marks))
	for len(marks) > 0 {
		row := []rune(bars(line, marks))
		limit := width * 4 // the last value in a row has room
		var waiting []mark
		for i := len(marks) - 1; i >= 0; i-- {
			m := marks[i]
			text := []rune(m.text)
			if m.at+len(text) >= limit {
				waiting = append(waiting, m)
				limit = m.at
				continue
			}
			row = write(row, m.at, text)
			limit = m.at
		}
		slices.Reverse(waiting)
		if len(waiting) == len(marks) { // impossible: the last one always fits
			waiting = waiting[:len(waiting)-1]
		}
		out = append(out, strings.TrimRight(string(row), " "))
		marks = waiting
	}
	return out
}

// bars is a row with a bar at every mark. It keeps the line's tabs, so that columns align.
func bars(line []rune, marks []mark) string {
	row := make([]rune, marks[len(marks)-1].at+1)
	for i := range row {
		row[i] = ' '
		if i < len(line) && line[i] == '\t' {
			row[i] = '\t'
		}
	}
	for _, m := range marks {
		row[m.at] = '|'
	}
	return string(row)
}

func write(row []rune, at int, text []rune) []rune {
	for len(row) < at+len(text) {
		row = append(row, ' ')
	}
	copy(row[at:], text)
	return row
}
