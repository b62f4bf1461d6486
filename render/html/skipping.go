package html

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/edit/proposal"
)

// SkipConditions are the texts of the buttons in Skipping: what is put into the
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
