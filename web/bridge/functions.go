package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/edit/completion"
)

// functions lists a version's CEL functions, for lookup and insertion. An empty text means the
// default version.
func functions(_ context.Context, kubernetes string) ([]completion.Function, error) {
	c, err := completer(kubernetes)
	if err != nil {
		return nil, err
	}
	return c.Functions()
}
