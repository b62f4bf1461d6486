package ask

import (
	"context"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/safety"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// mostSafety bounds the objects for which a mutating policy is run again and again.
const mostSafety = 6

// Mutations finds mutating policies that are not idempotent, and such that set one field to different values, by running
// them on requests that they match. limit bounds the requests, 0 is DefaultLimit.
func Mutations(ctx context.Context, c *engine.Configuration, limit int) (found diag.Diagnostics, err error) {
	defer guard.Error(&err)
	if limit <= 0 {
		limit = DefaultLimit
	}
	t := &trial{ctx: ctx, sets: []*engine.Configuration{c}, limit: limit, seen: map[string]bool{}}
	m := &mutations{trial: t, said: map[string]bool{}}
	of := map[string][]*candidate{}
	for _, b := range t.candidates("", nil) {
		if name := b.subject.Name; b.subject.Mutates {
			if of[name] == nil {
				m.subjects = append(m.subjects, b.subject)
			}
			of[name] = append(of[name], b)
		}
	}
	for _, s := range m.subjects {
		m.run(of[s.Name])
	}
	return m.found, t.err
}

type mutations struct {
	*trial
	subjects []lint.Subject
	said     map[string]bool
	found    diag.Diagnostics
}

// run evaluates requests that a policy matches, until some have changed.
func (m *mutations) run(list []*candidate) {
	changed := 0
	for _, b := range list {
		s := b.subject
		if b.world.Operation == "DELETE" || b.world.Operation == "CONNECT" {
			continue
		}
		outcomes.Explore(b.world, proposalSteps/10, func(r *outcomes.Run) bool {
			for _, c := range s.Conditions {
				if r.Outcome(c) != outcomes.True {
					return m.open()
				}
			}
			for _, e := range s.Mutations {
				r.Succeeds(e) // so that the cases differ in what it reads
			}
			next := b.clone()
			next.apply(r.Settings(), b.world)
			if text := next.text(); m.open() && !m.seen[text] {
				m.seen[text] = true
				m.tried++
				if m.look(text, s.Name) {
					changed++
				}
			}
			return changed < mostSafety && m.open()
		})
		if changed >= mostSafety {
			return
		}
	}
}

// look runs a request with the checks of safety, and reports whether the policy changed its object.
func (m *mutations) look(text, policy string) bool {
	r, err := m.sets[0].Evaluate(m.ctx, engine.Text(text), engine.Options{Safety: true, Defaulting: new(true)})
	if err != nil {
		m.err = err
		return false
	}
	for _, f := range r.Findings {
		switch f.Code {
		case codes.NotIdempotent:
			m.report(f, []string{f.Policy}, text)
		case codes.ChangeUndone: // the same two policies in another order are no other problem
			m.report(f, []string{f.Other, f.Policy}, text)
		case codes.OrderChangesObject:
			if names, how := contested(r, f.Diff); len(names) > 1 {
				f.Summary, f.Detail = how, "The server runs mutating policies in random order, so the last one wins by chance. Let one of them set the field, or exclude each other with match conditions."
				m.report(f, names, text)
			}
		}
	}
	return slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Policy == policy && len(s.Diff) > 0 })
}

// contested are the policies that change a field whose value depends on their order, and what they do to it.
func contested(r *report.Report, changes []report.PatchOperation) (names []string, how string) {
	for _, change := range changes {
		if strings.HasSuffix(change.Path, "/name") {
			return nil, "" // items of a list in another order
		}
	}
	type field struct {
		names   []string
		removes bool
	}
	fields := map[string]*field{}
	var paths []string
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind != "MutatingAdmissionPolicy" {
			continue
		}
		for _, c := range safety.Changes(s) {
			differs := slices.ContainsFunc(changes, func(change report.PatchOperation) bool {
				return strings.HasPrefix(c.Path+"/", change.Path+"/")
			})
			if _, list := c.Now.([]any); !differs || list {
				continue
			}
			if fields[c.Path] == nil {
				fields[c.Path] = &field{}
				paths = append(paths, c.Path)
			}
			f := fields[c.Path]
			if f.removes = f.removes || c.Now == nil; !slices.Contains(f.names, s.Policy) {
				f.names = append(f.names, s.Policy)
			}
		}
	}
	for _, path := range paths {
		if f := fields[path]; len(f.names) > 1 {
			what := "set " + path + " to different values"
			if f.removes {
				what = "set and remove " + path
			}
			return f.names, "policies " + strings.Join(f.names, " and ") + " " + what
		}
	}
	return nil, ""
}

// report adds a finding at the last of the policies that it is about, once for these policies.
func (m *mutations) report(f report.Finding, names []string, request string) {
	last := names[len(names)-1]
	slices.Sort(names)
	key := strings.Join(names, " ")
	i := slices.IndexFunc(m.subjects, func(s lint.Subject) bool { return s.Name == last })
	if m.said[key] || i < 0 {
		return
	}
	m.said[key] = true
	s := m.subjects[i]
	if f.Code == codes.NotIdempotent && !s.Again || lint.Ignores(s.Document, f.Code) {
		return
	}
	m.found = append(m.found, diag.Diagnostic{Code: f.Code, Severity: diag.Warning, Accepted: true, Text: s.Document.Text, Span: s.Document.Locate("spec.mutations"), Path: "spec.mutations",
		Summary: f.Summary, Detail: f.Detail + " An object that shows it:\n" + request, Example: request, Document: s.Document.Kind + "/" + s.Document.Name})
}
