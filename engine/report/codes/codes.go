// Package codes lists the codes of everything that the engine tells: problems
// of a text, notes on a step, findings and broken links. It is the source of
// docs/diagnostics.md, and of the explanations that programs show for a code.
//
// Codes are stable: a program may compare them. A test checks that the list is
// complete, and that each example shows its code.
package codes

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
)

// Entry explains one code.
type Entry struct {
	Code string
	// Title names the problem in a few words.
	Title string
	// Meaning says what it is, in one paragraph.
	Meaning string
	// Repair says what to do about it; empty when there is nothing to do.
	Repair string
	// Example is a scenario, as a txtar archive, that shows the code. Empty for
	// a few that need megabytes, other bytes than text, or a link.
	Example string
}

// Group holds the codes that come from the same place.
type Group struct {
	Title string
	// About says in a sentence where these codes turn up.
	About   string
	Entries []Entry
}

// Groups lists all codes, in the order of the documentation.
func Groups() []Group {
	list := []Group{texts, settings, request, refused, accepted, types, failing, cluster, notes, customResources, rules, findings, links}
	meanings := map[string]string{}
	for _, c := range install.Codes {
		meanings[c.Code] = c.Meaning
	}
	for _, c := range typecheck.Codes {
		meanings[c.Code] = c.Meaning
	}
	for i := range list {
		list[i].Entries = slices.Clone(list[i].Entries)
		for j := range list[i].Entries {
			if e := &list[i].Entries[j]; e.Meaning == "" {
				e.Meaning = meanings[e.Code]
			}
		}
	}
	return list
}

// All lists every code once.
func All() []Entry {
	var out []Entry
	for _, g := range Groups() {
		out = append(out, g.Entries...)
	}
	return out
}
