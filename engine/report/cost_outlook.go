package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Outlook says whether larger objects would exceed a cost limit. It is only present on request
// (package limits).
type Outlook struct {
	Limit int64 `json:"limit"` // in CEL cost units
	// Max is the highest cost by the static estimate, with every list, map and string as long as
	// schema and request size allow; -1 if unbounded.
	Max int64 `json:"max"`
	// Cannot says that Max is within the limit: no object can exceed it.
	Cannot bool `json:"cannot,omitempty"`
	// Growth has the smallest growth that exceeds the limit for each list, map or string, smallest
	// first.
	Growth []Growth `json:"growth,omitempty"`
	// Incomplete says that the search ended early: lists that are not in Growth
	// may still exceed the limit.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Growth is a list, map or string that exceeds a cost limit if it is longer than in the request.
type Growth struct {
	// Of is the growing part, as expressions name it: object.spec.containers. For custom resource
	// rules it is the path in the object: spec.members. Several parts grow together.
	Of []string `json:"of"`
	// Unit is items, entries or characters.
	Unit string `json:"unit"`
	Now  int    `json:"now"`  // length in this request
	From int    `json:"from"` // smallest length that exceeds the limit
	// Like is the repeated item, if only one was; otherwise all items were repeated in turn.
	Like string `json:"like,omitempty"`
	// Confirmed says that evaluation exceeds the limit with length From, but not with one less.
	// Otherwise From is extrapolated from shorter lengths.
	Confirmed bool `json:"confirmed,omitempty"`
}

// Sentence describes it in plain words.
func (o *Outlook) Sentence() string {
	limit := "the limit of " + Number(o.Limit)
	switch {
	case o.Cannot:
		return fmt.Sprintf("Cannot exceed %s: within the limits of the schema and of a request's size, the cost is at most %s.", limit, Number(o.Max))
	case len(o.Growth) == 0 && o.Incomplete:
		return fmt.Sprintf("Unknown whether longer lists exceed %s: finding out takes too much work.", limit)
	case len(o.Growth) == 0:
		return fmt.Sprintf("Even with any one list, map or string of this request at its largest, the cost stays below %s.%s", limit, o.bound())
	}
	var all []string
	for _, g := range o.Growth {
		all = append(all, g.sentence(limit))
	}
	return strings.Join(all, " ")
}

// bound says what the schema alone would allow, which no growth of one part reached.
func (o *Outlook) bound() string {
	if o.Max < 0 {
		return " The schema alone sets no upper bound."
	}
	return fmt.Sprintf(" The schema alone allows %s, with all of them at their longest at once.", Number(o.Max))
}

func (g Growth) sentence(limit string) string {
	text := fmt.Sprintf("Exceeds %s from %s %s in %s (now %s)", limit, about(g.From), g.Unit, strings.Join(g.Of, " and "), Number(int64(g.Now)))
	if len(g.Of) > 1 {
		text = fmt.Sprintf("Exceeds %s from %s %s in each of %s (now %s)", limit, about(g.From), g.Unit, strings.Join(g.Of, " and "), Number(int64(g.Now)))
	}
	if g.Like != "" {
		text += ", if they are like " + g.Like
	}
	if !g.Confirmed {
		return text + "; calculated from shorter lengths."
	}
	return fmt.Sprintf("%s; evaluated: %s break it, %s do not.", text, Number(int64(g.From)), Number(int64(g.From-1)))
}

// about rounds to two digits.
func about(n int) string {
	if n < 100 {
		return Number(int64(n))
	}
	unit := math.Pow10(len(strconv.Itoa(n)) - 2)
	return "about " + Number(int64(math.Round(float64(n)/unit)*unit))
}
