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

Whatever Preadmit tells about a scenario has a code. Codes do not change, so
programs may compare them. Severities are *error* (a document or the request is
left out), *warning* (it runs, and probably not as meant) and *info*.

Each example is a [scenario](scenario.md) as a txtar archive: save it as a file
and run ` + "`preadmit eval FILE.txtar`" + `. A test runs them all.

`

// diagnostics is the page of all codes.
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
			if e.Example != "" {
				fmt.Fprintf(&b, "\n```txtar\n%s```\n", e.Example)
			}
		}
	}
	return b.String()
}
