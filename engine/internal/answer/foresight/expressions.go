package foresight

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	repairs "github.com/preadmit/preadmit/engine/internal/repair/failures"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// search looks for requests for which expressions of one subject fail.
type search struct {
	*foresight
	*subject
	known map[failureKey]*seen
	sent  map[sentKey]bool // the requests that were evaluated
	found []*finding
}

// sentKey is a request at an endpoint.
type sentKey struct {
	endpoint foresee.Endpoint
	request  string
}

// failureKey tells failures apart before their place is known.
type failureKey struct{ path, text, operation string }

// seen is what became of a failure: its finding, nil while there is none.
type seen struct {
	finding  *finding
	attempts int
}

// maxAttempts bounds the requests with one failure that are evaluated as the server does.
const maxAttempts = 6

// finding is an expression that fails for a request.
type finding struct {
	diag.Diagnostic
	endpoint foresee.Endpoint
	also     []string // other requests for which it fails
}

// expressions finds the expressions of a subject that fail for a request which its rules match.
func (f *foresight) expressions(s *subject) {
	x := &search{foresight: f, subject: s, known: map[failureKey]*seen{}, sent: map[sentKey]bool{}}
	endpoints := foresee.Endpoints(f.Catalog, s.rules, s.names)
	for i, e := range endpoints {
		if s.mutating != nil && e.Operation == "DELETE" {
			continue
		}
		share := f.tries + (maxTries-f.tries)/(len(endpoints)-i)
		for _, state := range s.source.States(e) {
			if f.tries >= share {
				break
			}
			x.try(e, state)
		}
	}
	for _, one := range joinNull(x.found) {
		f.found = append(f.found, one.complete())
	}
}

// joinNull makes one finding of the expressions of a policy that fail because a rule matches
// deletions: one repair of the rule is for all of them.
func joinNull(list []*finding) []*finding {
	var out []*finding
	for _, f := range list {
		i := slices.IndexFunc(out, func(first *finding) bool {
			return f.Code == codes.FailsWhenNull && first.Code == f.Code && first.Summary == f.Summary &&
				len(f.Fixes) > 0 && len(first.Fixes) > 0 && strings.HasPrefix(f.Fixes[0].Title, repairs.MatchOnly) && f.Fixes[0].Title == first.Fixes[0].Title
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Related = append(out[i].Related, diag.Related{Text: f.Text, Span: f.Span, Path: f.Path, Summary: "this fails, too"})
	}
	return out
}

// evaluate is the request of a state, with the expressions that fail for it; nil for a request
// that was evaluated before.
func (x *search) evaluate(e foresee.Endpoint, state foresee.State) (*foresee.Request, []*report.Evaluation) {
	r, ok := x.source.Request(e, state)
	if !ok {
		return nil, nil
	}
	key := sentKey{e, r.Key()}
	if x.sent[key] {
		return nil, nil
	}
	x.sent[key] = true
	return r, failures(x.quick(x.subject, r))
}

func (x *search) try(e foresee.Endpoint, state foresee.State) {
	r, failed := x.evaluate(e, state)
	for _, ev := range failed {
		key := failureKey{ev.Path, ev.Error, e.Operation}
		if x.known[key] == nil {
			x.known[key] = &seen{}
		}
		before := x.known[key]
		if !isForeseeable(ev.Error) {
			continue
		}
		if before.finding != nil {
			before.finding.more(e)
			continue
		}
		if before.attempts++; before.attempts > maxAttempts {
			continue
		}
		smallest := x.smallest(e, state, r, key)
		found := x.confirmed(e, smallest, key)
		if found == nil && smallest.WithoutToken() {
			found = x.confirmed(e, smallest, key)
		}
		if found != nil {
			before.finding = x.keep(found)
		}
	}
}

// foreseeable are parts of the errors of what is missing or null, of another type than the expression
// takes it for, of a text that is none of what it is converted to, or of a field that the kind does not
// have. The server admits any text that its API validation admits. Other errors may come of the values that Preadmit made up.
var foreseeable = []string{
	"no such key", "index out of bounds", "no such overload", "optional.none() dereference", "JSON Patch: ", "error applying patch", "no such attribute",
	"type conversion error", "quantities must match", "expected iterable type", "division by zero", "modulus by zero", "strict decoding error",
}

func isForeseeable(text string) bool {
	return slices.ContainsFunc(foreseeable, func(part string) bool { return strings.Contains(text, part) })
}

// maxSmaller bounds the steps to a smaller request.
const maxSmaller = 40

// smallest leaves out of a request what its failure does not need.
func (x *search) smallest(e foresee.Endpoint, state foresee.State, r *foresee.Request, key failureKey) *foresee.Request {
	tries := 0
	for again := true; again; {
		again = false
		for _, smaller := range x.source.Smaller(e, state) {
			if tries++; tries > maxSmaller {
				return r
			}
			q, ok := x.source.Request(e, smaller)
			if !ok {
				continue
			}
			same := func(ev *report.Evaluation) bool { return ev.Path == key.path && ev.Error == key.text }
			if slices.ContainsFunc(failures(x.quick(x.subject, q)), same) {
				state, r, again = smaller, q, true
				break
			}
		}
	}
	return r
}

// confirmed evaluates a request as the server does and describes the failure; nil when the
// server answers otherwise.
func (x *search) confirmed(e foresee.Endpoint, r *foresee.Request, key failureKey) *finding {
	full, text, ok := x.confirm(x.subject, r)
	if !ok {
		return nil
	}
	for _, ev := range failures(steps(full)) {
		if ev.Path != key.path {
			continue
		}
		d := x.place(full, ev)
		d.Accepted, d.Severity, d.Example = true, diag.Warning, text
		d.Document, d.Next, d.File = x.document.Kind+"/"+x.document.Name, false, ""
		out := &finding{Diagnostic: d, endpoint: e}
		if x.assumes(x.subject) && (strings.Contains(failing(full, &d), "params") || !strings.Contains(d.Summary, "no such key")) {
			continue // the value of a parameter that nobody gave
		}
		x.describe(out, full, ev, r)
		return out
	}
	return nil
}

// place is the diagnostic that the engine has about a failed expression, with its repairs, or
// one about all of the expression.
func (x *search) place(full *report.Report, ev *report.Evaluation) diag.Diagnostic {
	var best *diag.Diagnostic
	known := x.Configuration.Report.Diagnostics
	for i := range full.Diagnostics {
		d := &full.Diagnostics[i]
		old := slices.ContainsFunc(known, func(k diag.Diagnostic) bool { return k.Code == d.Code && k.Text == d.Text && k.Span == d.Span })
		if old || d.Text != x.document.Text || d.Severity == diag.Info {
			continue
		}
		if d.Path == ev.Path || best == nil && strings.HasPrefix(d.Path, "spec.variables[") {
			best = d
		}
	}
	if best != nil {
		return *best
	}
	d := diag.Diagnostic{Text: ev.Text, Span: ev.Span, Path: ev.Path, Summary: "the expression fails: " + ev.Error}
	if ev.Decisive != nil {
		d.Span = ev.Decisive.Span
	}
	return d
}

// keep adds a finding, unless another one is about the same part of the expression: then it
// returns that one.
func (x *search) keep(found *finding) *finding {
	for _, k := range x.Configuration.Report.Diagnostics {
		if k.Text == found.Text && k.Severity != diag.Info && !codes.Standing(k.Code) && k.Code != codes.ValidationNeverFalse && k.Path == found.Path && overlap(k.Span, found.Span) {
			return found // the server, or the type check, says so without a request
		}
	}
	for _, before := range slices.Concat(x.found, wrapped(x.foresight.found)) {
		if before.Text == found.Text && before.Path == found.Path && before.Code == found.Code && overlap(before.Span, found.Span) {
			before.more(found.endpoint)
			return before
		}
	}
	x.found = append(x.found, found)
	return found
}

// wrapped are the findings of other bindings, for comparison.
func wrapped(list []diag.Diagnostic) []*finding {
	var out []*finding
	for _, d := range list {
		out = append(out, &finding{Diagnostic: d})
	}
	return out
}

func overlap(a, b diag.Span) bool { return a.Start < b.End && b.Start < a.End }

// more notes another endpoint for which the expression fails.
func (f *finding) more(e foresee.Endpoint) {
	if name := requested(e); name != requested(f.endpoint) && !slices.Contains(f.also, name) {
		f.also = append(f.also, name)
	}
}

// requested names the requests to an endpoint: CREATE deployments.
func requested(e foresee.Endpoint) string {
	if e.SubResource != "" {
		return e.Operation + " " + e.Resource.Resource + "/" + e.SubResource
	}
	return e.Operation + " " + e.Resource.Resource
}

// maxAlso is how many other requests a finding names.
const maxAlso = 4

// complete is the diagnostic of a finding, with the other requests that fail.
func (f *finding) complete() diag.Diagnostic {
	d := f.Diagnostic
	if n := len(f.also); n > 0 {
		shown := f.also[:min(n, maxAlso)]
		d.Detail += " It fails for " + strings.Join(shown, ", ")
		if n > maxAlso {
			d.Detail += " and others"
		}
		d.Detail += ", too."
	}
	return d
}

// hasNote reports whether the explanation of a failed expression, or of a variable that it reads, has a note.
func hasNote(full *report.Report, code string) bool {
	found := false
	for _, s := range steps(full) {
		s.Evaluations(func(e *report.Evaluation) {
			found = found || e.Error != "" && slices.ContainsFunc(e.Notes, func(n report.Note) bool { return n.Code == code })
		})
	}
	return found
}
