// Package suggest finds the most similar name.
package suggest

import "strings"

// longest bounds the work for names that were not typed by hand.
const longest = 100

// Of returns the candidate that looks most like got, if one is near: no more
// than a third of the letters differ. Upper and lower case hardly count, and
// neither does a swap of neighbours. Of one letter nothing is left when it differs. A
// candidate equal to got is none, and one
// that only lacks a word is another name: who writes initContainers does not mean
// containers. Of a name with a domain or a group before its last slash, both parts are
// compared by themselves, as a domain that two keys share says nothing of the keys.
func Of(candidates []string, got string) (best string, ok bool) {
	if len(got) > longest {
		return "", false
	}
	least := len(got)
	for _, candidate := range candidates {
		if candidate == got || lacksWord(candidate, got) || lacksWord(got, candidate) {
			continue
		}
		if n, near := apart(candidate, got); near && n < least {
			best, ok, least = candidate, true, n
		}
	}
	return best, ok
}

// apart is the number of letters in which two names differ, and whether these are few in
// what precedes the last slash as well as in what follows it.
func apart(candidate, got string) (n int, near bool) {
	domain, name := split(candidate)
	gotDomain, gotName := split(got)
	if (domain == "") != (gotDomain == "") {
		domain, name, gotDomain, gotName = "", candidate, "", got
	}
	n, near = within(domain, gotDomain)
	if !near {
		return 0, false
	}
	more, near := within(name, gotName)
	return n + more, near
}

// split cuts a name at its last slash.
func split(name string) (domain, rest string) {
	i := strings.LastIndexByte(name, '/') + 1
	return name[:i], name[i:]
}

// within is the number of letters in which two parts of names differ, and whether these are no
// more than a third.
func within(candidate, got string) (n int, near bool) {
	limit := max(len(got)/3, min(len(got)-1, 1), 0)
	if max(len(candidate)-len(got), len(got)-len(candidate)) > limit {
		return 0, false
	}
	n = distance(strings.ToLower(candidate), strings.ToLower(got))
	return n, n <= limit
}

// shortestWord is the number of letters from which what is missing at one end
// of a name is a word and not a slip.
const shortestWord = 3

// lacksWord reports whether a name is another one without its first or last word.
func lacksWord(name, other string) bool {
	name, other = strings.ToLower(name), strings.ToLower(other)
	return len(other)-len(name) >= shortestWord && (strings.HasPrefix(other, name) || strings.HasSuffix(other, name))
}

// Word returns the one candidate that is the beginning of got, or begins with it: max for
// maximum, containerName for container. It is for names that one writer made up, where a
// shorter name is no other thing.
func Word(candidates []string, got string) (best string, ok bool) {
	for _, candidate := range candidates {
		short, long := strings.ToLower(candidate), strings.ToLower(got)
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(short) < shortestWord || candidate == got || !strings.HasPrefix(long, short) {
			continue
		}
		if ok {
			return "", false
		}
		best, ok = candidate, true
	}
	return best, ok
}

// Letters is how many letters two names differ by, of any case: added, left out, changed, or
// swapped with the next one.
func Letters(a, b string) int { return distance(strings.ToLower(a), strings.ToLower(b)) }

// distance is the optimal string alignment distance in bytes. Only the last
// three rows of its table are kept.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
