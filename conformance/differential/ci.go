package differential

import "fmt"

// What continuous integration compares: the tests run so many scenarios when no
// flag says otherwise, and docs/fidelity.md quotes them.
const (
	PoliciesInCI = 1600
	WebhooksInCI = 1000
<<<<<<< HEAD
	CustomInCI   = 1000
=======
	ServedInCI   = 120
>>>>>>> 8154317 (preadmit serve under the server's own dispatcher: generated policies in the server and as its webhook; details and causes reach the client)
)

// InCI is the sentence of docs/fidelity.md about them.
func InCI() string {
<<<<<<< HEAD
	return fmt.Sprintf("Continuous integration runs %d scenarios with policies, %d with webhooks and %d with custom resources against 1.%d;", PoliciesInCI, WebhooksInCI, CustomInCI, Recorded)
=======
	return fmt.Sprintf("Continuous integration runs %d scenarios with policies and %d with webhooks against 1.%d, and %d policies both in the server and as its webhook;", PoliciesInCI, WebhooksInCI, Recorded, ServedInCI)
>>>>>>> 8154317 (preadmit serve under the server's own dispatcher: generated policies in the server and as its webhook; details and causes reach the client)
}
