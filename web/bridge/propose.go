package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/propose"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/panel"
)

// proposal is a change to the object of the scenario's request: After is the
// changed object as text, Patch a webhook's patch or its answer. One is given.
type proposal struct {
	Scenario scenario.Scenario `json:"scenario"`
	After    string            `json:"after"`
	Patch    string            `json:"patch"`
}

// Proposed is the reply to propose: what is proposed, and how it is shown.
type Proposed struct {
	*propose.Result
	HTML string `json:"html"`
}

// proposePolicies finds the policies that make a change, and renders them.
func proposePolicies(ctx context.Context, params json.RawMessage) (any, error) {
	result, err := proposals(ctx, params)
	if err != nil {
		return nil, err
	}
	var html strings.Builder
	if err := panel.Proposals(*result).Render(ctx, &html); err != nil {
		return nil, err
	}
	return Proposed{result, html.String()}, nil
}

// proposals finds the policies that make a change.
func proposals(ctx context.Context, params json.RawMessage) (*propose.Result, error) {
	var p proposal
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("the change: %w", err)
	}
	if p.Patch != "" {
		operations, err := propose.ReadPatch(p.Patch)
		if err != nil {
			return nil, err
		}
		return propose.FromPatch(ctx, p.Scenario, operations)
	}
	docs, problems := scenario.ParseDocuments(diag.Request, p.After)
	for _, problem := range problems {
		if problem.Severity == diag.Error {
			return nil, errors.New(problem.Summary)
		}
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("the object after the change is one document, not %d", len(docs))
	}
	return propose.FromObjects(ctx, p.Scenario, docs[0].Value)
}
