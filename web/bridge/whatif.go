package bridge

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// WhatIfParams are those of whatIf.
type WhatIfParams struct {
	// Left is what the scenario is compared with; Name says what that is.
	Left scenario.Scenario `json:"left"`
	Name string            `json:"name"`
	// Without is a policy, or a configuration of webhooks, that the left side leaves
	// out, with its bindings; empty for none.
	Without string `json:"without,omitempty"`
	// Right is the scenario as it is now, or what RightName says.
	Right     scenario.Scenario `json:"right"`
	RightName string            `json:"rightName,omitempty"`
}

// WhatIfReply is the reply to whatIf.
type WhatIfReply struct {
	HTML string `json:"html"`
	// Policies are the names that Without can have, of the right side.
	Policies []string `json:"policies"`
}

// whatIf evaluates two scenarios and renders what differs. Both happen at one moment, if
// they do not say when: that a second passed between the two runs is no difference.
func whatIf(ctx context.Context, p WhatIfParams) (WhatIfReply, error) {
	moment := time.Now().UTC().Format(time.RFC3339)
	run := func(name string, s, shown scenario.Scenario) (html.Side, error) {
		s.Now = cmp.Or(s.Now, moment)
		// The parts of expressions and the checks of safety are in the other tabs.
		r, err := evaluateOnce(ctx, s, engine.Options{})
		return html.Side{Name: name, View: html.NewView(r, Texts(shown))}, err
	}
	changed := p.Left
	if p.Without != "" {
		changed.Policies = without(p.Left.Policies, p.Without)
	}
	left, err := run(p.Name, changed, p.Left)
	if err != nil {
		return WhatIfReply{}, err
	}
	right, err := run(cmp.Or(p.RightName, "Now"), p.Right, p.Right)
	if err != nil {
		return WhatIfReply{}, err
	}
	var b strings.Builder
	err = html.WhatIf(left, right).Render(ctx, &b)
	return WhatIfReply{HTML: b.String(), Policies: removable(p.Right.Policies)}, err
}

// removable are the policies and configurations of webhooks that without can cut out
// of a text. Items of a List are no documents of their own.
func removable(policies string) []string {
	names := []string{}
	docs, _ := scenario.ParseDocuments(diag.Policies, policies) // the evaluation reports what is wrong
	for _, d := range docs {
		if !d.FromList && d.Name != "" && !strings.HasSuffix(d.Kind, "Binding") && !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names
}

// without cuts the documents of a policy and of its bindings out of a text.
func without(policies, name string) string {
	docs, _ := scenario.ParseDocuments(diag.Policies, policies)
	var b strings.Builder
	end := 0
	for _, d := range docs {
		of := d.Name
		if strings.HasSuffix(d.Kind, "Binding") {
			spec, _ := d.Value["spec"].(map[string]any)
			of, _ = spec["policyName"].(string)
		}
		if of != name || d.FromList {
			continue
		}
		b.WriteString(policies[end:d.Span.Start])
		end = d.Span.End
	}
	b.WriteString(policies[end:])
	return b.String()
}
