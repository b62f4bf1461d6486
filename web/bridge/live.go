package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/requesttext"
)

// StripParams are the parameters of request/strip: the text of a running cluster's object.
type StripParams struct {
	Text string `json:"text"`
}

// strip returns an object without the fields that only a server sets.
func strip(_ context.Context, p StripParams) (string, error) {
	return requesttext.Stripped(p.Text)
}
