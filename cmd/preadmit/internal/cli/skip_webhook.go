package cli

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/edit/proposal"
	"github.com/preadmit/preadmit/engine/scenario"
)

// skipping says when a webhook need not be called. The exit code is 1 if no such condition works.
func (a *app) skipping(s scenario.Scenario, webhook, format string) (int, error) {
	found, err := proposal.ToSkip(a.ctx, s, "", webhook)
	if err != nil {
		return 0, badInput("%v", err)
	}
	code := exitDenied
	var works strings.Builder
	for _, c := range found.Conditions {
		if c.Verified {
			code = exitOK
			works.WriteString(c.YAML)
		}
	}
	switch format {
	case "json":
		return code, writeJSON(a.stdout, found)
	case "yaml":
		return code, a.say(works.String())
	case "final-state":
		return 0, badInput("-o final-state is not for --skip")
	}
	return code, a.say(skippingText(*found))
}

func skippingText(found proposal.Skipping) string {
	var b strings.Builder
	if len(found.Conditions) == 0 {
		fmt.Fprintf(&b, "This request does not show when the webhook %s can be skipped.\n", found.Webhook)
		return b.String()
	}
	for _, c := range found.Conditions {
		word := "works"
		if !c.Verified {
			word = "does not work"
		}
		fmt.Fprintf(&b, "This webhook can be skipped when %s: %s\n", c.When, word)
		for _, r := range c.Reasons {
			fmt.Fprintf(&b, "  %s\n", r)
		}
		fmt.Fprintf(&b, "\n    %s\n\n", strings.ReplaceAll(strings.TrimSuffix(c.YAML, "\n"), "\n", "\n    "))
	}
	for _, n := range found.Notes {
		fmt.Fprintf(&b, "%s\n", n)
	}
	b.WriteString("Tried out on this request. -o yaml prints the conditions that work, as items of matchConditions.\n")
	return b.String()
}
