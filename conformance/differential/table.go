package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table says in Markdown what was compared and how much of it was equal.
func (r *Result) Table() string {
	var b strings.Builder
	excepted := 0
	for _, n := range r.Excepted {
		excepted += n
	}
	fmt.Fprintf(&b, "%d scenarios: %d equal, %d different, %d different for a known reason.\n\n",
		r.Scenarios, r.Scenarios-len(r.Failures)-excepted, len(r.Failures), excepted)
	b.WriteString("| compared | times |\n|---|---:|\n")
	for _, k := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(&b, "| %s | %d |\n", k, r.Counts[k])
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Excepted)) {
		fmt.Fprintf(&b, "| exception: %s | %d |\n", reason, r.Excepted[reason])
	}
	return b.String()
}
