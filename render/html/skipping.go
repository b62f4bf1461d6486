package html

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/edit/proposal"
)

// SkipConditions returns the texts for the buttons in Skipping: the insertion into the
// configuration, and the condition as YAML for the clipboard.
func SkipConditions(s proposal.Skipping) map[string]string {
	out := map[string]string{}
	for i, c := range s.Conditions {
		out[skipKey("copy", i)] = c.YAML
		if c.Edit != nil {
			out[skipKey("add", i)] = c.Edit.New
		}
	}
	return out
}

func skipKey(action string, i int) string { return fmt.Sprintf("skip-%s-%d", action, i) }
