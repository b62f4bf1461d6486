package bridge

import (
	"context"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/secrets"
	"github.com/preadmit/preadmit/engine/scenario"
)

// SecretsParams are the parameters of secrets.
type SecretsParams struct {
	Scenario scenario.Scenario `json:"scenario"`
}

// Secrets is the reply to secrets.
type Secrets struct {
	// Found are the values that look like secrets; empty if there are none.
	Found []secrets.Found `json:"found"`
	// Unread are the texts that could not be read completely and may contain more.
	Unread []diag.Text `json:"unread"`
	// Scenario has placeholders instead of the values.
	Scenario scenario.Scenario `json:"scenario"`
}

// findSecrets looks for values that should not be shared, and returns the scenario without them.
func findSecrets(_ context.Context, p SecretsParams) (Secrets, error) {
	result := secrets.Find(p.Scenario)
	changed, err := result.Removed(p.Scenario)
	if err != nil {
		return Secrets{}, err
	}
	out := Secrets{Found: result.Found, Unread: result.Unread, Scenario: changed}
	if out.Found == nil {
		out.Found = []secrets.Found{}
	}
	if out.Unread == nil {
		out.Unread = []diag.Text{}
	}
	return out, nil
}
