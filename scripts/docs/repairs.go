package main

import (
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// repairRules lists the rules about rejected expressions for docs/repairs.md, each with its first
// example.
func repairRules(root, old string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "engine/internal/repair/expressions/testdata/rules.yaml"))
	if err != nil {
		return "", err
	}
	var entries []struct{ Rule, Code, Before, After string }
	if err := yaml.Unmarshal(data, &entries); err != nil {
		return "", err
	}
	code := func(text string) string {
		text = strings.Join(strings.Fields(text), " ")
		if strings.Contains(text, "`") {
			return "`` " + text + " ``"
		}
		return "`" + text + "`"
	}
	seen := map[string]bool{"": true}
	var rows [][]string
	for _, e := range entries {
		if !seen[e.Rule] {
			seen[e.Rule] = true
			rows = append(rows, []string{e.Rule, "[" + code(e.Code) + "](diagnostics.md#" + e.Code + ")", code(e.Before), code(e.After)})
		}
	}
	return between(old, "rules", table([]string{"rule", "code", "mistake", "repaired"}, rows))
}
