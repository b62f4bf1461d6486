package differential

import "fmt"

// What continuous integration compares: the tests run so many scenarios when no
// flag says otherwise, and docs/fidelity.md quotes them.
const (
	PoliciesInCI = 600
	WebhooksInCI = 500
	CustomInCI   = 1000
	ServedInCI   = 120
)

// InCI is the sentence of docs/fidelity.md about them.
func InCI() string {
	return fmt.Sprintf("Continuous integration runs %d scenarios with policies, %d with webhooks and %d with custom resources against 1.%d, and %d policies both in the server and as its webhook;",
		PoliciesInCI, WebhooksInCI, CustomInCI, Recorded, ServedInCI)
}
