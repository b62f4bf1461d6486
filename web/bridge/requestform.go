package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Formed is the reply to request/form: the request after a change to the form above its text, and
// the old object as a separate text.
type Formed struct {
	Text string `json:"text"`
	// Request is the setting options.request for the text. With a plain object, operation, user,
	// subresource and dry run are settings.
	Request   *scenario.RequestSettings `json:"request,omitempty"`
	OldObject string                    `json:"oldObject"`
	// Defaulting is the setting that keeps the new text's meaning: an object gets the server's
	// defaults, a captured request does not. It is absent if no setting is needed.
	Defaulting *bool `json:"defaulting,omitempty"`
	// Problems say where the old object cannot be read. Then the text is unchanged.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
}

// FormParams are the parameters of request/form.
type FormParams struct {
	Scenario scenario.Scenario    `json:"scenario"`
	Set      *requesttext.Changes `json:"set,omitempty"`
}

// requestForm changes everything in the request except its object: in the settings if the text is a
// plain object, else in the text. A plain object with a separate old object becomes an
// AdmissionReview. Without changes requestForm only reads.
func requestForm(_ context.Context, in FormParams) (Formed, error) {
	text, settings := in.Scenario.Request, in.Scenario.Options.Request
	plain := requesttext.IsObject(text)
	switch set := in.Set; {
	case set == nil:
	case set.OldObject != nil:
		if problems := requesttext.Problems(*set.OldObject); diag.HasErrors(problems) {
			return Formed{Text: text, Request: settings, OldObject: *set.OldObject, Problems: problems}, nil
		}
		if !plain {
			return changed(text, nil, *set)
		}
		formed, err := changed(text, settings, *set)
		if on := true; in.Scenario.Options.Defaulting == nil {
			formed.Defaulting = &on
		}
		return formed, err
	case plain:
		settings = set.Settings(settings)
	default:
		return changed(text, nil, *set)
	}
	return Formed{Text: text, Request: settings, OldObject: oldObject(text, plain, settings)}, nil
}

// changed returns a text after changes.
func changed(text string, settings *scenario.RequestSettings, set requesttext.Changes) (Formed, error) {
	text, err := requesttext.Written(text, settings, set)
	if err != nil {
		return Formed{}, err
	}
	return Formed{Text: text, OldObject: requesttext.OldObject(text)}, nil
}

// oldObject returns a text's old object. For a plain object that is the object itself.
func oldObject(text string, plain bool, settings *scenario.RequestSettings) string {
	if plain && settings != nil && (settings.Operation == "UPDATE" || settings.Operation == "DELETE") {
		return text
	}
	return requesttext.OldObject(text)
}
