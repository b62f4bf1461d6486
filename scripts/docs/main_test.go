package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurrent fails if the documentation is not up to date with the source.
func TestCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, name := range generated {
		old, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := generate(root, name, string(old))
		if err != nil {
			t.Fatal(err)
		}
		if want != string(old) {
			t.Errorf("%s is not current: run go run ./scripts/docs", name)
		}
	}
}

func TestReportTables(t *testing.T) {
	tables, err := reportTables(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Report\n", "| `steps` | list of [Step](#step) |", "It has the fields of [Evaluation](#evaluation), and:",
		"- `notMatched`: rules or selectors do not match the request",
	} {
		if !strings.Contains(tables, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(tables, "semantics") {
		t.Error("there are references for programmers")
	}
}

func TestBetween(t *testing.T) {
	got, err := between("a\n<!-- begin: x -->\nold\n<!-- end: x -->\nz\n", "x", "new\n")
	if want := "a\n<!-- begin: x -->\n\nnew\n\n<!-- end: x -->\nz\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := between("nothing", "x", ""); err == nil {
		t.Error("a text without marks was accepted")
	}
}

// TestEveryFieldIsExplained fails if a report field has no comment.
func TestEveryFieldIsExplained(t *testing.T) {
	tables, err := reportTables(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(tables, "\n") {
		if strings.HasSuffix(line, " |  |") {
			t.Errorf("no meaning: %s", line)
		}
	}
}
