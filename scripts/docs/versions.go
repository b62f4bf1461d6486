package main

import (
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/scenario"
)

// versionTables are the parts of docs/versions.md from the engine's tables.
func versionTables(old string) (string, error) {
	kinds, err := servedKinds()
	if err != nil {
		return "", err
	}
	text := old
	for _, part := range []struct{ name, content string }{
		{"kinds", kinds}, {"changes", changes(false)}, {"words", changes(true)}, {"functions", functions()},
	} {
		if text, err = between(text, part.name, part.content); err != nil {
			return "", err
		}
	}
	return text, nil
}

// servedKinds has a row for each kind of admission configuration.
func servedKinds() (string, error) {
	all := scenario.Versions()
	releases := []string{"simulated as"}
	for _, v := range all {
		releases = append(releases, scenario.Release(v))
	}
	rows := [][]string{releases}
	for _, kind := range []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		row := []string{kind}
		for _, v := range all {
			served, err := versions.Served(kind, v)
			if err != nil {
				return "", err
			}
			row = append(row, served)
		}
		rows = append(rows, row)
	}
	return table(append([]string{"kind"}, all...), rows), nil
}

// changes has a row for each change in verdicts, or only in wording.
func changes(words bool) string {
	var rows [][]string
	for _, c := range versions.Changes() {
		if c.OnlyWording != words {
			continue
		}
		when := c.From
		switch {
		case c.To == c.From:
			when += " only"
		case c.To != "":
			when += " to " + c.To
		}
		rows = append(rows, []string{when, c.Text})
	}
	return table([]string{"from", "what API servers do"}, rows)
}

// functions has a row for each version with new CEL functions.
func functions() string {
	all := scenario.Versions()
	rows := [][]string{{all[0] + " and before", strings.Join([]string{
		"`url`", "`find`", "`findAll`", "lists (`isSorted`, `sum`, `min`, `max`, `indexOf`)", "strings with `format`", "`authorizer`",
		"`quantity`", "optionals (`?.`, `orValue`)", "`sets`"}, ", ")}}
	for _, f := range versions.LaterFunctions() {
		rows = append(rows, []string{f.Since, f.Text})
	}
	return table([]string{"from", "functions"}, rows)
}
