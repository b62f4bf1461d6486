package scenario

import (
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// walk follows steps from n. It returns the last node reached, its entry or item, and whether all
// steps were found.
func walk(n *node, steps fieldpath.Path) (at *node, key *node, found bool) {
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

// descend takes one step, or several if they form one key with dots.
func descend(n *node, steps fieldpath.Path) (value, key *node, used int) {
	name := steps[0].Name()
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
	if steps[0].Bracket() {
		return nil, nil, 0
	}
	for i := 1; i < len(steps) && !steps[i].Bracket(); i++ {
		name += "." + steps[i].Name()
		if e := n.entry(name); e != nil {
			return e.value, e.key, i + 1
		}
	}
	return nil, nil, 0
}

// selectItem finds an associative list's item by its keys, such as name="app" or
// containerPort=80,protocol="TCP".
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
