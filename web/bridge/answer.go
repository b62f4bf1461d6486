package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/proposal"
	"github.com/preadmit/preadmit/engine/scenario"
)

// AnswerParams are the parameters of answer: a response of one of the scenario's webhooks, as an
// AdmissionReview, an AdmissionResponse, a JSON Patch, an HTTP response (as curl -i prints it) or a
// WebhookResponse's spec.
type AnswerParams struct {
	Scenario scenario.Scenario `json:"scenario"`
	Webhook  string            `json:"webhook"` // the name of the webhook
	Text     string            `json:"text"`
}

// Answered is the reply to answer: the scenario, with the response in its cluster.
type Answered struct {
	Scenario scenario.Scenario `json:"scenario"`
}

// answer adds a webhook's response to the cluster, as its WebhookResponse.
func answer(_ context.Context, p AnswerParams) (Answered, error) {
	out := Answered{Scenario: p.Scenario}
	c := scenario.Classify([]scenario.File{{Text: p.Text}}, scenario.Given{Scenario: p.Scenario, Into: diag.Cluster, Webhook: p.Webhook})
	answers := func(o scenario.Placed) bool { return o.Kind == "WebhookResponse" && o.Text == diag.Cluster }
	if slices.ContainsFunc(c.Placed, answers) {
		if others := slices.ContainsFunc(c.Placed, func(o scenario.Placed) bool { return !answers(o) || o.Name != p.Webhook }); others {
			return out, fmt.Errorf("this is not an answer from %s alone", p.Webhook)
		}
		out.Scenario.Cluster = documents(p.Scenario.Cluster, c.Scenario.Cluster)
		return out, nil
	}
	spec, err := responseOf(p.Text)
	if err != nil {
		return out, err
	}
	document, err := scenario.YAML(map[string]any{
		"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse",
		"metadata": map[string]any{"name": p.Webhook}, "spec": spec,
	})
	if err != nil {
		return out, err
	}
	out.Scenario.Cluster = documents(p.Scenario.Cluster, string(document))
	return out, nil
}

// answerFields are a WebhookResponse's fields of which at least one is required.
var answerFields = []string{"allowed", "httpStatus", "body", "text", "timeout", "delaySeconds", "noResponse", "connectionRefused", "connectionError", "sequence"}

// responseOf reads the response in a text. A patch means that the webhook allows the request with
// it. An AdmissionResponse stays as it is.
func responseOf(text string) (map[string]any, error) {
	if docs, problems := scenario.ParseDocuments(diag.Request, text); len(docs) == 1 && !diag.HasErrors(problems) {
		says := func(field string) bool { _, ok := docs[0].Value[field]; return ok }
		if docs[0].Kind == "" && slices.ContainsFunc(answerFields, says) {
			return docs[0].Value, nil
		}
	}
	raw, err := proposal.ReadPatch(text)
	if err != nil {
		return nil, errors.New("this is not a webhook's answer: paste its AdmissionReview with the response, the JSON Patch in it, or the HTTP answer with its status (" + err.Error() + ")")
	}
	var patch []any
	if err := json.Unmarshal(raw, &patch); err != nil {
		return nil, fmt.Errorf("the patch is not a list of operations: %w", err)
	}
	return map[string]any{"allowed": true, "patchType": "JSONPatch", "patch": patch}, nil
}
