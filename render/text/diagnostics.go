package text

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

// Diagnostics writes problems as compilers do: FILE:LINE:COLUMN: severity: summary, then the line
// with the wrong part marked.
func (p Printer) Diagnostics(w io.Writer, list []diag.Diagnostic) error {
	o := p.out()
	for _, d := range list {
		o.diagnostic(d)
	}
	return o.flush(w)
}

func (o *out) diagnostics(list []diag.Diagnostic) {
	if len(list) == 0 {
		return
	}
	o.heading("Diagnostics")
	for _, d := range list {
		o.diagnostic(d)
	}
}

var severityStyles = map[diag.Severity]style{diag.Error: red, diag.Warning: yellow, diag.Info: cyan}

func (o *out) diagnostic(d diag.Diagnostic) {
	place, placed := o.Sources.Place(d.Text, d.Span)
	if own := (Place{File: d.File, Line: d.Line, Column: d.Column}); d.File != "" && own.String() != place.String() {
		place, placed = own, true // it is about a file and not about the text made from it
	}
	severity := string(d.Severity)
	if d.Next {
		severity = "next " + severity
	}
	head := o.style(severityStyles[d.Severity], severity+":") + " " + d.Summary
	if d.Code != "" {
		head += " " + o.style(faint, "["+d.Code+"]")
	}
	if placed {
		head = o.style(bold, place.String()+":") + " " + head
	}
	o.linef("%s", head)
	if placed && place.Source != "" && !strings.ContainsRune(place.Source, 0) { // which is not text
		o.excerpt(place, d.Span.End-d.Span.Start)
	}
	if name := strings.Join(present(d.Document, d.Path), ", "); name != "" {
		o.linef("    %s", o.style(faint, name))
	}
	if d.Detail != "" && d.Detail != d.Summary {
		o.indented("    ", d.Detail)
	}
	for _, r := range d.Related {
		related, ok := o.Sources.Place(r.Text, r.Span)
		if !ok {
			o.linef("    note: %s", r.Summary)
			continue
		}
		o.linef("    %s: note: %s", related, r.Summary)
	}
	for _, f := range d.Fixes {
		o.linef("    fix: %s", f.Title)
	}
}

// excerpt shows a line and marks the part that begins at the place.
func (o *out) excerpt(p Place, length int) {
	line := []rune(p.Source)
	at := min(p.Column-1, len(line))
	end := at + min(max(runesIn(p.Source, at, length), 1), max(len(line)-at, 1))
	// A long line is cut on both sides, so that the mark is visible.
	from := 0
	if width := max(o.Width-8, 20); end > width {
		from = max(at-width/3, 0)
	}
	visible := string(line[from:])
	prefix := ""
	if from > 0 {
		prefix = "…"
	}
	o.linef("    %s", prefix+cut(visible, max(o.Width-8, 20)))
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return '\t'
		}
		return ' '
	}, prefix+string(line[from:at]))
	o.linef("    %s", pad+o.style(red, strings.Repeat("^", min(end-at, o.Width))))
}

// runesIn counts the runes in length bytes of line, after its first at runes.
func runesIn(line string, at, length int) int {
	for range at {
		_, width := utf8.DecodeRuneInString(line)
		line = line[width:]
	}
	return utf8.RuneCountInString(line[:min(length, len(line))])
}
