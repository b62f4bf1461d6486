// Package diag describes problems found in the texts of a scenario, and where
// they are. It is the leaf of the engine: everything may import it and it
// imports nothing of ours.
//
// Offsets are UTF-8 bytes, half-open, 0-based. Lines and columns (1-based,
// columns in runes) are filled in by Locate; UTF-16 units exist only in the
// browser.
package diag

import (
	"slices"
	"unicode/utf8"
)

// Text names one of the texts that a user gives.
type Text string

// The texts of a scenario.
const (
	Policies   Text = "policies"
	Request    Text = "request"
	Cluster    Text = "cluster"
	Expression Text = "expression"
	Settings   Text = "scenario"
)

// Severity says how bad a problem is. The zero value is invalid, so a missing
// severity is noticed.
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Span is a half-open range of bytes in one text.
type Span struct {
	Start int `json:"start"` // the first byte
	End   int `json:"end"`   // the byte after the last
}

// Related is another place that is involved in a problem, such as the object's field that an
// expression read.
type Related struct {
	Text    Text   `json:"text"`             // where it is
	Span    Span   `json:"span"`             // the place
	Line    int    `json:"line,omitempty"`   // from 1
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Path    string `json:"path,omitempty"`   // the field
	Summary string `json:"summary"`          // explains the place
}

// Fix is a text change that fixes a problem. Preadmit never applies it by itself.
type Fix struct {
	Title string `json:"title"` // what it does, for a button
	Edits []Edit `json:"edits"` // applied together
	// Sure says that this is the problem's only likely fix, so that it may be applied together with
	// other problems' fixes ("preadmit fix").
	Sure bool `json:"sure,omitempty"`
	// Draft says that the reader must fill in a part. It is never Sure.
	Draft bool `json:"draft,omitempty"`
	// Choice says that the fix may change what the author meant, as one with a guessed value does. It
	// is never Sure.
	Choice bool `json:"-"`
	// Fill is the place, in the first edit's new text, of a value for the reader to fill in.
	Fill *Span `json:"fill,omitempty"`
	// RuntimeConfig lists API versions that the fix enables in the settings
	// (options.runtimeConfig). The fix then changes no text.
	RuntimeConfig []string `json:"runtimeConfig,omitempty"`
	// AdmissionOnly leaves out API validation (options.admissionOnly); the fix then
	// changes no text.
	AdmissionOnly bool `json:"admissionOnly,omitempty"`
	// RemovePolicyFiles removes the references to files from the settings
	// (options.policyFiles); the fix then changes no text.
	RemovePolicyFiles bool `json:"removePolicyFiles,omitempty"`
	// Request changes the settings of a plain object's request (options.request). The fix then
	// changes no text.
	Request *RequestChange `json:"request,omitempty"`
}

// OneEdit returns a fix of one edit, or none if the text has no place for the edit.
func OneEdit(title string, edit Edit, ok bool) []Fix {
	if !ok {
		return nil
	}
	return []Fix{{Title: title, Edits: []Edit{edit}}}
}

// RequestChange changes a request's fields other than its object. Empty fields stay unchanged.
type RequestChange struct {
	Operation string   `json:"operation,omitempty"` // CREATE, UPDATE or DELETE
	User      string   `json:"user,omitempty"`      // the name of the user
	Groups    []string `json:"groups,omitempty"`    // the groups of the user
	Force     bool     `json:"force,omitempty"`     // a server-side apply takes fields over
	// FieldManager makes the request a server-side apply by this manager.
	FieldManager string `json:"fieldManager,omitempty"`
}

// Edit replaces Span of Text by New.
type Edit struct {
	Text Text   `json:"text"` // the text to change
	Span Span   `json:"span"` // what is replaced
	New  string `json:"new"`  // the new content
}

// Diagnostic is one problem. Code is stable and has a documentation page;
// Summary is one terse line; Detail says what to do about it.
type Diagnostic struct {
	Code     string   `json:"code"`     // stable; see the list of diagnostics
	Severity Severity `json:"severity"` // how bad it is
	// Accepted says that the server accepts the text and the problem appears later. Such an error
	// does not make the input wrong.
	Accepted bool `json:"accepted,omitempty"`
	// Next says that the server does not report it yet: it stops at an earlier error, and reports
	// this one once that is fixed.
	Next bool `json:"next,omitempty"`
	Text Text `json:"text"` // the text that it is in
	// File is set by the command line, which may join several files
	// into a text; Line then counts in that file.
	File string `json:"file,omitempty"`
	// Span is exactly the wrong text.
	Span   Span `json:"span"`
	Line   int  `json:"line,omitempty"`   // of the beginning, from 1
	Column int  `json:"column,omitempty"` // of the beginning, from 1, in characters
	// Path is the field as the API server writes it:
	// spec.validations[0].expression.
	Path    string    `json:"path,omitempty"`
	Summary string    `json:"summary"`           // one terse line
	Detail  string    `json:"detail,omitempty"`  // what to do about it
	Related []Related `json:"related,omitempty"` // other places involved
	Fixes   []Fix     `json:"fixes,omitempty"`   // changes that fix it
	// Example is a request that shows the problem, as an AdmissionReview or an object, if the problem
	// was found without a request.
	Example string `json:"example,omitempty"`
	// Document names the object that has the problem: Kind/name.
	Document string `json:"document,omitempty"`
}

// LineColumn converts a byte offset in text to a 1-based line and a 1-based
// column in runes. Offsets outside text are clamped to it.
func LineColumn(text string, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	line, start := 1, 0
	for i := 0; i < offset; i++ {
		if text[i] == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, 1 + utf8.RuneCountInString(text[start:offset])
}

// Locate fills in Line and Column of every diagnostic, and of its related
// places, from the texts they lie in.
func Locate(list []Diagnostic, texts map[Text]string) {
	indexes := map[Text]*Lines{}
	at := func(text Text, offset int) (line, column int) {
		if indexes[text] == nil {
			indexes[text] = NewLines(texts[text])
		}
		return indexes[text].At(offset)
	}
	for i := range list {
		d := &list[i]
		d.Line, d.Column = at(d.Text, d.Span.Start)
		for j := range d.Related {
			r := &d.Related[j]
			r.Line, r.Column = at(r.Text, r.Span.Start)
		}
	}
}

// Lines finds places in a text. It counts the lines only once. It is not safe for concurrent use.
type Lines struct {
	text   string
	starts []int // line starts, in bytes
	// line and counted cache the count of characters in one long line, up to the byte offset
	// counted.
	line, counted, characters int
}

// NewLines counts the lines of a text.
func NewLines(text string) *Lines {
	l := &Lines{text: text, starts: []int{0}, line: -1}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// At is LineColumn.
func (l *Lines) At(offset int) (line, column int) {
	offset = min(max(offset, 0), len(l.text))
	line, found := slices.BinarySearch(l.starts, offset)
	if !found {
		line--
	}
	if l.line != line || l.counted > offset {
		l.line, l.counted, l.characters = line, l.starts[line], 0
	}
	l.characters += utf8.RuneCountInString(l.text[l.counted:offset])
	l.counted = offset
	return line + 1, 1 + l.characters
}

// Clone deep-copies a list, as far as its parts are mutable.
func Clone(list []Diagnostic) []Diagnostic {
	out := slices.Clone(list)
	for i := range out {
		out[i].Related = slices.Clone(out[i].Related)
		out[i].Fixes = slices.Clone(out[i].Fixes)
		for j := range out[i].Fixes {
			out[i].Fixes[j].Edits = slices.Clone(out[i].Fixes[j].Edits)
		}
	}
	return out
}

// Sort orders diagnostics by text, place and code, so that reports are stable.
func Sort(list []Diagnostic) {
	order := map[Text]int{Settings: 0, Policies: 1, Request: 2, Cluster: 3, Expression: 4}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		switch {
		case a.Text != b.Text:
			return order[a.Text] - order[b.Text]
		case a.Span.Start != b.Span.Start:
			return a.Span.Start - b.Span.Start
		case a.Code < b.Code:
			return -1
		case a.Code > b.Code:
			return 1
		}
		return 0
	})
}

// HasErrors reports whether any diagnostic is an error of a text.
func HasErrors(list []Diagnostic) bool { return slices.ContainsFunc(list, Diagnostic.Wrong) }

// Wrong reports whether the diagnostic is an error that makes the server reject the text.
func (d Diagnostic) Wrong() bool { return d.Severity == Error && !d.Accepted }
