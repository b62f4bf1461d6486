// Package secrets finds likely secret values in a scenario's texts
// (Secret data, tokens, keys, passwords), and replaces each with a placeholder
// of the same form. All other bytes stay unchanged.
//
// It helps people who share a scenario, but does not prove that no secret
// is left: only they know what is secret.
package secrets

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Found is a value that looks like a secret.
type Found struct {
	// What it is, for a sentence: "a value of Secret shop/db".
	What string `json:"what"`
	// Text is where it is; Line counts from 1.
	Text diag.Text `json:"text"`
	Line int       `json:"line"`
	// Edit puts the placeholder in its place. Its text is Settings for the setting with a request's
	// old object; then the places are those of the setting's value.
	Edit diag.Edit `json:"-"`
}

// Result is what Find has found.
type Result struct {
	// Found are the values in the order of the texts and of their places; no two edits
	// overlap.
	Found []Found
	// Unread are the texts with a part that is neither YAML nor JSON: only what is
	// written in a well-known form was looked for in it.
	Unread []diag.Text
}

// Fix are the edits of all that was found in the texts, as one.
func (r Result) Fix() diag.Fix {
	f := diag.Fix{Title: "replace secret values by placeholders"}
	for _, one := range r.Found {
		if one.Text != diag.Settings {
			f.Edits = append(f.Edits, one.Edit)
		}
	}
	return f
}

// Removed returns the scenario with placeholders for all that was found in it. It fails for a
// result of another scenario.
func (r Result) Removed(s scenario.Scenario) (scenario.Scenario, error) {
	s, err := repairs.Apply(s, r.Fix())
	if err != nil || s.Options.Request == nil {
		return s, err
	}
	settings := *s.Options.Request
	var old diag.Fix
	for _, one := range r.Found {
		if one.Text == diag.Settings {
			old.Edits = append(old.Edits, one.Edit)
		}
	}
	settings.OldObject, err = old.Apply(diag.Settings, settings.OldObject)
	s.Options.Request = &settings
	return s, err
}

// Find looks for secret values in the texts of a scenario. Placeholders, those of
// this package included, are not found, so a text after its edits has none.
func Find(s scenario.Scenario) (out Result) {
	defer func() {
		if recover() != nil { // a mistake of ours: then nothing has been looked for
			out = Result{Unread: []diag.Text{diag.Policies, diag.Request, diag.Cluster, diag.Expression}}
		}
	}()
	type named struct {
		name diag.Text
		text string
	}
	texts := []named{
		{diag.Policies, s.Policies}, {diag.Request, s.Request}, {diag.Cluster, s.Cluster}, {diag.Expression, s.Expression},
	}
	if request := s.Options.Request; request != nil {
		texts = append(texts, named{diag.Settings, request.OldObject})
	}
	f := finder{}
	for _, t := range texts {
		f.aboutSecrets = f.aboutSecrets || aboutSecrets.MatchString(t.text)
	}
	for _, t := range texts {
		f.hits = nil
		readable := true
		if t.name != diag.Expression {
			readable = f.documents(t.text, whole)
		} else {
			f.literals(t.text, whole)
		}
		f.patterns(t.text, whole)
		if !readable {
			out.Unread = append(out.Unread, t.name)
		}
		out.Found = append(out.Found, f.places(t.name, t.text)...)
	}
	return out
}

// places makes edits of the hits, with the lines that they are on. Of two that touch,
// as a token in a header, the first is kept; at one place, the one found first.
func (f *finder) places(name diag.Text, text string) []Found {
	slices.SortStableFunc(f.hits, func(a, b hit) int { return cmp.Compare(a.span.Start, b.span.Start) })
	line, at, free := 1, 0, 0
	var out []Found
	for _, h := range f.hits {
		if h.span.Start < free {
			continue
		}
		free = h.span.End
		line += strings.Count(text[at:h.span.Start], "\n")
		at = h.span.Start
		out = append(out, Found{What: h.what, Text: name, Line: line, Edit: diag.Edit{Text: name, Span: h.span, New: h.put}})
	}
	return out
}

// finder collects what is found in one text.
type finder struct {
	// aboutSecrets says that the scenario has a Secret or names the resource: only then
	// patches of /data are those of a Secret.
	aboutSecrets bool
	hits         []hit
}

// hit is a secret value: where it is in the text, and what to put there. The
// placeholder has letters, digits and +/=.- only, braces too where the value has them,
// so that it needs no quotes and no escapes wherever it is put.
type hit struct {
	span diag.Span
	put  string
	what string
}

// mapper says where a range of a string, in bytes, is in the text that is searched:
// the string may be a scalar of a document, or one in a scalar.
type mapper func(start, end int) (diag.Span, bool)

// whole is the mapper of the text itself.
func whole(start, end int) (diag.Span, bool) { return diag.Span{Start: start, End: end}, true }

// add keeps a hit whose place is known.
func (f *finder) add(at mapper, start, end int, put, what string) {
	if span, ok := at(start, end); ok && span.End > span.Start {
		f.hits = append(f.hits, hit{span, put, what})
	}
}
