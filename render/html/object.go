package html

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/report"
)

// after is the object that admission ends with: as it is stored, or as the
// mutating phase left it when the request is denied later.
func (v View) after() map[string]any {
	if v.Report.Object != nil {
		return v.Report.Object
	}
	return v.Report.Mutated
}

func afterTitle(r *report.Report) string {
	if !r.Outcome.Allowed {
		return "At the time of denial"
	}
	return "After admission"
}

// inputSummary says what the server did to the object before the first policy:
// defaults, and the normal form of its types.
func inputSummary(sent, input map[string]any) string {
	if tooLarge(sent, input) {
		return "not compared"
	}
	added, removed := 0, 0
	for _, l := range diffLines(YAML(sent), YAML(input)) {
		switch l.Op {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	switch {
	case sent == nil || added+removed == 0:
		return "as sent"
	case removed == 0:
		return fmt.Sprintf("%d lines more: the server's defaults and normal form", added)
	}
	return fmt.Sprintf("%d lines more, %d less: the server's defaults and normal form", added, removed)
}
