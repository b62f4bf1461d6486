package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/proposal"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// ProposeParams is a change to the request's object. One of the other fields is set.
type ProposeParams struct {
	Scenario scenario.Scenario `json:"scenario"`
	// After is the changed object as text.
	After *string `json:"after,omitempty"`
	// Patch is a webhook's patch or response, as text.
	Patch *string `json:"patch,omitempty"`
	// Webhook is one of the scenario's webhooks.
	Webhook *WebhookName `json:"webhook,omitempty"`
	// Skip is a webhook in the scenario that should be called less often.
	Skip *WebhookName `json:"skip,omitempty"`
}

// WebhookName identifies a webhook in its configuration.
type WebhookName struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
}

// Proposed is the reply to propose: the proposals and their HTML.
type Proposed struct {
	HTML string `json:"html"`
	// Policies are the proposed policies with their bindings as YAML, by their button names in the
	// HTML.
	Policies map[string]string `json:"policies"`
	// Place is where the policy can replace the webhook in the policies text.
	Place *diag.Span `json:"place,omitempty"`
	// Answer is the place of the webhook's response in the cluster text, which is unused after the
	// policy replaces the webhook.
	Answer *diag.Span `json:"answer,omitempty"`
	// Problems say where the changed object cannot be read. Then nothing is proposed.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
}

// proposePolicies finds and renders policies that make a change.
func proposePolicies(ctx context.Context, p ProposeParams) (Proposed, error) {
	out := Proposed{Policies: map[string]string{}}
	if p.Skip != nil {
		return proposeSkipping(ctx, p)
	}
	nothing := "It does not change this object."
	if p.After != nil {
		nothing = "Change the object: the policies that make the change appear here while you type."
	}
	found, err := within(ctx, severalTime, func(limited context.Context) (found *proposal.Result, err error) {
		switch {
		case p.Webhook != nil:
			return proposal.FromWebhook(limited, p.Scenario, p.Webhook.Configuration, p.Webhook.Name)
		case p.Patch != nil:
			operations, err := proposal.ReadPatch(*p.Patch)
			if err != nil {
				return nil, err
			}
			return proposal.FromPatch(limited, p.Scenario, operations)
		case p.After != nil:
			found, out.Problems, err = fromText(limited, p.Scenario, *p.After)
			return found, err
		default:
			return nil, errors.New("there is no change to propose a policy for")
		}
	})
	if err != nil || len(out.Problems) > 0 {
		return out, err
	}
	out.Policies, out.Place = html.ProposedPolicies(*found), found.Place
	if out.Place != nil && p.Webhook != nil {
		out.Answer = answerOf(p.Scenario, p.Webhook.Name)
	}
	var b strings.Builder
	err = html.Proposals(*found, nothing).Render(ctx, &b)
	out.HTML = b.String()
	return out, err
}

// answerOf returns the place of the document with a webhook's response, including its separator. It
// is nil if there is none, or if two webhooks have the name.
func answerOf(s scenario.Scenario, name string) *diag.Span {
	if strings.Count(s.Policies, name) != 1 {
		return nil
	}
	docs, _ := scenario.ParseDocuments(diag.Cluster, s.Cluster)
	for _, d := range docs {
		if d.Kind != "WebhookResponse" || d.Name != name {
			continue
		}
		const separator = "---\n"
		span := diag.Span{Start: d.Span.Start, End: d.Span.End}
		for span.End < len(s.Cluster) && s.Cluster[span.End] == '\n' {
			span.End++
		}
		switch {
		case strings.HasSuffix(s.Cluster[:span.Start], separator):
			span.Start -= len(separator)
		case strings.HasPrefix(s.Cluster[span.End:], separator):
			span.End += len(separator)
		}
		return &span
	}
	return nil
}

// proposeSkipping finds match conditions that avoid calls to a webhook. All of them have the same
// place.
func proposeSkipping(ctx context.Context, p ProposeParams) (Proposed, error) {
	out := Proposed{Policies: map[string]string{}}
	found, err := within(ctx, severalTime, func(limited context.Context) (*proposal.Skipping, error) {
		return proposal.ToSkip(limited, p.Scenario, p.Skip.Configuration, p.Skip.Name)
	})
	if err != nil {
		return out, err
	}
	for _, c := range found.Conditions {
		if c.Edit != nil {
			out.Place = &c.Edit.Span
		}
	}
	out.Policies = html.SkipConditions(*found)
	var b strings.Builder
	err = html.Skipping(*found).Render(ctx, &b)
	out.HTML = b.String()
	return out, err
}

// fromText proposes policies for an object that a user typed. Its problems have places in the text.
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
