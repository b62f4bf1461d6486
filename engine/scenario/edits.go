package scenario

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// The methods below edit a document's text without reparsing it: everything else keeps its comments
// and layout. They support block mappings, collections in brackets and JSON. They report false if
// the text is too unusual, for example with aliases. Values are one line of YAML.

// Rename returns the edit that renames a field.
func (d *Document) Rename(path, name string) (diag.Edit, bool) {
	_, key, found := walk(d.root(), fieldpath.Parse(path))
	if !found || key == nil || key.kind != scalarNode {
		return diag.Edit{}, false
	}
	return diag.Edit{Text: d.Text, Span: d.source.span(key), New: d.inStyle(key, name)}, true
}

// Rewrite returns the edit that gives a field another value, as one line of YAML.
func (d *Document) Rewrite(path, value string) (diag.Edit, bool) {
	at, key, found := walk(d.root(), fieldpath.Parse(path))
	if !found || at == nil || key == nil || at.start < key.start {
		return diag.Edit{}, false
	}
	span := d.source.span(at)
	if at.style == jsonStyle {
		value = asJSON(value)
	}
	if span.Start == span.End { // a key without a value: the colon is next
		return d.afterKey(key, value)
	}
	if from := d.source.end(key) + 1; at.kind == sequenceNode && value != "" && strings.Contains("[{'\"", value[:1]) && d.column(span.Start) == d.column(key.start) {
		// Only a block list may begin in its key's column.
		return diag.Edit{Text: d.Text, Span: diag.Span{Start: from, End: span.End}, New: " " + value}, true
	}
	return diag.Edit{Text: d.Text, Span: span, New: value}, true
}

// afterKey adds a value to a key that has none.
func (d *Document) afterKey(key *node, value string) (diag.Edit, bool) {
	end := d.source.end(key)
	if end >= d.source.to || d.source.src[end] != ':' {
		return diag.Edit{}, false
	}
	return diag.Edit{Text: d.Text, Span: diag.Span{Start: end + 1, End: end + 1}, New: " " + value}, true
}

// Put returns the edit that sets a field of the mapping at parent, whether or not it exists.
func (d *Document) Put(parent, name, value string) (diag.Edit, bool) {
	if path := fieldpath.Parse(parent).Child(name).String(); d.Has(path) {
		return d.Rewrite(path, value)
	}
	return d.Insert(parent, name, value)
}

// Insert returns the edit that adds a field to the mapping at parent, after its other fields. In
// block mappings the value may have several lines, which Insert indents like the field.
func (d *Document) Insert(parent, name, value string) (diag.Edit, bool) {
	at, key, found := walk(d.root(), fieldpath.Parse(parent))
	if !found || at == nil || key != nil && at.start < key.start {
		return diag.Edit{}, false
	}
	if at.kind == scalarNode && at.value == "" && at.style == plainStyle && key != nil && !strings.Contains(value, "\n") {
		return d.afterKey(key, "{"+name+": "+value+"}")
	}
	if at.kind != mappingNode {
		return diag.Edit{}, false
	}
	if at.flow {
		return d.insertFlow(at, name, value)
	}
	if len(at.entries) == 0 || len(at.merged) > 0 {
		return diag.Edit{}, false
	}
	last := at.entries[len(at.entries)-1]
	end := d.source.endOfLine(d.source.entryEnd(last))
	indent := strings.Repeat(" ", d.column(at.entries[0].key.start))
	separator := " "
	if strings.HasPrefix(value, "\n") || value == "" {
		separator = ""
	}
	text := "\n" + indent + name + ":" + separator + strings.ReplaceAll(value, "\n", "\n"+indent)
	return diag.Edit{Text: d.Text, Span: diag.Span{Start: end, End: end}, New: text}, true
}

func (d *Document) insertFlow(at *node, name, value string) (diag.Edit, bool) {
	if strings.Contains(value, "\n") {
		return diag.Edit{}, false
	}
	text := name + ": " + value
	if at.style == jsonStyle {
		text = d.inStyle(at, name) + ": " + asJSON(value)
	}
	where := d.source.span(at)
	if len(at.entries) == 0 {
		return diag.Edit{Text: d.Text, Span: diag.Span{Start: where.Start + 1, End: where.Start + 1}, New: text}, true
	}
	end := d.source.entryEnd(at.entries[len(at.entries)-1])
	return diag.Edit{Text: d.Text, Span: diag.Span{Start: end, End: end}, New: ", " + text}, true
}

// Append returns the edit that adds items to the list at a path, which has n items. Each item is
// one line of YAML.
func (d *Document) Append(path string, n int, items ...string) (diag.Edit, bool) {
	if n == 0 || len(items) == 0 {
		return d.Rewrite(path, "["+strings.Join(items, ", ")+"]")
	}
	last := fieldpath.Parse(path).Index(n - 1).String()
	if !d.Has(last) || d.IsJSON() {
		return diag.Edit{}, false
	}
	end := d.Locate(last).End
	if d.Brackets(path) {
		return diag.Edit{Text: d.Text, Span: diag.Span{Start: end, End: end}, New: ", " + strings.Join(items, ", ")}, true
	}
	indent := strings.Repeat(" ", max(d.Column(last)-2, 0))
	text := d.Source()
	end = len(strings.TrimRight(text[:end], " \n"))
	if newline := strings.IndexByte(text[end:], '\n'); newline >= 0 {
		end += newline
	} else {
		end = len(text)
	}
	var b strings.Builder
	for _, item := range items {
		b.WriteString("\n" + indent + "- " + item)
	}
	return diag.Edit{Text: d.Text, Span: diag.Span{Start: end, End: end}, New: b.String()}, true
}

// Remove returns the edit that removes a field or a list item.
func (d *Document) Remove(path string) (diag.Edit, bool) {
	steps := fieldpath.Parse(path)
	parent, _, found := walk(d.root(), steps.Parent())
	at, key, there := walk(d.root(), steps)
	if !found || !there || parent == nil || key == nil || at.start < key.start {
		return diag.Edit{}, false
	}
	var starts, ends []int
	index := -1
	for i, e := range parent.entries {
		starts, ends = append(starts, e.key.start), append(ends, d.source.entryEnd(e))
		if e.key == key {
			index = i
		}
	}
	for i, item := range parent.items {
		starts, ends = append(starts, item.start), append(ends, d.source.end(item))
		if item == key {
			index = i
		}
	}
	if index < 0 || len(starts) == 1 && parent.kind == sequenceNode {
		return diag.Edit{}, false
	}
	span := diag.Span{Start: starts[index], End: ends[index]}
	line := d.lineStart(span.Start)
	alone := strings.Trim(d.source.src[line:span.Start], " -") == ""
	switch {
	case len(starts) == 1 && !parent.flow:
		return diag.Edit{Text: d.Text, Span: span, New: "{}"}, true
	case !parent.flow && alone && !(parent.kind == mappingNode && strings.Contains(d.source.src[line:span.Start], "-")):
		span = diag.Span{Start: line, End: lineEnd(d.source.src, d.source.endOfLine(span.End))}
	case index+1 < len(starts):
		span.End = starts[index+1]
	case index > 0:
		span.Start = ends[index-1]
	}
	return diag.Edit{Text: d.Text, Span: span}, true
}

// MoveItem returns the edits that move a list item before an earlier one. Each later item takes the
// text of the item before it, so comments and layout between the items stay in place. It returns
// none if an item has a trailing comment, which could become part of a text.
func (d *Document) MoveItem(list string, from, before int) ([]diag.Edit, bool) {
	at, _, found := walk(d.root(), fieldpath.Parse(list))
	if !found || at == nil || before < 0 || before >= from || from >= len(at.items) {
		return nil, false
	}
	span := func(i int) diag.Span {
		return diag.Span{Start: at.items[i].start, End: d.source.end(at.items[i])}
	}
	var out []diag.Edit
	for i := before; i <= from; i++ {
		if strings.HasPrefix(strings.TrimLeft(d.source.src[span(i).End:], " "), "#") {
			return nil, false
		}
		text := span(from)
		if i > before {
			text = span(i - 1)
		}
		out = append(out, diag.Edit{Text: d.Text, Span: span(i), New: d.source.src[text.Start:text.End]})
	}
	return out, true
}

// Field returns a field's text, with its key at column 0 and all lines that belong to it. It
// supports block mappings and collections in brackets, not JSON.
func (d *Document) Field(path string) (text string, ok bool) {
	at, key, found := walk(d.root(), fieldpath.Parse(path))
	if !found || at == nil || key == nil || key.style == jsonStyle || at.start < key.start && at.value != "" {
		return "", false
	}
	end := max(d.source.end(at), d.source.end(key)+1)
	return shift(d.source.src[key.start:end], -d.column(key.start)), true
}

// Shifted returns a value's text with all lines but the first moved by a number of columns.
func (d *Document) Shifted(path string, columns int) (text string, ok bool) {
	at, key, found := walk(d.root(), fieldpath.Parse(path))
	if !found || at == nil || key == nil || at.start < key.start {
		return "", false
	}
	return shift(d.source.src[at.start:d.source.end(at)], columns), true
}

// Column returns the number of bytes before a field's value on its line.
func (d *Document) Column(path string) int { return d.column(d.Locate(path).Start) }

// KeyColumn is Column for a field's key.
func (d *Document) KeyColumn(path string) int { return d.column(d.LocateKey(path).Start) }

// Brackets reports whether a value is written in brackets or lies inside brackets.
func (d *Document) Brackets(path string) bool {
	steps := fieldpath.Parse(path)
	for i := range len(steps) + 1 {
		if at, _, found := walk(d.root(), steps[:i]); found && at != nil && (at.flow || at.style == jsonStyle) {
			return true
		}
	}
	return false
}

// IsJSON reports whether the document is JSON.
func (d *Document) IsJSON() bool {
	if d.json {
		return true
	}
	root := d.root()
	return root != nil && root.style == jsonStyle
}

// Block reports whether a value is a block scalar, after | or >.
func (d *Document) Block(path string) bool {
	at, _, found := walk(d.root(), fieldpath.Parse(path))
	return found && at != nil && at.kind == scalarNode && at.style == blockStyle
}

// Source returns the whole text that the document was read from.
func (d *Document) Source() string { return d.source.src }

// entryEnd returns the end of a field's text: the end of its value, or of its key and colon if the
// value is empty or an alias.
func (s *source) entryEnd(e entry) int {
	if e.value.start < e.key.start {
		return s.endOfLine(e.key.start)
	}
	return max(s.end(e.value), min(s.end(e.key)+1, s.to))
}

func (d *Document) lineStart(at int) int { return strings.LastIndexByte(d.source.src[:at], '\n') + 1 }

func (d *Document) column(at int) int { return at - d.lineStart(at) }

// AtEnd returns the edit that adds a document to the end of a text, now source.
func AtEnd(text diag.Text, source, document string) diag.Edit {
	if strings.TrimSpace(source) != "" {
		if document = "---\n" + document; !strings.HasSuffix(source, "\n") {
			document = "\n" + document
		}
	}
	end := diag.Span{Start: len(source), End: len(source)}
	return diag.Edit{Text: text, Span: end, New: document}
}

// inStyle writes a name as a key in the style of its neighbours.
func (d *Document) inStyle(key *node, name string) string {
	if key.style == jsonStyle {
		return asJSON(name)
	}
	return name
}

// shift moves all lines but the first to the right, or to the left as far as their indentation
// allows.
func shift(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case i == 0 || strings.TrimSpace(line) == "":
		case columns >= 0:
			lines[i] = strings.Repeat(" ", columns) + line
		default:
			n := len(line) - len(strings.TrimLeft(line, " "))
			lines[i] = line[min(n, -columns):]
		}
	}
	return strings.Join(lines, "\n")
}

// asJSON writes YAML on one line as JSON.
func asJSON(text string) string {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil { // our own values are YAML; keep anything else
		return text
	}
	return strings.TrimSpace(string(raw))
}
