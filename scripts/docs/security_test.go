package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromises: each promise in SECURITY.md names a test, a fuzz target or a script, and all of
// them exist.
func TestPromises(t *testing.T) {
	const top = "../.."
	raw, err := os.ReadFile(filepath.Join(top, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	// Names of tests, and the folder that they are in; a file; a command.
	named := regexp.MustCompile("`([^`]+)`")
	test := regexp.MustCompile(`^(Test|Fuzz)\w+$`)
	promises := 0
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[1]) == "promise" {
			continue
		}
		promises++
		var waiting []string
		found := 0
		for _, m := range named.FindAllStringSubmatch(cells[2], -1) {
			name := strings.TrimPrefix(m[1], "go run ./")
			if test.MatchString(name) {
				waiting = append(waiting, name)
				continue
			}
			found++
			path, _, _ := strings.Cut(name, " ")
			info, err := os.Stat(filepath.Join(top, path))
			if err != nil {
				t.Errorf("%s: %s is named and not there", strings.TrimSpace(cells[1]), path)
				continue
			}
			if len(waiting) > 0 && info.IsDir() {
				declared := testsOf(t, filepath.Join(top, path))
				for _, name := range waiting {
					if !declared[name] {
						t.Errorf("%s: %s has no %s", strings.TrimSpace(cells[1]), path, name)
					}
				}
				waiting = nil
			}
		}
		if found == 0 {
			t.Errorf("%s: nothing is named that keeps it", strings.TrimSpace(cells[1]))
		}
		if len(waiting) > 0 {
			t.Errorf("%s: no folder is named for %v", strings.TrimSpace(cells[1]), waiting)
		}
	}
	if promises < 15 {
		t.Errorf("only %d promises were found", promises)
	}
}

// testsOf returns a package's tests and fuzz targets, including its commands'.
func testsOf(t *testing.T, folder string) map[string]bool {
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	out := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(raw), -1) {
			out[m[1]] = true
		}
	}
	return out
}
