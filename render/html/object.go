package html

import (
	"fmt"
	"reflect"

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

// same stands for the keys that two objects have alike: no object has such a key.
const same = "\x00"

// withoutSame gives two objects with one key in place of all those that they have alike, so that
// comparing them takes as long as what differs: lines that both have are no change, wherever
// they are.
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
