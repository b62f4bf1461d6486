package webhook

import (
	"github.com/preadmit/preadmit/engine/internal/admission/run"
)

// requestSeconds is what the server gives a request in all: requestTimeoutUpperBound
// of its handlers.
const requestSeconds = 34

// wait lets the time of an answer pass that a mutating webhook gives. The call ends
// with the time of the webhook, or with that of the request.
func (s *selected) wait(c *run.Chain, given *Response) {
	if !s.mutating {
		return // they are called at the same time
	}
	limit := min(float64(s.timeoutSeconds), requestSeconds-c.Elapsed)
	if given.Timeout || given.DelaySeconds > limit {
		given.Timeout = true
		c.Elapsed += limit
		return
	}
	c.Elapsed += max(given.DelaySeconds, 0)
}
