package pasted

import (
	"slices"
	"strings"
)

// release extracts the manifests from the output of helm install --dry-run, helm status and helm
// get all. The release's name and values precede them, and notes follow. A chart's hooks are
// objects, too.
func release(lines []line) ([]line, int, int) {
	start := 0
	for start < len(lines) && strings.TrimSpace(lines[start].text) == "" {
		start++
	}
	if start == len(lines) || !strings.HasPrefix(lines[start].text, "NAME: ") {
		return lines, 0, 0
	}
	hooks, found := section(lines, "HOOKS:", "MANIFEST:")
	manifest, ok := section(lines, "MANIFEST:", "NOTES:")
	if !ok {
		return lines, 0, 0
	}
	parts := [][]line{manifest}
	if found && !blank(hooks) {
		parts = [][]line{hooks, manifest}
	}
	return joined(parts), len(parts), lines[start].number
}

// section is the text between two headings printed by helm; the second may be missing.
func section(lines []line, from, to string) ([]line, bool) {
	for i, l := range lines {
		if strings.TrimRight(l.text, " ") != from {
			continue
		}
		rest := lines[i+1:]
		for j, end := range rest {
			if strings.TrimRight(end.text, " ") == to {
				rest = rest[:j]
				break
			}
		}
		for len(rest) > 0 && strings.TrimSpace(rest[len(rest)-1].text) == "" {
			rest = rest[:len(rest)-1]
		}
		return rest, true
	}
	return nil, false
}

func blank(lines []line) bool {
	return !slices.ContainsFunc(lines, func(l line) bool { return strings.TrimSpace(l.text) != "" })
}
