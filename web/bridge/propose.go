package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/proposal"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// proposalParams is a change to the object of the scenario's request. One of the
// others is given.
type proposalParams struct {
	Scenario scenario.Scenario `json:"scenario"`
	// After is the changed object as text.
	After *string `json:"after"`
	// Patch is a webhook's patch, or its answer, as text.
	Patch *string `json:"patch"`
	// Webhook is one of the scenario.
	Webhook *webhookName `json:"webhook"`
}

type webhookName struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
}

// Proposed is the reply to propose: what is proposed, and how it is shown.
type Proposed struct {
	*proposal.Result
	HTML string `json:"html"`
	// Problems say where the changed object cannot be read; nothing is proposed
	// then.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
}

// proposePolicies finds the policies that make a change, and renders them.
func proposePolicies(ctx context.Context, params json.RawMessage) (any, error) {
	var p proposalParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("the change: %w", err)
	}
	var out Proposed
	var err error
	nothing := "It changes nothing of this object."
	switch {
	case p.Webhook != nil:
		out.Result, err = proposal.FromWebhook(ctx, p.Scenario, p.Webhook.Configuration, p.Webhook.Name)
	case p.Patch != nil:
		var operations []byte
		if operations, err = proposal.ReadPatch(*p.Patch); err == nil {
			out.Result, err = proposal.FromPatch(ctx, p.Scenario, operations)
		}
	case p.After != nil:
		nothing = "Change something in the object: what makes the change appears here while you type."
		out.Result, out.Problems, err = fromText(ctx, p.Scenario, *p.After)
	default:
		err = errors.New("there is no change to propose a policy for")
	}
	if err != nil || len(out.Problems) > 0 {
		return out, err
	}
	var b strings.Builder
	if err := html.Proposals(*out.Result, nothing).Render(ctx, &b); err != nil {
		return nil, err
	}
	out.HTML = b.String()
	return out, nil
}

// fromText proposes policies for an object that somebody has typed. Its problems
// have places in the text.
func fromText(ctx context.Context, s scenario.Scenario, after string) (*proposal.Result, []diag.Diagnostic, error) {
	docs, problems := scenario.ParseDocuments(diag.Request, after)
	if diag.HasErrors(problems) {
		return nil, problems, nil
	}
	if len(docs) != 1 {
		return nil, nil, fmt.Errorf("the object after the change is one document, not %d", len(docs))
	}
	result, err := proposal.FromResult(ctx, s, docs[0].Value)
	return result, nil, err
}
