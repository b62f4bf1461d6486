package differential

import "fmt"

// The number of scenarios that the tests compare by default, as in CI. docs/fidelity.md quotes
// them.
const (
	PoliciesInCI = 600
	WebhooksInCI = 500
	CustomInCI   = 1000
	ServedInCI   = 120
)

// InCI returns the sentence about them in docs/fidelity.md.
func InCI() string {
	return fmt.Sprintf("CI compares %d scenarios with policies, %d with webhooks and %d with custom resources against 1.%d. It also runs %d policies both in the server and as its webhook.",
		PoliciesInCI, WebhooksInCI, CustomInCI, Recorded, ServedInCI)
}
