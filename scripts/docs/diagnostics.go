package main

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report/codes"
)

const diagnosticsHead = `---
title: Diagnostics
order: 90
group: Reference
summary: Every code that a report, the page or the command line shows, with what it means, how to repair it, and an example.
---

<!-- Written by "go run ./scripts/docs" from engine/report/codes. Do not edit. -->

# Diagnostics

Every diagnostic has a code. Codes do not change, so programs may compare them. The
severities are *error* (a document or the request is left out), *warning* (it runs, but
probably not as intended) and *info*. A *note* belongs to a step or an expression of
the report. Some diagnostics have repairs: edits that the page and ` + "`preadmit fix`" + ` can apply.

Each example is a [scenario](scenario.md) as a txtar archive: save it as a file
and run ` + "`preadmit eval FILE.txtar`" + `. Its output follows. A test
runs all examples and applies the repairs.

`

// diagnostics returns the page with all codes.
func diagnostics() string {
	var b strings.Builder
	b.WriteString(diagnosticsHead)
	groups := codes.Groups()
	var titles []string
	for _, g := range groups {
		titles = append(titles, g.Title)
	}
	b.WriteString(links(titles))
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", g.Title, g.About)
		for _, e := range g.Entries {
			fmt.Fprintf(&b, "\n### %s\n\n**%s.** %s\n", e.Code, e.Title, e.Meaning)
			if e.Repair != "" {
				fmt.Fprintf(&b, "\n*Repair:* %s\n", e.Repair)
			}
			fmt.Fprintf(&b, "\n*Severity:* %s. *Repairs:* %s.\n", strings.Join(e.Severities, ", "), e.Repairs)
			if e.Example != "" {
				fmt.Fprintf(&b, "\n```txtar\n%s```\n\n```text\n%s```\n", e.Example, e.Reported)
			}
			if e.Good != "" {
				fmt.Fprintf(&b, "\nAs it should be:\n\n```txtar\n%s```\n", e.Good)
			}
			if e.Repairable != "" {
				fmt.Fprintf(&b, "\nThis one has a repair:\n\n```txtar\n%s```\n", e.Repairable)
			}
		}
	}
	return b.String()
}
