package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// digest names what the requests met.
func digest(s scenario.Scenario) (string, error) {
	s.Request, s.Expression, s.Title, s.Description, s.Tags = "", "", "", "", nil
	raw, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("the configuration cannot be written: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16]), nil
}

// Merge adds up partial summaries (Options.Partial) of shards of one capture. The result
// is that of all records at once: every count and every cost is exact, and neither how
// the capture was cut nor the order of the parts makes a difference. Tables that a
// summary bounds keep the same entries, with exact counts, as that of the whole does (see
// tallies.go).
func Merge(parts ...*Summary) (*Summary, error) {
	out, err := combine(parts)
	if err != nil {
		return nil, err
	}
	out.Partial = false
	out.finish()
	out.forgetCounts()
	return out, nil
}

// MergePartial is Merge with a result that can be merged again: Merge(MergePartial(a, b),
// c) is Merge(a, b, c).
func MergePartial(parts ...*Summary) (*Summary, error) {
	out, err := combine(parts)
	if err != nil {
		return nil, err
	}
	out.finish()
	return out, nil
}

// combine adds up partial summaries, unfinished. It changes none of them.
func combine(parts []*Summary) (*Summary, error) {
	if len(parts) == 0 {
		return nil, errors.New("there is nothing to merge")
	}
	first := parts[0]
	out := &Summary{
		Partial: true, Kubernetes: first.Kubernetes, Configuration: first.Configuration, By: first.By, Times: first.Times, SamplesOf: first.SamplesOf,
		Install: first.Install, Diagnostics: first.Diagnostics,
	}
	for i, part := range parts {
		switch {
		case !part.Partial:
			return nil, fmt.Errorf("part %d is not a partial summary", i+1)
		case part.Kubernetes != out.Kubernetes || part.Configuration != out.Configuration:
			return nil, fmt.Errorf("part %d was made with different policies, cluster or settings than the first", i+1)
		case part.Times != out.Times:
			return nil, fmt.Errorf("unlike the first, part %d has other settings for --times", i+1)
		case !slices.Equal(part.By, out.By):
			return nil, fmt.Errorf("part %d has another --by than the first", i+1)
		case part.SamplesOf != out.SamplesOf:
			return nil, fmt.Errorf("part %d has another number of samples than the first", i+1)
		}
		out.merge(part)
	}
	return out, nil
}

// merge adds another summary.
func (s *Summary) merge(o *Summary) {
	s.Records += o.Records
	s.Replayed += o.Replayed
	s.Admitted += o.Admitted
	s.Denied += o.Denied
	s.Mutated += o.Mutated
	s.Warned += o.Warned
	s.Unreadable += o.Unreadable
	s.Missing += o.Missing
	for reason, n := range o.Skipped {
		countBy(&s.Skipped, reason, n)
	}
	for note, n := range o.Notes {
		countBy(&s.Notes, note, n)
	}
	s.Bad = leastOf(s.Bad, maxBad, compareBad, o.Bad...)
	s.MissingParts = leastOf(s.MissingParts, maxBad, strings.Compare, o.MissingParts...)
	for _, d := range o.Denials {
		s.addDenial(d)
	}
	for _, m := range o.Samples {
		s.samplesOf(m).add(s.SamplesOf, m.Requests...)
	}
	for _, g := range o.Groups {
		s.addGroup(g)
	}
	for _, p := range o.Policies {
		s.samePolicy(p).merge(p)
	}
}

// samePolicy is the entry for the same policy, binding or webhook.
func (s *Summary) samePolicy(o *Policy) *Policy {
	i := slices.IndexFunc(s.Policies, func(p *Policy) bool {
		return p.Kind == o.Kind && p.Policy == o.Policy && p.Binding == o.Binding && p.Configuration == o.Configuration && p.Webhook == o.Webhook
	})
	if i < 0 {
		i = len(s.Policies)
		s.Policies = append(s.Policies, &Policy{Kind: o.Kind, Policy: o.Policy, Binding: o.Binding, Configuration: o.Configuration, Webhook: o.Webhook})
	}
	return s.Policies[i]
}

func (p *Policy) merge(o *Policy) {
	p.NotMatched += o.NotMatched
	p.Excluded += o.Excluded
	p.Matched += o.Matched
	p.Denied += o.Denied
	p.Warned += o.Warned
	p.Audited += o.Audited
	p.Mutated += o.Mutated
	p.Errors += o.Errors
	p.Cost.merge(o.Cost)
	mergeTimes(&p.Time, o.Time)
	if o.Budget != nil {
		p.share(*o.Budget)
	}
	for _, r := range o.Reasons {
		p.reason(r.Reason, r.Count)
	}
	for reason, n := range o.reasons {
		p.reason(reason, n)
	}
	for _, x := range o.Expressions {
		y := p.sameExpression(x.Name, x.Kind, x.Path)
		y.Runs += x.Runs
		y.True += x.True
		y.False += x.False
		y.Errors += x.Errors
		y.Cost.merge(x.Cost)
		mergeTimes(&y.Time, x.Time)
		y.error(x.Error)
	}
}

func (p *Policy) sameExpression(name, kind, path string) *Expression {
	i := slices.IndexFunc(p.Expressions, func(x *Expression) bool { return x.Name == name && x.Kind == kind && x.Path == path })
	if i < 0 {
		i = len(p.Expressions)
		p.Expressions = append(p.Expressions, &Expression{Name: name, Kind: kind, Path: path})
	}
	return p.Expressions[i]
}

// error keeps the least of the texts, so that it does not matter which came first.
func (x *Expression) error(text string) {
	if text != "" && (x.Error == "" || text < x.Error) {
		x.Error = text
	}
}

func mergeTimes(d **Distribution, other *Distribution) {
	if other == nil {
		return
	}
	if *d == nil {
		*d = &Distribution{}
	}
	(*d).merge(*other)
}

// forgetCounts leaves out what only merging needs.
func (s *Summary) forgetCounts() {
	for _, p := range s.Policies {
		p.forgetCounts()
	}
}

func (p *Policy) forgetCounts() {
	p.Cost.forgetCounts()
	p.Time.forgetCounts()
	for _, x := range p.Expressions {
		x.Cost.forgetCounts()
		x.Time.forgetCounts()
	}
}

func (d *Distribution) forgetCounts() {
	if d != nil {
		d.Counts = nil
	}
}

func countBy(m *map[string]int, key string, n int) {
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[key] += n
}
