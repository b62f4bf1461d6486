package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/requesttext"
)

// LiveParams are those of request/live: the text of an object of a running cluster,
// and the request to make of it.
type LiveParams struct {
	Text string           `json:"text"`
	Form requesttext.Form `json:"form"`
}

// live makes another request of an object of a running cluster.
func live(_ context.Context, p LiveParams) (string, error) {
	return requesttext.As(p.Text, p.Form)
}
