package scenario

import (
	"strconv"
	"strings"
)

// step is one part of a field path.
type step struct {
	name string
	// bracket says that the part stood in brackets: an index or a map key, and
	// not to be joined with what follows.
	bracket bool
}

// parsePath reads a field path as the API server writes it:
// spec.validations[0].expression, metadata.labels[app.kubernetes.io/name],
// and the selectors of structured-merge-diff: .spec.containers[name="app"].
func parsePath(path string) []step {
	var steps []step
	for i := 0; i < len(path); {
		switch path[i] {
		case '.':
			i++
		case '[':
			end := closingBracket(path, i)
			steps = append(steps, step{name: path[i+1 : end], bracket: true})
			i = end + 1
		default:
			end := i + strings.IndexAny(path[i:]+".", ".[")
			steps = append(steps, step{name: path[i:end]})
			i = end
		}
	}
	return steps
}

// closingBracket finds the bracket that ends the key opened at i. Keys may hold
// dots and quoted brackets: the end is the first ] that a new part follows.
func closingBracket(path string, i int) int {
	for j := i + 1; j < len(path); j++ {
		if path[j] == ']' && (j+1 == len(path) || path[j+1] == '.' || path[j+1] == '[') {
			return j
		}
	}
	return len(path)
}

// walk follows steps from n. It returns the last node it reached, the entry or
// item that it is, and whether all steps were found.
func walk(n *node, steps []step) (at *node, key *node, found bool) {
	at = n
	for len(steps) > 0 && at != nil {
		next, nextKey, used := descend(at, steps)
		if used == 0 {
			return at, key, false
		}
		at, key, steps = next, nextKey, steps[used:]
	}
	return at, key, at != nil
}

// descend takes one step, or several when they are one key with dots in it.
func descend(n *node, steps []step) (value, key *node, used int) {
	name := steps[0].name
	if n.kind == sequenceNode {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) {
			return n.items[i], n.items[i], 1
		}
		if item := selectItem(n, name); item != nil {
			return item, item, 1
		}
		return nil, nil, 0
	}
	if e := n.entry(name); e != nil {
		return e.value, e.key, 1
	}
	if steps[0].bracket {
		if e := n.entry(strings.Trim(name, `"`)); e != nil {
			return e.value, e.key, 1
		}
		return nil, nil, 0
	}
	for i := 1; i < len(steps) && !steps[i].bracket; i++ {
		name += "." + steps[i].name
		if e := n.entry(name); e != nil {
			return e.value, e.key, i + 1
		}
	}
	return nil, nil, 0
}

// selectItem finds the item of an associative list by its keys, written
// name="app" or containerPort=80,protocol="TCP".
func selectItem(n *node, selector string) *node {
	if !strings.Contains(selector, "=") {
		return nil
	}
	for _, item := range n.items {
		all := true
		for _, part := range strings.Split(selector, ",") {
			key, want, _ := strings.Cut(part, "=")
			got := item.child(strings.TrimSpace(key))
			all = all && got != nil && got.value == strings.Trim(want, `"`)
		}
		if all {
			return item
		}
	}
	return nil
}
