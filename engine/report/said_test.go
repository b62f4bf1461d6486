package report

import "testing"

// TestHadSay: a webhook with an assumed response did not count. One that responded, or failed and
// denied, did.
func TestHadSay(t *testing.T) {
	for name, c := range map[string]struct {
		step Step
		want bool
	}{
		"a policy that ran":          {Step{Kind: "ValidatingAdmissionPolicy", Policy: "p", Status: Evaluated}, true},
		"a policy that was excluded": {Step{Kind: "ValidatingAdmissionPolicy", Policy: "p", Status: Excluded}, false},
		"a webhook that answers":     {Step{Webhook: "w", Status: Evaluated, Called: true, Simulated: true}, true},
		"a webhook without answer":   {Step{Webhook: "w", Status: Evaluated, Called: true}, false},
		"a webhook that denies":      {Step{Webhook: "w", Status: NotCalled, Verdict: Deny}, true},
		"a plugin":                   {Step{Kind: "AdmissionPlugin", Policy: "Priority", Status: Evaluated}, false},
	} {
		if got := c.step.HadSay(); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
