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
	// Request is the setting options.request for the text. With a plain object, everything that the
	// form changes is a setting.
	Request   *scenario.RequestSettings `json:"request,omitempty"`
	OldObject string                    `json:"oldObject"`
	// Problems say where the old object cannot be read. Then the text is unchanged.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
}

// FormParams are the parameters of request/form.
type FormParams struct {
	Scenario scenario.Scenario    `json:"scenario"`
	Set      *requesttext.Changes `json:"set,omitempty"`
}

// requestForm changes everything in the request except its object: in the settings if the text is a
// plain object, else in the text. Without changes requestForm only reads.
func requestForm(_ context.Context, in FormParams) (Formed, error) {
	text, settings := in.Scenario.Request, in.Scenario.Options.Request
	plain := requesttext.IsObject(text)
	set := in.Set
	if set != nil && set.OldObject != nil {
		if problems := requesttext.Problems(*set.OldObject); diag.HasErrors(problems) {
			return Formed{Text: text, Request: settings, OldObject: *set.OldObject, Problems: problems}, nil
		}
		if *set.OldObject == text && (settings == nil || settings.Apply == nil) {
			set.OldObject = new("") // the object itself, as without the setting
		}
	}
	switch {
	case set == nil:
	case !plain:
		changed, err := requesttext.Change(text, *set)
		if err != nil {
			return Formed{}, err
		}
		text = changed
		if now := set.Settings(settings); now != nil {
			settings = scenario.RequestSettings{Apply: now.Apply}.OrNil()
		}
	case set.OldObject != nil && *set.OldObject != "" && settings != nil && settings.Operation == "DELETE":
		text = *set.OldObject // the object that is deleted
	default:
		settings = set.Settings(settings)
	}
	return Formed{Text: text, Request: settings, OldObject: oldObject(text, plain, settings)}, nil
}

// oldObject returns a text's old object. For a plain object that is the settings' or the object itself.
func oldObject(text string, plain bool, settings *scenario.RequestSettings) string {
	switch {
	case !plain || settings == nil:
		return requesttext.OldObject(text)
	case settings.OldObject != "" && (settings.Operation == "UPDATE" || settings.Apply != nil):
		return settings.OldObject
	case settings.Operation == "UPDATE", settings.Operation == "DELETE":
		return text
	}
	return ""
}
