package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/analysis/coverage"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// CoverageRun are the parameters of cases/coverage: which parts of the page's policies the cases
// have covered.
type CoverageRun struct {
	Scenario scenario.Scenario `json:"scenario"`
	// Cases are the remaining cases. Former is the previous reply's Former.
	Cases  []Case `json:"cases"`
	Former string `json:"former,omitempty"`
}

// CoverageReply is the reply to cases/coverage, for as many of the first cases as a short time
// allows.
type CoverageReply struct {
	// Done is how many cases were evaluated. Elsewhere is how many of them have their own policies
	// instead of the page's.
	Done      int `json:"done"`
	Elsewhere int `json:"elsewhere"`
	// Former is for the next call.
	Former string `json:"former"`
	// Shown of Targets is what all cases so far have covered.
	Shown   int           `json:"shown"`
	Targets int           `json:"targets"`
	Gaps    []CoverageGap `json:"gaps"`
}

// CoverageGap is an expression, or a part of one, with an outcome that no case has covered.
type CoverageGap struct {
	// Name is the policy's or webhook configuration's name; Path is the field.
	Name string `json:"name"`
	Path string `json:"path"`
	// Text is the part, and Span its place in the policies text.
	Text string    `json:"text"`
	Span diag.Span `json:"span"`
	// What is "never ran", "never true" or "never false". Note says how certain that is.
	What string `json:"what"`
	Note string `json:"note,omitempty"`
}

// coverCases adds the cases' coverage to the previous one.
func coverCases(ctx context.Context, p CoverageRun) (CoverageReply, error) {
	var former []*coverage.Expression
	if p.Former != "" {
		if err := json.Unmarshal([]byte(p.Former), &former); err != nil {
			return CoverageReply{}, fmt.Errorf("what other cases have shown: %w", err)
		}
	}
	c := coverage.Resume(p.Scenario.Policies, former)
	out := CoverageReply{Gaps: []CoverageGap{}}
	start := time.Now()
	for i, one := range p.Cases {
		if i > 0 && time.Since(start) > casesSlice {
			break
		}
		out.Done++
		if one.Policies != nil && *one.Policies != p.Scenario.Policies {
			out.Elsewhere++
			continue
		}
		r, err := evaluateOnce(ctx, one.on(p.Scenario), everything())
		if err != nil {
			return CoverageReply{}, err
		}
		c.Add(r)
	}
	raw, err := json.Marshal(c.Expressions())
	if err != nil {
		return CoverageReply{}, err
	}
	out.Former = string(raw)
	out.Shown, out.Targets = coverage.Total(c.Expressions())
	for _, x := range c.Expressions() {
		for _, g := range x.Gaps() {
			out.Gaps = append(out.Gaps, shownGap(g))
		}
	}
	return out, nil
}

func shownGap(g coverage.Gap) CoverageGap {
	out := CoverageGap{Name: g.Expression.Name, Path: g.Expression.Path, Text: g.Expression.Expression, Span: g.Expression.Span, What: g.What}
	if g.Part != nil {
		out.Text, out.Span = g.Part.Text, g.Part.Span
		if g.Part.Sampled && g.What != coverage.NeverRan {
			out.Note = "judging by the recorded values of its loop"
		}
	}
	out.Text = strings.Join(strings.Fields(out.Text), " ")
	return out
}
