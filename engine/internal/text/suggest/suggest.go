// Package suggest finds the most similar name.
package suggest

import (
	"strings"
	"unicode"
)

// longest limits the work for names that nobody typed.
const longest = 100

// Of returns the candidate most similar to got, if at most a third of the letters differ. Case
// hardly counts, and neither does a swap of neighbours. A one-letter name has no candidate, and
// neither has a name equal to one. A candidate that only lacks a word is a different name:
// initContainers does not mean containers. In a name with a domain or group, the parts before and
// after the last slash are compared separately, because two keys that share a domain may be
// unrelated.
func Of(candidates []string, got string) (best string, ok bool) {
	if len(got) > longest {
		return "", false
	}
	least := len(got)
	for _, candidate := range candidates {
		if candidate == got || lacksWord(candidate, got) || lacksWord(got, candidate) || opposite(candidate, got) || opposite(got, candidate) {
			continue
		}
		if n, near := apart(candidate, got); near && n < least {
			best, ok, least = candidate, true, n
		}
	}
	return best, ok
}

// apart returns the number of letters in which two names differ, and whether few differ in both
// parts: before and after the last slash.
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

// within returns the number of letters in which two parts differ, and whether that is at most a
// third.
func within(candidate, got string) (n int, near bool) {
	limit := max(len(got)/3, min(len(got)-1, 1), 0)
	if max(len(candidate)-len(got), len(got)-len(candidate)) > limit {
		return 0, false
	}
	n = distance(strings.ToLower(candidate), strings.ToLower(got))
	return n, n <= limit && !otherWord(candidate, got)
}

// otherWord reports whether the last words of two names are different ones, behind the same words: runAsGroup, runAsRoot.
func otherWord(a, b string) bool {
	word, other := strings.LastIndexFunc(a, unicode.IsUpper), strings.LastIndexFunc(b, unicode.IsUpper)
	if word <= 0 || other != word || a[:word] != b[:word] {
		return false
	}
	return 2*distance(strings.ToLower(a[word:]), strings.ToLower(b[word:])) > len(b)-word
}

// shortestWord is the number of letters from which a missing end of a name is a word and not a
// typo.
const shortestWord = 3

// lacksWord reports whether a name is another one without its first or last word.
func lacksWord(name, other string) bool {
	name, other = strings.ToLower(name), strings.ToLower(other)
	return len(other)-len(name) >= shortestWord && (strings.HasPrefix(other, name) || strings.HasSuffix(other, name))
}

// opposite reports whether a name is of a lower limit and another one of an upper limit, or says that it is not the other.
func opposite(name, other string) bool {
	if strings.Contains(name, "Non") && strings.Replace(name, "Non", "", 1) == other {
		return true
	}
	return strings.HasPrefix(strings.ToLower(name), "min") && strings.HasPrefix(strings.ToLower(other), "max")
}

// Word returns the only candidate that is a prefix of got, or has it as prefix: max for maximum,
// containerName for container. It is for names from one author, where a shorter name means the same
// thing.
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

// Letters returns by how many letters two names differ, ignoring case: added, omitted, changed, or
// swapped with the next.
func Letters(a, b string) int { return distance(strings.ToLower(a), strings.ToLower(b)) }

// distance is the optimal string alignment distance in bytes. It keeps only the last three rows of
// its table.
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
