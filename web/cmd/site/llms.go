package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/docs"
	"github.com/preadmit/preadmit/web/site"
)

// writeMarkdown writes each page of the documentation as Markdown beside its folder, and llms.txt,
// which lists them with the examples for language models (llmstxt.org).
func writeMarkdown(out, address, folder string, pages []site.Doc, examples []site.Example) error {
	for _, page := range pages {
		source, err := os.ReadFile(filepath.Join(folder, page.Slug+".md"))
		if err != nil {
			return err
		}
		_, body, err := docs.Cut(source)
		if err != nil {
			return fmt.Errorf("%s.md: %w", page.Slug, err)
		}
		if err := os.WriteFile(filepath.Join(out, "docs", page.Slug+".md"), body, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "llms.txt"), llms(address, pages, examples), 0o644)
}

// llms is the text of llms.txt. Without the address of the site its links are relative to its root.
func llms(address string, pages []site.Doc, examples []site.Example) []byte {
	var b bytes.Buffer
	b.WriteString("# Preadmit\n\n> What the Kubernetes API server will do with a request, before it does it. It shows which admission policies and webhooks apply, " +
		"what each CEL expression evaluates to and costs, the object after each mutation, and the client's answer.\n\n" +
		"Agents get the same answers from the command `preadmit mcp`.\n")
	group := ""
	for _, page := range pages {
		if page.Group != group {
			group = page.Group
			fmt.Fprintf(&b, "\n## %s\n\n", group)
		}
		fmt.Fprintf(&b, "- [%s](%s/docs/%s.md): %s\n", page.Title, address, page.Slug, page.Summary)
	}
	b.WriteString("\n## Examples\n\nEach is JSON with the texts `policies`, `request` and `cluster`.\n\n")
	for _, e := range examples {
		fmt.Fprintf(&b, "- [%s](%s/examples/%s/scenario.json): %s\n", e.Scenario.Title, address, e.Slug, strings.Join(strings.Fields(e.Scenario.Description), " "))
	}
	return b.Bytes()
}
