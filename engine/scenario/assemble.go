package scenario

import (
	"reflect"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// part is a piece of a scenario text: an unchanged range of an input text, or a document that was
// extracted or rewritten.
type part struct {
	read     *read
	home     diag.Text
	from, to int
	// content is set for a single document. column is the indentation that it had.
	content string
	column  int
}

// assemble builds the texts of the scenario. If a whole file belongs to one text, it stays
// unchanged, with its comments.
func (c *classifier) assemble() {
	for _, r := range c.reads {
		for _, p := range c.parts(r) {
			c.append(p)
		}
	}
	c.settings()
}

// settings reads the first document that has the fields of scenario.yaml.
func (c *classifier) settings() {
	for _, it := range c.items {
		if it.home == diag.Settings {
			c.out.Settings = it.read.src[it.at.Start:it.at.End]
			c.out.Pieces = append(c.out.Pieces, Piece{Text: diag.Settings, File: it.File, Line: it.Line})
			c.out.Diagnostics = append(c.out.Diagnostics, c.out.Scenario.readSettings(c.out.Settings)...)
			return
		}
	}
}

// parts cuts a text at the documents that go to different scenario texts.
func (c *classifier) parts(r *read) []part {
	var out []part
	comments := -1 // where the next document's comments begin
	of := make([][]*item, len(r.chunks))
	for _, it := range c.items {
		if it.read == r {
			of[it.chunk] = append(of[it.chunk], it)
		}
	}
	for i, k := range r.chunks {
		items := of[i]
		if len(items) == 0 {
			if comments < 0 && strings.TrimSpace(r.src[k.from:k.to]) != "" {
				comments = k.from
			}
			continue
		}
		if !together(items) {
			out = append(out, singly(items)...)
			comments = -1
			continue
		}
		from := k.from
		if comments >= 0 {
			from = comments
		}
		comments = -1
		if n := len(out) - 1; n >= 0 && out[n].home == items[0].home && out[n].content == "" {
			out[n].to = k.to
			continue
		}
		out = append(out, part{read: r, home: items[0].home, from: from, to: k.to})
	}
	if len(out) == 1 && out[0].content == "" {
		out[0].from, out[0].to = 0, len(r.src)
	}
	return out
}

// together reports whether the documents of a chunk can stay as they are.
func together(items []*item) bool {
	for _, it := range items {
		alone := it.home == diag.Request && it.doc != nil && it.doc.FromList
		if it.home != items[0].home || it.instead != "" || alone {
			return false
		}
	}
	return true
}

func singly(items []*item) []part {
	var out []part
	for _, it := range items {
		if it.home == "" {
			continue
		}
		p := part{read: it.read, home: it.home, from: it.at.Start, to: it.at.End, content: it.instead}
		if it.instead == "" {
			p.content, p.column = it.doc.alone()
		}
		out = append(out, p)
	}
	return out
}

// alone returns a document's text without its surroundings, such as a List, and the number of
// columns that it was indented there. If that text is not the same document, for example because of
// aliases, alone writes the document anew.
func (d *Document) alone() (text string, column int) {
	src := d.source.src
	column = d.Span.Start - (strings.LastIndexByte(src[:d.Span.Start], '\n') + 1)
	var b strings.Builder
	for i, line := range strings.Split(src[d.Span.Start:d.Span.End], "\n") {
		if i > 0 {
			b.WriteByte('\n')
			for n := column; n > 0 && strings.HasPrefix(line, " "); n-- {
				line = line[1:]
			}
		}
		b.WriteString(line)
	}
	text = strings.TrimRight(b.String(), "\n") + "\n"
	p := &parser{text: d.Text, src: text}
	for _, c := range p.split() {
		p.chunk(c)
	}
	if len(p.docs) == 1 && len(p.diags) == 0 && reflect.DeepEqual(p.docs[0].Value, d.Value) {
		return text, column
	}
	if written, err := yamlOfJSON(d.JSON()); err == nil {
		return string(written), 0
	}
	return text, column
}

// append adds a part to its text and records where its lines came from.
func (c *classifier) append(p part) {
	to := c.out.Scenario.Text(p.home)
	if to == nil {
		return // settings, or omitted
	}
	content := p.content
	from := p.from
	if content == "" {
		content = p.read.src[p.from:p.to]
		if p.from > 0 {
			trimmed := strings.TrimLeft(content, "\r\n")
			from, content = from+len(content)-len(trimmed), trimmed
		}
	}
	if *to != "" {
		*to = strings.TrimRight(*to, "\n") + "\n---\n"
	}
	line, _ := p.read.lineColumn(from)
	c.out.Pieces = append(c.out.Pieces, Piece{p.home, len(*to), p.read.place(), line, p.column})
	if p.content == "" {
		c.jumps(p, from, len(*to))
	}
	*to += content
}

// jumps adds a piece wherever lines of the original were omitted.
func (c *classifier) jumps(p part, from, start int) {
	first, _ := diag.LineColumn(p.read.src, from)
	at := from
	for i := first; i < len(p.read.lines); i++ {
		if at = lineEnd(p.read.src, at); at >= p.to {
			return
		}
		if p.read.lines[i] != p.read.lines[i-1]+1 {
			c.out.Pieces = append(c.out.Pieces, Piece{p.home, start + at - from, p.read.place(), p.read.lines[i] + p.read.before, 0})
		}
	}
}

// Text returns the text with a name, or nil if a scenario has none of that name.
func (s *Scenario) Text(name diag.Text) *string {
	switch name {
	case diag.Policies:
		return &s.Policies
	case diag.Request:
		return &s.Request
	case diag.Cluster:
		return &s.Cluster
	case diag.Expression:
		return &s.Expression
	}
	return nil
}
