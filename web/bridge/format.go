package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/layout"
)

// FormatParams are the parameters of format.
type FormatParams struct {
	// Text is YAML or JSON.
	Text string `json:"text"`
}

// format formats a text. It fails if the text cannot be read.
func format(_ context.Context, p FormatParams) (string, error) {
	return layout.Format(p.Text)
}
