package expressions

import (
	"maps"
	"slices"
)

// containsField asks with has() for a field that contains() is called for: contains(object.metadata.labels).
func containsField(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || d.List[i].Text != "contains" && d.List[i].Text != "exists" && d.List[i].Text != "defined" {
			continue
		}
		args := d.arguments(open)
		if len(args) == 1 && d.IsWord(args[0][1]) && d.Is(args[0][1]-1, ".") && d.chainStart(args[0][1]) == args[0][0] {
			return d.with(edit{d.start(i), d.end(i), "has"})
		}
	}
	return d.text
}

// libraryMethods are the methods without arguments that values of the CEL libraries have, by the
// type as the compiler names it. None of these types has fields.
var libraryMethods = map[string][]string{
	"net.IP":              {"family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"},
	"net.CIDR":            {"ip", "masked", "prefixLength"},
	"kubernetes.Quantity": {"sign", "isInteger", "asInteger", "asApproximateFloat"},
	"kubernetes.Semver":   {"major", "minor", "patch"},
	"duration":            {"getHours", "getMinutes", "getSeconds", "getMilliseconds"},
	"timestamp":           {"getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds"},
}

// calledWithoutBrackets calls a method that is written as a field: ip(x).family.
func calledWithoutBrackets(d *draft) string {
	for _, of := range slices.Sorted(maps.Keys(libraryMethods)) {
		point := d.selection(of + "'")
		if point >= 0 && !d.Is(point+2, "(") && slices.Contains(libraryMethods[of], d.List[point+1].Text) {
			return d.with(edit{d.end(point + 1), d.end(point + 1), "()"})
		}
	}
	return d.text
}
