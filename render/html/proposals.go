package html

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/edit/proposal"
)

// namedProposal is a proposal with the name on its buttons.
type namedProposal struct {
	Key, Title  string
	Recommended bool
	proposal.Proposal
}

// orderedProposals puts the recommended one first, and a webhook's single operations last: they fit
// fewer objects.
func orderedProposals(r proposal.Result) []namedProposal {
	list := []namedProposal{
		{Key: "applyConfiguration", Title: "ApplyConfiguration", Proposal: r.ApplyConfiguration},
		{Key: "jsonPatch", Title: "JSONPatch", Proposal: r.JSONPatch},
	}
	if r.Literal != nil && r.Literal.Expression != r.JSONPatch.Expression {
		list = append(list, namedProposal{Key: "literal", Title: "JSONPatch, the webhook's operations one by one", Proposal: *r.Literal})
	}
	for i, p := range list {
		if p.Verified && p.PatchType == r.Recommended {
			list[i].Recommended = true
			return slices.Concat(list[i:i+1], list[:i], list[i+1:])
		}
	}
	return list
}

// ProposedPolicies returns the policies with their bindings as YAML, by the names on the buttons in
// Proposals.
func ProposedPolicies(r proposal.Result) map[string]string {
	out := map[string]string{}
	for _, p := range orderedProposals(r) {
		if p.Policy != "" {
			out[p.Key] = p.Policy
		}
	}
	if r.FinalState != nil {
		out[finalStateKey] = r.FinalState.Policy
	}
	return out
}

// finalStateKey is the name of the final state's policy.
const finalStateKey = "finalState"

// finalStateWord describes the result of trying it.
func finalStateWord(f proposal.FinalState) string {
	if f.Verified {
		return "tried: denies the object without the change, admits it with the change"
	}
	return "does not work"
}

// proposalWord describes the result of trying a proposal.
func proposalWord(p namedProposal) string {
	var words []string
	switch {
	case p.Verified:
		words = append(words, "tried: makes exactly this change")
	case p.Expression == "":
		words = append(words, "cannot express it")
	default:
		words = append(words, "makes only part of the change")
	}
	if p.Recommended {
		words = append(words, "recommended")
	}
	return strings.Join(words, " · ")
}
