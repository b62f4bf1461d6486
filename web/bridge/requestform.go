package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Formed is the reply to request/form: the request text after a change of the
// fields above it, and the old object in it as a text of its own.
type Formed struct {
	Text      string `json:"text"`
	OldObject string `json:"oldObject"`
	// Problems say where the old object cannot be read; the text is unchanged
	// then.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
}

// requestForm changes the request text; without changes it only reads it.
func requestForm(_ context.Context, params json.RawMessage) (any, error) {
	var in struct {
		Scenario scenario.Scenario    `json:"scenario"`
		Set      *requesttext.Changes `json:"set"`
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, fmt.Errorf("the form: %w", err)
	}
	text := in.Scenario.Request
	if in.Set != nil {
		if old := in.Set.OldObject; old != nil {
			if problems := requesttext.Problems(*old); diag.HasErrors(problems) {
				return Formed{Text: text, OldObject: *old, Problems: problems}, nil
			}
		}
		var err error
		if text, err = requesttext.Change(text, *in.Set); err != nil {
			return nil, err
		}
	}
	return Formed{Text: text, OldObject: requesttext.OldObject(text)}, nil
}
