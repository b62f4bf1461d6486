package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/site"
)

// TestMarkdown: each page is there as Markdown without its head, and llms.txt links to all of them.
func TestMarkdown(t *testing.T) {
	const folder = "../../../docs"
	pages, err := readDocs(folder)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	examples := []site.Example{{Slug: "a", Scenario: scenario.Scenario{Title: "An example", Description: "It shows\nthis."}}}
	if err := writeMarkdown(out, "https://example.org", folder, pages, examples); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(out, "llms.txt"))
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\(https://example\.org/(docs/[a-z-]+\.md)\): \S`).FindAllStringSubmatch(string(list), -1)
	if len(links) != len(pages) || len(pages) < 20 {
		t.Errorf("%d links to %d pages", len(links), len(pages))
	}
	for _, link := range links {
		page, err := os.ReadFile(filepath.Join(out, link[1]))
		if err != nil || !strings.HasPrefix(string(page), "# ") {
			t.Errorf("%s: %v, %.40s", link[1], err, page)
		}
	}
	if !strings.Contains(string(list), "- [An example](https://example.org/examples/a/scenario.json): It shows this.\n") {
		t.Errorf("%s", list[len(list)-300:])
	}
}
