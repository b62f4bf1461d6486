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
	// Defaulting is the setting that the new text needs to mean what the old one
	// did: an object gets the server's defaults, a captured request does not. Absent
	// where nothing has to be set.
	Defaulting *bool `json:"defaulting,omitempty"`
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
		wrapped := requesttext.IsObject(text)
		var err error
		if text, err = requesttext.Change(text, *in.Set); err != nil {
			return Formed{}, err
		}
		if on := true; wrapped && in.Scenario.Options.Defaulting == nil {
			return Formed{Text: text, OldObject: requesttext.OldObject(text), Defaulting: &on}, nil
		}
	}
	return Formed{Text: text, OldObject: requesttext.OldObject(text)}, nil
}
