package site

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// SearchEntry is a result of the documentation search: a section of a page, a tour step or an
// example. The page searches all of them, as JSON (web/app/find.ts).
type SearchEntry struct {
	// Page is the page's title. Title is the section's; it is empty before the first heading.
	Page  string `json:"page"`
	Title string `json:"title,omitempty"`
	Path  string `json:"path"`
	// Text is the searched text without code blocks, with single blanks.
	Text string `json:"text"`
}

// SearchIndex lists all search entries in site order.
func SearchIndex(docs []Doc, lessons []Lesson, examples []Example) []SearchEntry {
	out := []SearchEntry{}
	for _, d := range docs {
		out = append(out, d.sections...)
	}
	for _, l := range lessons {
		out = append(out, lessonWords(l))
	}
	for _, t := range Topics(examples) {
		for _, e := range t.Examples {
			out = append(out, SearchEntry{Page: "Example", Title: e.Scenario.Title, Path: e.path(), Text: e.Summary()})
		}
	}
	return out
}

// ExampleIndex lists the examples for the playground's search, with their topic as the page.
func ExampleIndex(examples []Example) []SearchEntry {
	out := []SearchEntry{}
	for _, t := range Topics(examples) {
		for _, e := range t.Examples {
			out = append(out, SearchEntry{Page: t.Name, Title: e.Scenario.Title, Path: e.path(), Text: searchText(e)})
		}
	}
	return out
}

// sectionsOf splits a page at its second- and third-level headings.
func sectionsOf(d Doc, tree ast.Node, source []byte) []SearchEntry {
	out := []SearchEntry{{Page: d.Title, Path: d.path(), Text: d.Summary}}
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, named := h.AttributeString("id")
			if named && h.Level > 1 {
				out = append(out, SearchEntry{Page: d.Title, Title: plainText(h, source), Path: d.path() + "#" + string(id.([]byte))})
			}
			continue
		}
		last := &out[len(out)-1]
		last.Text = strings.TrimSpace(last.Text + " " + words(n, source))
	}
	return out
}

// words returns a block's text without machine-readable code.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	collect(&b, n, source)
	return strings.Join(strings.Fields(b.String()), " ")
}

func collect(b *strings.Builder, n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *ast.RawHTML:
		return
	case *ast.Text:
		b.Write(n.Segment.Value(source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		collect(b, c, source)
	}
	switch n.(type) {
	case *ast.Paragraph, *ast.TextBlock, *extast.TableCell:
		b.WriteByte(' ')
	}
}
