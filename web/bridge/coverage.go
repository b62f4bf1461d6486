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

// CoverageRun asks which parts of the page's policies the cases have shown.
type CoverageRun struct {
	Scenario scenario.Scenario `json:"scenario"`
	// Cases are those that are left, Former what the reply to those before them had as
	// its Former.
	Cases  []Case `json:"cases"`
	Former string `json:"former,omitempty"`
}

// CoverageReply is the reply to cases/coverage: with the first cases, as many as a short
// time allows.
type CoverageReply struct {
	// Done is how many of the cases were looked at, and Elsewhere how many of these have
	// policies of their own, which are not those of the page.
	Done      int `json:"done"`
	Elsewhere int `json:"elsewhere"`
	// Former is for the next call.
	Former string `json:"former"`
	// Shown of Targets is what all cases until now have shown.
	Shown   int           `json:"shown"`
	Targets int           `json:"targets"`
	Gaps    []CoverageGap `json:"gaps"`
}

// CoverageGap is an expression, or a part of one, with what no case has shown of it.
type CoverageGap struct {
	// Name is that of the policy or webhook configuration, Path the field.
	Name string `json:"name"`
	Path string `json:"path"`
	// Text is the part, and Span its place among the policies.
	Text string    `json:"text"`
	Span diag.Span `json:"span"`
	// What is "never ran", "never true" or "never false"; Note says how sure that is.
	What string `json:"what"`
	Note string `json:"note,omitempty"`
}

// coverCases adds what cases show to what others have shown.
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
