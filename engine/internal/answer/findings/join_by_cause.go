// Package findings sorts the diagnostics of a report, joins those with one cause, and says which
// repairs are the one likely answer.
package findings

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// JoinCauses makes one problem of those that have one cause: the server says of a rule that it
// costs too much, of the schema that all rules together do, and of each rule that it is one of
// them; and of a name that is not valid wherever it is written. The others become places of the
// one that is to be repaired.
func JoinCauses(list []diag.Diagnostic) []diag.Diagnostic {
	c := causes{list: list, costs: map[documentOf][]int{}, written: map[place][]int{}}
	for i, d := range list {
		c.note(i, d)
	}
	var out []diag.Diagnostic
	at := make([]int, len(list)) // where each is in out
	for i, d := range list {
		if at[i] = len(out); len(c.of(i)) == 0 {
			out = append(out, d)
		}
	}
	if len(out) == len(list) {
		return list
	}
	for i, d := range list {
		for _, cause := range c.of(i) {
			if len(c.of(cause)) == 0 {
				first := &out[at[cause]]
				also := diag.Related{Text: d.Text, Span: d.Span, Path: d.Path, Summary: d.Summary}
				first.Related = slices.Concat(first.Related, []diag.Related{also})
			}
		}
	}
	return out
}

// causes are the problems of a list that others may come of, by where those are: a hostile text has
// tens of thousands.
type causes struct {
	list []diag.Diagnostic
	// costs are those about costs, of which only ones with a repair are causes.
	costs map[documentOf][]int
	// written are those about names, by the other places that their repair writes.
	written map[place][]int
}

type documentOf struct {
	text     diag.Text
	document string
}

type place struct {
	text diag.Text
	span diag.Span
}

// note takes a problem among the causes, if it may be one.
func (c *causes) note(i int, d diag.Diagnostic) {
	switch {
	case len(d.Fixes) == 0:
	case d.Code == codes.CRD && costWeight(d.Summary) > 0:
		of := documentOf{d.Text, d.Document}
		c.costs[of] = append(c.costs[of], i)
	case d.Code == codes.InvalidName && len(d.Fixes[0].Edits) > 0:
		for _, e := range d.Fixes[0].Edits[1:] { // the first edit is that of its own place
			c.written[place{e.Text, e.Span}] = append(c.written[place{e.Text, e.Span}], i)
		}
	}
}

// of are the problems that the one at an index is nothing but a consequence of.
func (c *causes) of(i int) []int {
	d := c.list[i]
	switch d.Code {
	case codes.CRD:
		var out []int
		for _, cause := range c.costs[documentOf{d.Text, d.Document}] {
			if costWeight(d.Summary) > costWeight(c.list[cause].Summary) {
				out = append(out, cause)
			}
		}
		return out
	case codes.InvalidName:
		var out []int
		for _, cause := range c.written[place{d.Text, d.Span}] {
			other := c.list[cause]
			each := i < cause && slices.Contains(c.written[place{other.Text, other.Span}], i) // of two that come of each other the first stays
			if cause != i && other.Text == d.Text && !each {
				out = append(out, cause)
			}
		}
		return out
	}
	return nil
}

// costWeight orders what the server says of the cost of rules by how near it is to the cause: that
// of a rule alone, that of all together, and that a rule is one of them. It is 0 for others.
func costWeight(summary string) int {
	switch {
	case strings.Contains(summary, "estimated rule cost exceeds budget"), strings.Contains(summary, "estimated messageExpression cost exceeds budget"):
		return 1
	case strings.Contains(summary, "estimated rule cost total for entire"):
		return 2
	case strings.Contains(summary, "contributed to estimated rule cost total"):
		return 3
	}
	return 0
}
