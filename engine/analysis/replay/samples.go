package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Samples are some requests of one kind. They are those whose texts have the least
// hashes, each text once: spread over the whole capture, and the same ones however it is
// cut into parts.
type Samples struct {
	// What became of the requests. Of the whole: admitted, mutated, denied or warned. At
	// one policy or webhook: excluded, denied, warned, audited, mutated or failed.
	What string `json:"what"`
	// Kind, Policy, Binding, Configuration and Webhook are those of the Policy that did
	// it; empty for the whole.
	Kind          string `json:"kind,omitempty"`
	Policy        string `json:"policy,omitempty"`
	Binding       string `json:"binding,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Webhook       string `json:"webhook,omitempty"`
	// Requests are Options.Samples at most.
	Requests []Sample `json:"requests"`
}

// Sample is one request.
type Sample struct {
	File string `json:"file,omitempty"` // if there are several
	Line int    `json:"line"`           // from 1
	// Operation, Resource, Namespace, Name and User say what is asked, and who asks.
	Operation string `json:"operation"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	User      string `json:"user,omitempty"`
	// Message is what the client gets, if the request is rejected.
	Message string `json:"message,omitempty"`
	// Request is the text of the record, and Defaulting says that it is as the client
	// sent it, before the server's defaults.
	Request    string `json:"request"`
	Defaulting bool   `json:"defaulting,omitempty"`
	// Link opens it with the policies, where a program has made one. Run does not.
	Link string `json:"link,omitempty"`
}

// maxSamples bounds Options.Samples.
const maxSamples = 100

// Place is where the record begins, for people.
func (s Sample) Place() string { return capture.Place(s.File, s.Line) }

// Scenario is base with the sample as its request.
func (s Sample) Scenario(base scenario.Scenario) scenario.Scenario {
	base.Request = s.Request
	if on := true; s.Defaulting && base.Options.Defaulting == nil {
		base.Options.Defaulting = &on
	}
	return base
}

// sample offers a request to the samples of all that became of it.
func (s *Summary) sample(record Record, r *report.Report) {
	if s.SamplesOf <= 0 {
		return
	}
	q := r.Request
	one := Sample{
		File: record.File, Line: record.Line, Operation: q.Operation, Resource: ways["resource"](q), Namespace: q.Namespace, Name: q.Name, User: q.User,
		Request: record.Request, Defaulting: record.Defaulting,
	}
	whole := "admitted"
	switch {
	case !r.Outcome.Allowed:
		whole, one.Message = "denied", r.Outcome.Message
	case r.Outcome.Mutated:
		whole = "mutated"
	}
	s.samplesOf(&Samples{What: whole}).add(s.SamplesOf, one)
	if len(r.Outcome.Warnings) > 0 {
		s.samplesOf(&Samples{What: "warned"}).add(s.SamplesOf, one)
	}
	for i := range r.Steps {
		if what := became(&r.Steps[i]); what != "" {
			step := &r.Steps[i]
			s.samplesOf(&Samples{What: what, Kind: step.Kind, Policy: step.Policy, Binding: step.Binding, Configuration: step.Configuration, Webhook: step.Webhook}).add(s.SamplesOf, one)
		}
	}
}

// became says what a step made of a request, if that is worth a sample. What plugins
// change is in nearly every request.
func became(step *report.Step) string {
	failed := step.Status == report.Errored
	step.Evaluations(func(e *report.Evaluation) { failed = failed || e.Error != "" })
	switch {
	case step.Verdict == report.Deny:
		return "denied"
	case step.Kind == plugins.Kind:
		return ""
	case failed:
		return "failed"
	case step.Status == report.Excluded:
		return "excluded"
	case step.Verdict == report.Warn:
		return "warned"
	case step.Verdict == report.Audit:
		return "audited"
	case step.Verdict == report.Mutate:
		return "mutated"
	}
	return ""
}

// compareKinds orders samples: the whole first, then by policy as they are listed.
func compareKinds(a, b *Samples) int {
	return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), strings.Compare(a.Policy, b.Policy), strings.Compare(a.Binding, b.Binding),
		strings.Compare(a.Configuration, b.Configuration), strings.Compare(a.Webhook, b.Webhook), strings.Compare(a.What, b.What))
}

func (s *Summary) samplesOf(m *Samples) *Samples {
	i, found := slices.BinarySearchFunc(s.Samples, m, compareKinds)
	if !found {
		own := *m
		own.Requests = nil
		s.Samples = slices.Insert(s.Samples, i, &own)
	}
	return s.Samples[i]
}

// add keeps the requests with the least hashes, each text at its first place.
func (m *Samples) add(most int, more ...Sample) {
	for _, one := range more {
		i := slices.IndexFunc(m.Requests, func(x Sample) bool { return x.Request == one.Request })
		switch {
		case i < 0:
			m.Requests = leastOf(m.Requests, most, compareSamples, one)
		case cmp.Or(strings.Compare(one.File, m.Requests[i].File), one.Line-m.Requests[i].Line) < 0:
			m.Requests[i] = one
		}
	}
}

func compareSamples(a, b Sample) int {
	return cmp.Or(cmp.Compare(hash(a.Request), hash(b.Request)), strings.Compare(a.Request, b.Request))
}
