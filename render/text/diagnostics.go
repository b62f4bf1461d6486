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
	if placed && place.Source != "" {
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

// excerpt shows a line and marks the part that begins at the place. It reads only what it shows of a
// long line, which may have thousands of problems.
func (o *out) excerpt(p Place, length int) {
	width := max(o.Width-8, 20)
	at := min(p.at, len(p.Source))
	before, after := p.Source[:at], p.Source[at:]
	marked := max(utf8.RuneCountInString(after[:min(length, len(after), utf8.UTFMax*o.Width)]), 1)
	after = after[:min(len(after), utf8.UTFMax*(width+1))]
	// A long line is cut on both sides, so that the mark is visible.
	prefix := ""
	if kept := lastRunes(before, max(width-marked, 0)); len(kept) < len(before) {
		if kept = lastRunes(before, width/3); len(kept) < len(before) {
			before, prefix = kept, "…"
		}
	}
	if strings.ContainsRune(before+after, 0) {
		return // this is not text
	}
	o.linef("    %s", prefix+cut(before+after, width))
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return '\t'
		}
		return ' '
	}, prefix+before)
	o.linef("    %s", pad+o.style(red, strings.Repeat("^", min(marked, o.Width))))
}

// lastRunes returns the last n runes of a text, or all of it.
func lastRunes(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, width := utf8.DecodeLastRuneInString(s[:at])
		at -= width
	}
	return s[at:]
}
