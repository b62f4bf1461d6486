package layout

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// layout is a text while it is laid out, by its lines, which count from 0.
type layout struct {
	lines []line
}

type line struct {
	text string
	// indent is the one that it is to have; unknown where no node begins on the line.
	indent int
	// continued is the indent of later lines of a plain scalar that begins on this one.
	continued int
	// inside says that the line continues a scalar or a flow collection, so that it keeps what
	// it has; kept says that this counts for its indent, too.
	inside, kept bool
	// gaps are the runs of white space in the line that become one space or none.
	gaps []gap
}

type gap struct {
	from, to int
	with     string
}

const unknown = -1

func newLayout(text string) *layout {
	l := &layout{}
	for t := range strings.SplitSeq(text, "\n") {
		l.lines = append(l.lines, line{text: t, indent: unknown, continued: unknown})
	}
	return l
}

// column is where a node begins in its line, in bytes.
func (l *layout) column(n *yaml.Node) int {
	text, at := l.lines[n.Line-1].text, 0
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// first reports whether nothing but white space is before a column of a line.
func (l *layout) first(at, column int) bool {
	return strings.Trim(l.lines[at].text[:column], " \t") == ""
}

// begin notes the indent of a line that begins with a node at a column, or the single space
// before a node that stands behind a key or a dash.
func (l *layout) begin(at, column, indent int) {
	of := &l.lines[at]
	if l.first(at, column) {
		of.indent = indent
		return
	}
	before := strings.TrimRight(of.text[:column], " \t")
	if before != of.text[:column] && (strings.HasSuffix(before, ":") || strings.HasSuffix(before, "-")) {
		of.gaps = append(of.gaps, gap{len(before), column, " "})
	}
}

// parent is the collection that holds a node: the indent that it had, and the one that it is to
// have. Both are -1 for a document.
type parent struct{ was, indent int }

// block lays out a node outside flow collections.
func (l *layout) block(n *yaml.Node, indent int, p parent) {
	if n.Line == 0 || n.Line > len(l.lines) || n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Tag == "!!null" {
		return // written as nothing
	}
	switch {
	case n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode:
		l.begin(n.Line-1, l.column(n), indent)
		l.scalar(n, p)
	case n.Style&yaml.FlowStyle != 0:
		l.begin(n.Line-1, l.column(n), indent)
		l.flow(n)
	case n.Kind == yaml.SequenceNode:
		l.sequence(n, indent)
	default:
		l.mapping(n, indent)
	}
}

func (l *layout) mapping(n *yaml.Node, indent int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		l.begin(key.Line-1, l.column(key), indent)
		below := indent + step
		if value.Kind == yaml.SequenceNode && value.Column == key.Column {
			below = indent // lists stay where their key is, if they were
		}
		l.block(value, below, parent{l.column(n), indent})
	}
}

func (l *layout) sequence(n *yaml.Node, indent int) {
	column := l.column(n)
	for i, item := range n.Content {
		at := n.Line - 1
		if i > 0 {
			at = l.dash(item.Line-1, column)
		}
		l.begin(at, column, indent)
		l.block(item, indent+step, parent{column, indent})
	}
}

// dash is the line of the dash of an item, at or above where the item is.
func (l *layout) dash(at, column int) int {
	for up := at; up >= 0; up-- {
		text := l.lines[up].text
		if len(text) > column && text[column] == '-' && l.first(up, column) {
			return up
		}
	}
	return at
}

// scalar notes the lines that a scalar has besides its first one.
func (l *layout) scalar(n *yaml.Node, p parent) {
	at := n.Line - 1
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		l.blockScalar(at, l.column(n), p)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		for end := l.quoted(at, l.column(n)); at < end; {
			at++
			l.lines[at].inside, l.lines[at].indent = true, p.indent+step
		}
	default:
		l.lines[at].continued = p.indent + step
	}
}

// quoted is the line on which a quoted scalar ends.
func (l *layout) quoted(at, column int) int {
	text := l.lines[at].text[column:]
	quote := strings.IndexAny(text, `'"`) // an anchor or a tag may be before it
	if quote < 0 {
		return at
	}
	with := text[quote]
	for from := column + quote + 1; at < len(l.lines); at, from = at+1, 0 {
		text := l.lines[at].text
		for i := from; i < len(text); i++ {
			switch {
			case with == '"' && text[i] == '\\':
				i++
			case text[i] != with:
			case with == '\'' && i+1 < len(text) && text[i+1] == '\'':
				i++
			default:
				return at
			}
		}
	}
	return len(l.lines) - 1
}

// blockScalar moves the lines of a literal or folded scalar to the indent below its parent's.
func (l *layout) blockScalar(at, column int, p parent) {
	header, _, _ := strings.Cut(l.lines[at].text[column:], " #")
	end, most := at, unknown // the last line with text, the indent of the first
	next := at + 1
	for ; next < len(l.lines); next++ {
		text := l.lines[next].text
		if strings.TrimSpace(text) == "" {
			continue
		}
		own := len(text) - len(strings.TrimLeft(text, " "))
		if most == unknown {
			if most = own; most <= p.was {
				return // it is empty
			}
		}
		if own < most {
			break
		}
		end = next
	}
	if strings.Contains(header, "+") {
		end = next - 1 // empty lines at its end are kept
	}
	to := p.indent + step
	if strings.ContainsAny(header, "123456789") { // it says how far it is indented
		to = max(0, most+p.indent-p.was)
	}
	for i := at + 1; i <= end && i < len(l.lines); i++ {
		of := &l.lines[i]
		of.inside, of.kept = true, true
		if most != unknown && len(of.text) >= most {
			of.text = strings.Repeat(" ", to) + of.text[most:]
		} else {
			of.text = ""
		}
	}
}

// text is the text with its new layout.
func (l *layout) text() string {
	l.plain()
	var b strings.Builder
	empty := true // no second empty line, and none at the beginning
	last := len(l.lines) - 1
	for last >= 0 && !l.lines[last].inside && strings.TrimSpace(l.lines[last].text) == "" {
		last--
	}
	for i := 0; i <= last; i++ {
		of := &l.lines[i]
		switch {
		case of.kept:
			b.WriteString(of.text)
		case strings.TrimSpace(of.text) == "":
			if empty && !of.inside {
				continue
			}
			b.WriteString("\n")
			empty = true
			continue
		default:
			of.write(&b, l.indentOf(i))
		}
		b.WriteByte('\n')
		empty = false
	}
	return b.String()
}

// plain finds the later lines of plain scalars: those that begin no node and are no comment.
func (l *layout) plain() {
	owner := unknown
	for i := range l.lines {
		of := &l.lines[i]
		switch text := strings.TrimSpace(of.text); {
		case of.inside || text == "" || strings.HasPrefix(text, "#"):
		case of.indent != unknown || strings.HasPrefix(of.text, "---") || strings.HasPrefix(of.text, "...") || strings.HasPrefix(of.text, "%"):
			owner = i
		case owner != unknown && l.lines[owner].continued != unknown:
			for j := owner + 1; j <= i; j++ {
				l.lines[j].inside, l.lines[j].indent = true, l.lines[owner].continued
			}
		}
	}
}

// indentOf is the indent that a line is to have. A comment has that of the next node, or of the
// node before that was as far indented.
func (l *layout) indentOf(i int) int {
	if l.lines[i].indent != unknown {
		return l.lines[i].indent
	}
	own := l.own(i)
	if !strings.HasPrefix(strings.TrimSpace(l.lines[i].text), "#") {
		return own
	}
	next := slices.IndexFunc(l.lines[i:], func(of line) bool { return of.indent != unknown && !of.inside || strings.HasPrefix(of.text, "---") })
	if next >= 0 && l.own(i+next) >= own {
		return max(0, l.lines[i+next].indent)
	}
	for up := i - 1; up >= 0; up-- { // it is the last one of a collection
		if l.lines[up].indent != unknown && !l.lines[up].inside && l.own(up) <= own {
			return l.lines[up].indent
		}
	}
	return own
}

// own is the indent that a line has.
func (l *layout) own(i int) int {
	return len(l.lines[i].text) - len(strings.TrimLeft(l.lines[i].text, " \t"))
}

func (of *line) write(b *strings.Builder, indent int) {
	b.WriteString(strings.Repeat(" ", max(0, indent)))
	at := len(of.text) - len(strings.TrimLeft(of.text, " \t"))
	slices.SortFunc(of.gaps, func(a, b gap) int { return a.from - b.from })
	for _, g := range of.gaps {
		if g.from >= at {
			b.WriteString(of.text[at:g.from] + g.with)
			at = g.to
		}
	}
	rest := of.text[at:]
	if !of.inside {
		rest = strings.TrimRight(rest, " \t")
	}
	b.WriteString(rest)
}
