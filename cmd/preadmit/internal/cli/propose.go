package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/proposal"
	"github.com/preadmit/preadmit/engine/scenario"
)

// change is the input for propose: files, or the name of one of the scenario's webhooks. One field
// is set.
type change struct{ after, patch, webhook, skip string }

type proposeFlags struct {
	parts    *parts
	settings *settings
	change   change
	format   string
}

func (a *app) proposeCommand() *cobra.Command {
	p := &proposeFlags{}
	c, f := a.newCommand("propose [PATH...]", "Write a policy from a changed object or a webhook's patch", func(args []string) (int, error) { return a.propose(args, p) })
	p.parts = f.parts()
	f.text(&p.change.after, "after", "a", "`FILE`: the object after the change")
	f.text(&p.change.patch, "patch", "", "`FILE`: a webhook's patch: a list of JSON Patch operations, an AdmissionReview with the response, or a WebhookResponse")
	f.text(&p.change.webhook, "webhook", "", "`NAME`: a mutating webhook of the scenario; the policy gets its rules, selectors, conditions and failure policy")
	f.text(&p.change.skip, "skip", "", "`NAME`: a webhook of the scenario; proposes match conditions for when it can be skipped")
	f.output(&p.format, "`FORMAT`: text, the expressions; yaml, the recommended policy and its binding; final-state, the final-state policy and its binding; json, everything", "text", "json", "yaml", "final-state")
	p.settings = f.settings(false)
	return c
}

// propose writes policies that turn one object into another, or that replace a webhook's patch.
func (a *app) propose(args []string, p *proposeFlags) (int, error) {
	c := p.change
	if given := slices.DeleteFunc([]string{c.after, c.patch, c.webhook, c.skip}, func(s string) bool { return s == "" }); len(given) != 1 {
		return 0, badInput("propose needs -a with the object after the change, --patch with a webhook's patch, or --webhook or --skip with the name of a webhook in the scenario")
	}
	in, err := a.input(args, p.parts)
	if err != nil {
		return 0, err
	}
	p.settings.apply(&in.Scenario)
	if c.skip != "" {
		return a.skipping(in.Scenario, c.skip, p.format)
	}
	result, err := a.proposal(in.Scenario, c)
	if err != nil {
		return 0, err
	}
	code := exitOK
	if result.Recommended == "" {
		code = exitDenied
	}
	switch p.format {
	case "json":
		return code, writeJSON(a.stdout, result)
	case "yaml":
		return code, a.printPolicy(result)
	case "final-state":
		if result.FinalState == nil || !result.FinalState.Verified {
			fmt.Fprintln(a.stderr, "there is no final-state policy to propose")
			return exitDenied, nil
		}
		return code, a.say(result.FinalState.Policy)
	}
	return code, a.printProposals(result)
}

func (a *app) proposal(s scenario.Scenario, c change) (*proposal.Result, error) {
	if c.webhook != "" {
		result, err := proposal.FromWebhook(a.ctx, s, "", c.webhook)
		if err != nil {
			return nil, badInput("%v", err)
		}
		return result, nil
	}
	file := c.after + c.patch // one of them is empty
	data, err := a.read(file)
	if err != nil {
		return nil, err
	}
	if c.patch != "" {
		operations, err := proposal.ReadPatch(string(data))
		if err != nil {
			return nil, badInput("%s: %v", displayName(file), err)
		}
		result, err := proposal.FromPatch(a.ctx, s, operations)
		if err != nil {
			return nil, badInput("%s: %v", displayName(file), err)
		}
		return result, nil
	}
	docs, problems := scenario.ParseDocuments(diag.Request, string(data))
	for _, p := range problems {
		if p.Severity == diag.Error {
			return nil, badInput("%s: %s", displayName(file), p.Summary)
		}
	}
	if len(docs) != 1 {
		return nil, badInput("%s: there must be one object, not %d", displayName(file), len(docs))
	}
	result, err := proposal.FromObjects(a.ctx, s, docs[0].Value)
	if err != nil {
		return nil, badInput("%s: %v", displayName(file), err)
	}
	return result, nil
}

// printPolicy writes only the recommended policy.
func (a *app) printPolicy(r *proposal.Result) error {
	for _, p := range proposals(r) {
		if p.Verified && p.PatchType == r.Recommended {
			_, err := io.WriteString(a.stdout, p.Policy)
			return err
		}
	}
	fmt.Fprintln(a.stderr, "there is no policy to propose")
	return nil
}

func proposals(r *proposal.Result) []proposal.Proposal {
	list := []proposal.Proposal{r.ApplyConfiguration, r.JSONPatch}
	if r.Literal != nil {
		list = append(list, *r.Literal)
	}
	return list
}

func (a *app) printProposals(r *proposal.Result) error {
	var b strings.Builder
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	if len(r.Changes) == 0 {
		return a.say(b.String())
	}
	for i, p := range proposals(r) {
		title := p.PatchType
		if i == 2 {
			title += ", the webhook's operations one by one"
		}
		switch {
		case p.Verified && p.PatchType == r.Recommended && i < 2:
			title += ": works (recommended)"
		case p.Verified:
			title += ": works"
		default:
			title += ": does not work"
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", title)
		for _, line := range append(p.Reasons, p.Notes...) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		for _, op := range p.Remaining {
			fmt.Fprintf(&b, "  left: %s %s\n", op.Op, op.Path)
		}
		if p.Expression != "" {
			fmt.Fprintf(&b, "\n    %s\n", strings.ReplaceAll(p.Expression, "\n", "\n    "))
		}
	}
	if r.FinalState != nil {
		finalState(&b, *r.FinalState)
	}
	if r.Recommended != "" {
		b.WriteString("\nTried out on Kubernetes " + r.Kubernetes + ". -o yaml prints the recommended policy with its binding, -o final-state the final-state policy.\n")
	}
	return a.say(b.String())
}

// finalState describes the policy that rejects objects without the change.
func finalState(b *strings.Builder, f proposal.FinalState) {
	word := "does not work"
	if f.Verified {
		word = "works"
	}
	fmt.Fprintf(b, "\nFinal-state ValidatingAdmissionPolicy, which denies objects without the change: %s\n", word)
	for _, line := range append(f.Reasons, f.Notes...) {
		fmt.Fprintf(b, "  %s\n", line)
	}
	_, validations, _ := strings.Cut(f.Policy, "  validations:\n")
	validations, _, _ = strings.Cut(validations, "---\n")
	fmt.Fprintf(b, "\n%s", validations)
}
