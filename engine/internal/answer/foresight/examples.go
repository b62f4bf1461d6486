package foresight

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/report"
)

// maxExampleTries bounds the requests that are tried for the examples of one policy with one binding.
const maxExampleTries = 120

// wanted is a problem that was found without a request, with what a request shows of it.
type wanted struct {
	diag.Diagnostic
	show lint.Example
}

// examples finds requests that show the problems which the lint rules prove of a policy, and adds the problems
// again with the smallest such request.
func (f *foresight) examples(s *subject) {
	open := f.withoutExample(s)
	if len(open) == 0 {
		return
	}
	tries := 0
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		var admitted *foresee.Request
		for _, state := range s.source.States(e) {
			if tries++; tries > maxExampleTries || len(open) == 0 || f.dear {
				return
			}
			r, ok := s.source.Request(e, state)
			if !ok {
				continue
			}
			answer := f.quick(s, r)
			if r.Object != nil && slices.ContainsFunc(answer, admits) {
				admitted = r
			}
			open = slices.DeleteFunc(open, func(w wanted) bool {
				return f.showsExample(s, &w, answer, r, admitted)
			})
		}
	}
}

// withoutExample are the problems of a policy or its binding that a request can show and none does.
func (f *foresight) withoutExample(s *subject) []wanted {
	var out []wanted
	for _, d := range f.Configuration.Report.Diagnostics {
		show, ok := lint.ExampleOf(&d)
		mine := d.Document == s.document.Kind+"/"+s.document.Name ||
			s.binding != nil && d.Document == s.document.Kind+"Binding/"+s.binding.Name
		known := slices.ContainsFunc(f.found, func(k diag.Diagnostic) bool { return findings.SameProblem(&k, &d) })
		if ok && mine && d.Example == "" && !known {
			out = append(out, wanted{d, show})
		}
	}
	return out
}

// showsExample adds a problem with a request, if the request shows it. Another one that the policy admits, if there is
// one yet, has the containers that take the place of those that are moved.
func (f *foresight) showsExample(s *subject, w *wanted, answer []*report.Step, r, admitted *foresee.Request) bool {
	if !shows(answer, w.show) || w.show.Operation != "" && w.show.Operation != r.Operation {
		return false
	}
	if w.show.MoveTo != "" {
		if admitted == nil {
			return false
		}
		moved, ok := r.MoveContainers(w.show.MoveTo, admitted, f.Catalog)
		if !ok || denied(f.quick(s, moved)) {
			return false
		}
		r = moved
	}
	full, text, ok := f.confirm(s, r)
	if !ok || w.show.MoveTo == "" && !shows(steps(full), w.show) || w.show.MoveTo != "" && !full.Outcome.Allowed {
		return false
	}
	w.Example = text
	f.found = append(f.found, w.Diagnostic)
	return true
}

// shows reports whether the expressions of an example have its results.
func shows(list []*report.Step, show lint.Example) bool {
	return slices.ContainsFunc(list, func(s *report.Step) bool {
		open := len(show.Results)
		s.Evaluations(func(e *report.Evaluation) {
			if result, ok := show.Results[strings.TrimSuffix(e.Path, ".expression")]; ok && e.Error == "" && e.Result == result {
				open--
			}
		})
		return open == 0
	})
}
