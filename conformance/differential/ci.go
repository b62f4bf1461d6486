package differential

import (
	"fmt"
	"os"
)

// The number of scenarios that the tests compare by default, as for a change. docs/fidelity.md
// quotes them.
const (
	policiesInCI = 150
	webhooksInCI = 125
	customInCI   = 250
	servedInCI   = 40
)

// release is how many times as many scenarios the tests compare before a release.
const release = 4

// The number of scenarios that this run compares by default.
var (
	Policies = inThisRun(policiesInCI)
	Webhooks = inThisRun(webhooksInCI)
	Custom   = inThisRun(customInCI)
	Served   = inThisRun(servedInCI)
)

func inThisRun(inCI int) int {
	if os.Getenv("PREADMIT_FULL") == "1" {
		return release * inCI
	}
	return inCI
}

// InCI returns the sentence about them in docs/fidelity.md.
func InCI() string {
	return fmt.Sprintf("CI compares %d scenarios with policies, %d with webhooks and %d with custom resources against 1.%d. It also runs %d policies both in the server and as its webhook. `scripts/full` compares %d times as many.",
		policiesInCI, webhooksInCI, customInCI, Recorded, servedInCI, release)
}
