package layout

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow evens out the spaces of a collection in brackets. Its later lines move with the first.
func (l *layout) flow(n *yaml.Node) {
	at := n.Line - 1
	f := flow{layout: l, at: at, column: l.column(n)}
	if strings.HasPrefix(l.lines[at].text[f.column:], "{{") {
		return // that of a template
	}
	shift := 0
	if of := l.lines[at]; of.indent != unknown {
		shift = of.indent - l.own(at)
	}
	f.walk()
	for i := at + 1; i <= f.at && i < len(l.lines); i++ {
		l.lines[i].inside, l.lines[i].indent = true, max(0, l.own(i)+shift)
	}
}

// flow is a place in a collection in brackets.
type flow struct {
	*layout
	at, column int
	depth      int
}

// walk goes to the end of the collection.
func (f *flow) walk() {
	for ; f.at < len(f.lines); f.at, f.column = f.at+1, 0 {
		text := f.lines[f.at].text
		for f.column < len(text) {
			switch c := text[f.column]; {
			case c == '#' && (f.column == 0 || strings.ContainsRune(" \t", rune(text[f.column-1]))):
				f.column = len(text)
				continue
			case c == '\'' || c == '"':
				if f.opens(text) && !f.quote() {
					return
				}
				text = f.lines[f.at].text
			case c == '{' || c == '[':
				f.depth++
				f.spaces(f.column+1, f.column+1, "")
			case c == '}' || c == ']':
				f.spacesBefore(f.column)
				if f.depth--; f.depth == 0 {
					return
				}
			case c == ',':
				f.spacesBefore(f.column)
				f.spaces(f.column+1, f.column+1, " ")
			case c == ':' && f.column+1 < len(text) && strings.ContainsRune(" \t", rune(text[f.column+1])):
				f.spaces(f.column+1, f.column+1, " ")
			}
			f.column++
		}
	}
}

// opens reports whether a quote begins a scalar, which it does not in the middle of a plain one.
func (f *flow) opens(text string) bool {
	before := strings.TrimRight(text[:f.column], " \t")
	return before == "" || strings.ContainsRune("{[,:", rune(before[len(before)-1])) || before != text[:f.column] && strings.ContainsAny(before, "!&?")
}

// quote goes to the end of a quoted scalar; false when there is none.
func (f *flow) quote() bool {
	end := f.quoted(f.at, f.column)
	if end != f.at {
		f.at, f.column = len(f.lines)-1, 0 // of several lines: their spaces stay as they are
		return false
	}
	text, with := f.lines[f.at].text, f.lines[f.at].text[f.column]
	for f.column++; f.column < len(text); f.column++ {
		switch {
		case with == '"' && text[f.column] == '\\':
			f.column++
		case text[f.column] != with:
		case with == '\'' && f.column+1 < len(text) && text[f.column+1] == '\'':
			f.column++
		default:
			return true
		}
	}
	return false
}

// spaces makes the white space from a place on another one, unless it ends the line or is before
// a comment.
func (f *flow) spaces(from, to int, with string) {
	text := f.lines[f.at].text
	for to < len(text) && (text[to] == ' ' || text[to] == '\t') {
		to++
	}
	if to < len(text) && text[to] != '#' && text[from:to] != with {
		f.lines[f.at].gaps = append(f.lines[f.at].gaps, gap{from, to, with})
	}
}

// spacesBefore removes the white space before a place, unless it begins the line or a bracket or
// comma before it has done so.
func (f *flow) spacesBefore(to int) {
	text := f.lines[f.at].text
	from := len(strings.TrimRight(text[:to], " \t"))
	if from == 0 || from == to {
		return
	}
	gaps := f.lines[f.at].gaps
	if n := len(gaps); n > 0 && gaps[n-1].from == from {
		gaps[n-1].with = ""
		return
	}
	f.lines[f.at].gaps = append(gaps, gap{from, to, ""})
}
