package webhook

import (
	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Facts is what a configuration says of one webhook, for checks that call
// nothing.
type Facts struct {
	// Kind is that of the configuration, Configuration its name.
	Kind, Configuration, Name string
	// Document is the configuration's; Path is the webhook in it: webhooks[0].
	Document *scenario.Document
	Path     string
	Client   v1.WebhookClientConfig
	Mutating bool
	// Static says that it is from a manifest file of the server.
	Static bool
	// FailsClosed says that a failed call rejects the request.
	FailsClosed bool
	// Reinvoked says that it may be called in the second pass.
	Reinvoked bool
	// Timeout is that of one call, in seconds.
	Timeout    int32
	Match      match.Webhook
	Conditions []condition.Condition
}

// Facts returns what the configuration says of the webhook.
func (h *Hook) Facts() Facts {
	return Facts{
		Kind: h.kind, Configuration: h.configuration, Name: h.name, Document: h.document, Path: h.path, Client: h.client,
		Mutating: h.mutating, Static: h.static, FailsClosed: !h.ignore(), Reinvoked: h.reinvocable, Timeout: h.timeoutSeconds, Match: h.match, Conditions: h.conditions,
	}
}
