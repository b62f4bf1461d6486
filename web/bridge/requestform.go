package bridge

import (
	"context"

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

// FormParams are those of request/form.
type FormParams struct {
	Scenario scenario.Scenario    `json:"scenario"`
	Set      *requesttext.Changes `json:"set,omitempty"`
}

// requestForm changes the request text; without changes it only reads it.
func requestForm(_ context.Context, in FormParams) (Formed, error) {
	text := in.Scenario.Request
	if in.Set != nil {
		if old := in.Set.OldObject; old != nil {
			if problems := requesttext.Problems(*old); diag.HasErrors(problems) {
				return Formed{Text: text, OldObject: *old, Problems: problems}, nil
			}
		}
		var err error
		if text, err = requesttext.Change(text, *in.Set); err != nil {
			return Formed{}, err
		}
	}
	return Formed{Text: text, OldObject: requesttext.OldObject(text)}, nil
}
