package bridge

import (
	"strings"
	"testing"
)

func TestWhatIf(t *testing.T) {
	now := example(t, "first-look")
	smaller := now
	smaller.Request = strings.Replace(now.Request, "replicas: 8", "replicas: 5", 1)
	older := now
	older.Kubernetes = "1.30"
	tests := []struct {
		name     string
		params   WhatIfParams
		says     string
		contains []string
		lacks    []string
	}{
		{
			name:   "the same",
			params: WhatIfParams{Left: now, Name: "As opened", Right: now},
			says:   "No difference: both are denied.",
			lacks:  []string{"Results that differ", "diff-change"},
		},
		{
			name:   "another request",
			params: WhatIfParams{Left: smaller, Name: "As opened", Right: now},
			says:   "As opened: Admitted, mutated. Now: Denied.",
			contains: []string{
				"Results that differ", "policy replica-limit", "validation 1", "at most 5 replicas in namespace shop, not 8",
				"Difference: Request", "The request&#39;s path: As opened",
			},
			lacks: []string{"Difference: Policies", "policy add-owner"},
		},
		{
			name:     "without the policy that denies",
			params:   WhatIfParams{Left: now, Name: "Without replica-limit", Without: "replica-limit", Right: now},
			says:     "Without replica-limit: Admitted, mutated. Now: Denied.",
			contains: []string{"not there"},
			lacks:    []string{"Difference: Policies"},
		},
		{
			name:   "two runs of the history",
			params: WhatIfParams{Left: smaller, Name: "Before", Right: now, RightName: "Then"},
			says:   "Before: Admitted, mutated. Then: Denied.",
			lacks:  []string{"Now"},
		},
		{
			name:     "another version",
			params:   WhatIfParams{Left: older, Name: "Kubernetes 1.30", Right: now},
			says:     "Kubernetes 1.30: Policy rejected. Now: Denied.",
			contains: []string{"Kubernetes 1.30 on the left, " + now.Kubernetes},
			lacks:    []string{"Difference: Request"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got WhatIfReply
			if msg := callWith(t, "whatIf", tt.params, &got); msg != "" {
				t.Fatal(msg)
			}
			if want := `role="status">` + tt.says + "<"; !strings.Contains(got.HTML, want) {
				t.Errorf("no %q in\n%s", want, got.HTML)
			}
			for _, want := range tt.contains {
				if !strings.Contains(got.HTML, want) {
					t.Errorf("no %q in\n%s", want, got.HTML)
				}
			}
			for _, not := range tt.lacks {
				if strings.Contains(got.HTML, not) {
					t.Errorf("there is %q in\n%s", not, got.HTML)
				}
			}
			if want := "replica-limit change-window add-owner"; strings.Join(got.Policies, " ") != want {
				t.Errorf("policies %v, want %s", got.Policies, want)
			}
		})
	}
}

func TestWithoutLeavesListsAlone(t *testing.T) {
	const list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n"
	if got := without(list, "a"); got != list {
		t.Errorf("got %q", got)
	}
	if got := removable(list); len(got) > 0 {
		t.Errorf("removable %v", got)
	}
}
