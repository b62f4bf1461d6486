package html

import (
	"fmt"
	"reflect"

	"github.com/preadmit/preadmit/engine/report"
)

// after returns the final object: as stored, or as the mutating phase left it if the request is
// denied later.
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

// inputSummary describes the server's changes before the first policy: defaults, and the types'
// normal form.
func inputSummary(sent, input map[string]any) string {
	if tooLarge(sent, input) {
		return "not compared"
	}
	added, removed := 0, 0
	from, to := withoutSame(sent, input)
	for _, l := range diffLines(YAML(from), YAML(to)) {
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
		return fmt.Sprintf("%d lines added by the server's defaults and normalization", added)
	}
	return fmt.Sprintf("%d lines added and %d removed by the server's defaults and normalization", added, removed)
}

// same replaces the keys that two objects share. No object has such a key.
const same = "\x00"

// withoutSame replaces all equal keys of two objects by one key, so that comparing them takes time
// proportional to the difference. Equal lines are not a change, wherever they are.
func withoutSame(a, b map[string]any) (fromA, fromB map[string]any) {
	if a == nil || b == nil {
		return a, b
	}
	fromA, fromB = map[string]any{}, map[string]any{}
	alike := false
	for key, x := range a {
		y, found := b[key]
		if found && reflect.DeepEqual(x, y) {
			alike = true
			continue
		}
		inA, isMap := x.(map[string]any)
		inB, isToo := y.(map[string]any)
		if isMap && isToo {
			fromA[key], fromB[key] = withoutSame(inA, inB)
			continue
		}
		fromA[key] = x
		if found {
			fromB[key] = y
		}
	}
	for key, y := range b {
		if _, found := a[key]; !found {
			fromB[key] = y
		}
	}
	if alike {
		fromA[same], fromB[same] = true, true
	}
	return fromA, fromB
}
