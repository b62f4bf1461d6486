package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/requesttext"
)

// LiveParams are the parameters of request/live: the text of a running cluster's object, and the
// request to build from it.
type LiveParams struct {
	Text string           `json:"text"`
	Form requesttext.Form `json:"form"`
}

// live builds another request from a running cluster's object.
func live(_ context.Context, p LiveParams) (string, error) {
	return requesttext.As(p.Text, p.Form)
}
