// Command docs writes the parts of the documentation that follow from the
// source: docs/diagnostics.md from engine/report/codes, the tables of docs/report.md
// from engine/report, those of docs/versions.md from engine/analysis/versions, docs/cel.md
// from engine/edit/completion, the rules of docs/repairs.md from engine/internal/repair, the programs of docs/library.md from the examples of engine. Run it from the top
// folder: go run ./scripts/docs
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// generated are the files that this program writes completely or in part.
var generated = []string{constantsFile, "docs/diagnostics.md", "docs/report.md", "docs/library.md", "docs/versions.md", "docs/cel.md", repairsFile}

const (
	constantsFile = "engine/report/codes/constants.go"
	repairsFile   = "docs/repairs.md"
)

// run rewrites outdated files.
func run(root string) error {
	for _, name := range generated {
		path := filepath.Join(root, name)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		text, err := generate(root, name, string(old))
		if err != nil {
			return err
		}
		if text != string(old) {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// generate returns a file's new content, given the current one.
func generate(root, name, old string) (string, error) {
	switch name {
	case constantsFile:
		return constants()
	case "docs/diagnostics.md":
		return diagnostics(), nil
	case "docs/cel.md":
		return celReference()
	case repairsFile:
		return repairRules(root, old)
	case "docs/report.md":
		tables, err := reportTables(root)
		if err != nil {
			return "", err
		}
		return between(old, "fields of the report", tables)
	case "docs/versions.md":
		return versionTables(old)
	}
	return examples(root, old)
}

// between replaces the text between a part's marks.
func between(text, part, content string) (string, error) {
	begin, end := "<!-- begin: "+part+" -->\n", "<!-- end: "+part+" -->"
	i, j := strings.Index(text, begin), strings.Index(text, end)
	if i < 0 || j < i {
		return "", fmt.Errorf("there is no place for %s: it needs the lines %q and %q", part, strings.TrimSpace(begin), end)
	}
	return text[:i+len(begin)] + "\n" + strings.TrimSpace(content) + "\n\n" + text[j:], nil
}

// links lists headings as links to them.
func links(titles []string) string {
	var b strings.Builder
	for _, title := range titles {
		fmt.Fprintf(&b, "- [%s](#%s)\n", title, anchor(title))
	}
	return b.String()
}

// anchor returns a heading's anchor, as on GitHub.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(title))
}

// table returns a Markdown table. It escapes bars in cells.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		escaped := slices.Clone(cells)
		for i, c := range escaped {
			escaped[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(escaped, " | "))
	}
	line(head)
	b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}
