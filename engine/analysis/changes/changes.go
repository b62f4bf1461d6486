// Package changes compares the answers of two configurations to the same requests, before
// and after a change of policies.
package changes

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/report"
)

// Summary is what a comparison found.
type Summary struct {
	// Records counts all records, Compared those that both sides answered, Same those
	// with the same answer.
	Records  int `json:"records"`
	Compared int `json:"compared"`
	Same     int `json:"same"`
	// Skipped counts the records that could not be compared, by reason.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Changes are the kinds of change, the commonest first.
	Changes []*Change `json:"changes"`
	// Missing says what was not read at all.
	Missing []string `json:"missing,omitempty"`
}

// Change is one kind of change: all requests whose answers differ in the same way.
type Change struct {
	// Old and New are the answers: the verdict, with the policy or webhook that denied.
	Old string `json:"old"`
	New string `json:"new"`
	// What differs between answers of one verdict: code, message, warnings, the object
	// or audit annotations. Empty where the verdict differs.
	What []string `json:"what,omitempty"`
	// Count is how many requests there are, and Samples the first of them.
	Count   int      `json:"count"`
	Samples []Sample `json:"samples"`
}

// Sample is one request whose answer differs.
type Sample struct {
	File string `json:"file,omitempty"` // if there are several
	Line int    `json:"line"`           // from 1
	// Operation, Kind, Namespace and Name say what is asked.
	Operation string `json:"operation"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// OldMessage and NewMessage are those of rejections.
	OldMessage string `json:"oldMessage,omitempty"`
	NewMessage string `json:"newMessage,omitempty"`
	// Request is the text of the record.
	Request string `json:"-"`
	// Defaulting says that the request is as a client sent it.
	Defaulting bool `json:"-"`
}

// Place is where the record is, for people.
func (s Sample) Place() string { return capture.Place(s.File, s.Line) }

// Run asks both configurations about every record. samples bounds those of each kind
// of change. An error is that of a context that ended, or a mistake of ours.
func Run(ctx context.Context, before, after *engine.Configuration, records iter.Seq2[capture.Record, error], samples int) (*Summary, error) {
	several, err := RunSeveral(ctx, []Pair{{Before: before, After: after}}, records, samples)
	if err != nil {
		return nil, err
	}
	return several.Pairs[0], nil
}

// Pair are two configurations whose answers are compared: other policies, or the same ones on
// two releases of Kubernetes.
type Pair struct{ Before, After *engine.Configuration }

// Several is what the comparisons of several pairs found, with the same records.
type Several struct {
	// Pairs has a summary for each pair.
	Pairs []*Summary
	// Compared counts the records that every pair compared, Changed those of them whose answer
	// differs in a pair.
	Compared, Changed int
}

// RunSeveral is Run for several pairs. The records are read once, and each configuration is asked
// once about each of them.
func RunSeveral(ctx context.Context, pairs []Pair, records iter.Seq2[capture.Record, error], samples int) (_ *Several, err error) {
	defer guard.Error(&err)
	all := &Several{}
	for range pairs {
		all.Pairs = append(all.Pairs, &Summary{Changes: []*Change{}})
	}
	for record, err := range records {
		if err != nil {
			for _, s := range all.Pairs {
				s.Missing = append(s.Missing, err.Error())
			}
			continue
		}
		answers := map[*engine.Configuration]*report.Report{}
		if record.Skip+record.Bad == "" && record.Request != "" {
			if answers, err = ask(ctx, pairs, record); err != nil {
				return nil, err
			}
		}
		compared, same := 0, 0
		for i, p := range pairs {
			s := all.Pairs[i]
			before := [2]int{s.Compared, s.Same}
			s.record(record, answers[p.Before], answers[p.After], samples)
			compared, same = compared+s.Compared-before[0], same+s.Same-before[1]
		}
		if compared == len(pairs) {
			all.Compared++
			if same < compared {
				all.Changed++
			}
		}
	}
	for _, s := range all.Pairs {
		slices.SortStableFunc(s.Changes, func(a, b *Change) int { return b.Count - a.Count })
	}
	return all, nil
}

// ask puts a record to each configuration, to all of them at a time.
func ask(ctx context.Context, pairs []Pair, record capture.Record) (map[*engine.Configuration]*report.Report, error) {
	var distinct []*engine.Configuration
	for _, p := range pairs {
		for _, c := range []*engine.Configuration{p.Before, p.After} {
			if !slices.Contains(distinct, c) {
				distinct = append(distinct, c)
			}
		}
	}
	reports, failures := make([]*report.Report, len(distinct)), make([]error, len(distinct))
	var group sync.WaitGroup
	for i, c := range distinct {
		group.Go(func() { reports[i], failures[i] = evaluate(ctx, c, record) })
	}
	group.Wait()
	out := map[*engine.Configuration]*report.Report{}
	for i, c := range distinct {
		out[c] = reports[i]
	}
	return out, errors.Join(failures...)
}

// record counts a record, with the answers of both sides, which are nil for one that is no
// request.
func (s *Summary) record(record capture.Record, a, b *report.Report, samples int) {
	s.Records++
	if reason := record.Skip + record.Bad; reason != "" || record.Request == "" {
		s.skip(reason)
		return
	}
	if a.Request == nil || b.Request == nil {
		s.skip("not an AdmissionReview, an AdmissionRequest, an object or an audit event")
		return
	}
	s.Compared++
	s.compare(record, a, b, samples)
}

func (s *Summary) skip(reason string) {
	if s.Skipped == nil {
		s.Skipped = map[string]int{}
	}
	s.Skipped[reason]++
}

func evaluate(ctx context.Context, c *engine.Configuration, record capture.Record) (_ *report.Report, err error) {
	defer guard.Error(&err) // it has a goroutine of its own
	var o engine.Options
	if on := true; record.Defaulting && c.Settings().Options.Defaulting == nil {
		o.Defaulting = &on
	}
	return c.Evaluate(ctx, engine.Text(record.Request), o)
}

// compare counts the answers of one record.
func (s *Summary) compare(record capture.Record, a, b *report.Report, samples int) {
	from, to, what := answer(a), answer(b), []string(nil)
	if from == to {
		if what = differences(a, b); len(what) == 0 {
			s.Same++
			return
		}
	}
	i := slices.IndexFunc(s.Changes, func(c *Change) bool { return c.Old == from && c.New == to && slices.Equal(c.What, what) })
	if i < 0 {
		i = len(s.Changes)
		s.Changes = append(s.Changes, &Change{Old: from, New: to, What: what})
	}
	c := s.Changes[i]
	if c.Count++; len(c.Samples) < samples {
		q := b.Request
		_, kind, _ := strings.Cut(q.Kind, "Kind=")
		c.Samples = append(c.Samples, Sample{
			File: record.File, Line: record.Line, Operation: q.Operation, Kind: kind, Namespace: q.Namespace, Name: q.Name,
			OldMessage: a.Outcome.Message, NewMessage: b.Outcome.Message, Request: record.Request, Defaulting: record.Defaulting,
		})
	}
}

// answer is the verdict in words.
func answer(r *report.Report) string {
	switch {
	case r.Outcome.State == report.StateUndecided:
		return "undecided"
	case r.Outcome.Allowed && r.Outcome.Mutated:
		return "mutated"
	case r.Outcome.Allowed:
		return "admitted"
	}
	if i := r.Outcome.DecidedBy; i >= 0 && i < len(r.Steps) {
		if s := &r.Steps[i]; s.Webhook != "" {
			return "denied by " + s.Webhook
		} else if s.Policy != "" {
			return "denied by " + s.Policy
		}
	}
	return "denied"
}

// differences are the parts in which two answers of one verdict differ. What storage
// gives every new object, such as its time, is not looked at.
func differences(a, b *report.Report) []string {
	var out []string
	type part struct {
		name string
		a, b any
	}
	object := part{"object", a.Mutated, b.Mutated}
	if a.Kubernetes != b.Kubernetes { // releases give objects other fields; what policies change is compared
		object.a, object.b = a.Outcome.Patch, b.Outcome.Patch
		if !a.Outcome.Allowed { // nothing is stored, on either of them
			object.a, object.b = nil, nil
		}
	}
	for _, part := range []part{
		{"code", a.Outcome.Code, b.Outcome.Code},
		{"message", a.Outcome.Message, b.Outcome.Message},
		{"warnings", a.Outcome.Warnings, b.Outcome.Warnings},
		object,
		{"audit annotations", a.Outcome.AuditAnnotations, b.Outcome.AuditAnnotations},
	} {
		if !same(part.a, part.b) {
			out = append(out, part.name)
		}
	}
	return out
}

// same compares, and takes no list and an empty one for the same.
func same(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		return x.IsValid() == y.IsValid()
	}
	if kind := x.Kind(); (kind == reflect.Slice || kind == reflect.Map) && x.Len() == 0 && y.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a, b)
}
