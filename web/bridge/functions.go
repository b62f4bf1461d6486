package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/completion"
)

// functions lists what CEL of a version offers, for looking it up and inserting it; an
// empty text is the default version.
func functions(_ context.Context, kubernetes string) ([]completion.Function, error) {
	c, err := completer(kubernetes)
	if err != nil {
		return nil, err
	}
	return c.Functions()
}
