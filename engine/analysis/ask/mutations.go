package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
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
	sources := c.Sources()
	m := &mutations{trial: t, said: map[string]bool{}}
	for _, s := range subjects(c) {
		if s.Mutates {
			m.subjects = append(m.subjects, s)
		}
	}
	for _, s := range m.subjects {
		m.run(s, sources)
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
func (m *mutations) run(s lint.Subject, sources engine.Sources) {
	changed := 0
	for _, w := range m.concrete(s, sources) {
		base := newRequest(w, sources.Catalog)
		if base == nil || w.Operation == "DELETE" || w.Operation == "CONNECT" {
			continue
		}
		outcomes.Explore(w, proposalSteps/10, func(r *outcomes.Run) bool {
			for _, c := range s.Conditions {
				if r.Outcome(c) != outcomes.True {
					return m.open()
				}
			}
			for _, e := range s.Mutations {
				r.Succeeds(e) // so that the cases differ in what it reads
			}
			next := base.clone()
			next.apply(r.Settings(), w)
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
	defaulting := true
	r, err := m.sets[0].Evaluate(m.ctx, engine.Text(text), engine.Options{Safety: true, Defaulting: &defaulting})
	if err != nil {
		m.err = err
		return false
	}
	for _, f := range r.Findings {
		switch f.Code {
		case codes.NotIdempotent:
			m.report(f.Code, []string{f.Policy}, f.Summary, f.Detail, text)
		case codes.OrderChangesObject:
			if names, path := contested(r, f.Diff); len(names) > 1 {
				m.report(f.Code, names, fmt.Sprintf("policies %s set %s to different values", strings.Join(names, " and "), path),
					"The server runs mutating policies in random order, so the last one wins by chance. Let one of them set the field, or exclude each other with match conditions.", text)
			}
		}
	}
	return slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Policy == policy && len(s.Diff) > 0 })
}

// contested are the policies that set a field whose value depends on their order, and the field.
func contested(r *report.Report, changes []report.PatchOperation) (names []string, path string) {
	for _, change := range changes {
		if strings.HasSuffix(change.Path, "/name") {
			return nil, "" // items of a list in another order
		}
	}
	for _, change := range changes {
		switch change.Value.(type) {
		case map[string]any, []any, nil:
			continue
		}
		names = nil
		for _, s := range r.Steps {
			sets := slices.ContainsFunc(s.Diff, func(op report.PatchOperation) bool {
				return op.Op != "remove" && (op.Path == change.Path || strings.HasPrefix(change.Path, op.Path+"/"))
			})
			if sets && s.Kind == "MutatingAdmissionPolicy" && !slices.Contains(names, s.Policy) {
				names = append(names, s.Policy)
			}
		}
		if len(names) > 1 {
			return names, change.Path
		}
	}
	return nil, ""
}

// report adds a finding about policies at the last one of them.
func (m *mutations) report(code string, names []string, summary, detail, request string) {
	key := code + " " + strings.Join(names, " ")
	i := slices.IndexFunc(m.subjects, func(s lint.Subject) bool { return s.Name == names[len(names)-1] })
	if m.said[key] || i < 0 {
		return
	}
	m.said[key] = true
	s := m.subjects[i]
	if code == codes.NotIdempotent && !s.Again || lint.Ignores(s.Document, code) {
		return
	}
	m.found = append(m.found, diag.Diagnostic{Code: code, Severity: diag.Warning, Accepted: true, Text: s.Document.Text, Span: s.Document.Locate("spec.mutations"), Path: "spec.mutations",
		Summary: summary, Detail: detail + " An object that shows it:\n" + request, Document: s.Document.Kind + "/" + s.Document.Name})
}
