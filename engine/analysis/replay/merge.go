package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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
// is that of all records at once: every count and every cost is exact. Lists that a
// summary bounds (messages, reasons, unreadable records) hold what the parts have of them,
// in the order of the parts.
func Merge(parts ...*Summary) (*Summary, error) {
	if len(parts) == 0 {
		return nil, errors.New("there is nothing to merge")
	}
	first := parts[0]
	out := &Summary{Kubernetes: first.Kubernetes, Configuration: first.Configuration, By: first.By, Times: first.Times, Install: first.Install, Diagnostics: first.Diagnostics}
	for i, part := range parts {
		switch {
		case !part.Partial:
			return nil, fmt.Errorf("part %d is no partial summary", i+1)
		case part.Kubernetes != out.Kubernetes || part.Configuration != out.Configuration:
			return nil, fmt.Errorf("part %d was made with other policies, another cluster or other settings than the first", i+1)
		case part.Times != out.Times:
			return nil, fmt.Errorf("part %d differs from the first in whether times were measured", i+1)
		case !slices.Equal(part.By, out.By):
			return nil, fmt.Errorf("part %d counts by other things than the first", i+1)
		}
		out.merge(part)
	}
	out.finish()
	for _, p := range out.Policies {
		p.forgetCounts()
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
	s.Bad = bounded(s.Bad, o.Bad, maxBad)
	s.MissingParts = bounded(s.MissingParts, o.MissingParts, maxBad)
	for _, d := range o.Denials {
		i := slices.IndexFunc(s.Denials, func(x Denial) bool { return x.Message == d.Message })
		switch {
		case i >= 0:
			s.Denials[i].Count += d.Count
		case len(s.Denials) < maxDenials:
			s.Denials = append(s.Denials, d)
		}
	}
	for _, g := range o.Groups {
		s.addGroup(g)
	}
	for _, p := range o.Policies {
		s.samePolicy(p).merge(p)
	}
}

// bounded appends one list to another, up to a length.
func bounded[T any](list, more []T, most int) []T {
	return append(list, more[:min(len(more), most-len(list))]...)
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
		i := slices.IndexFunc(p.Reasons, func(x Reason) bool { return x.Reason == r.Reason })
		switch {
		case i >= 0:
			p.Reasons[i].Count += r.Count
		case len(p.Reasons) < maxReasons:
			p.Reasons = append(p.Reasons, r)
		}
	}
	for _, x := range o.Expressions {
		i := slices.IndexFunc(p.Expressions, func(y *Expression) bool { return y.Name == x.Name && y.Kind == x.Kind })
		if i < 0 {
			i = len(p.Expressions)
			p.Expressions = append(p.Expressions, &Expression{Name: x.Name, Kind: x.Kind})
		}
		y := p.Expressions[i]
		y.Runs += x.Runs
		y.True += x.True
		y.False += x.False
		y.Errors += x.Errors
		y.Cost.merge(x.Cost)
		mergeTimes(&y.Time, x.Time)
		if x.LastError != "" {
			y.LastError = x.LastError
		}
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
