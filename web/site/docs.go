package site

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/preadmit/preadmit/docs"
)

// Doc is a documentation page, rendered from a Markdown file in the folder docs.
type Doc struct {
	docs.Head
	Slug string // file name without extension
	// Body is the rendered text. It omits the file's raw HTML and escapes everything else.
	Body string
	// Headings are the second-level headings.
	Headings []DocHeading

	live     bool          // the page has a runnable example
	sections []SearchEntry // for the search
}

// DocHeading is a heading that can be linked to.
type DocHeading struct{ ID, Text string }

func (d Doc) path() string { return "/docs/" + d.Slug + "/" }

// docGroups are the groups that list pages, in order.
var docGroups = []string{"Start here", "Using Preadmit", "Reference", "How far to trust it"}

// docGroup is a group with its pages.
type docGroup struct {
	Name string
	Docs []Doc
}

// grouped splits a sorted list of pages into its groups.
func grouped(docs []Doc) []docGroup {
	var out []docGroup
	for _, d := range docs {
		if len(out) == 0 || out[len(out)-1].Name != d.Group {
			out = append(out, docGroup{Name: d.Group})
		}
		last := &out[len(out)-1]
		last.Docs = append(last.Docs, d)
	}
	return out
}

// neighbours returns the previous and the next page, or nil.
func neighbours(docs []Doc, d Doc) (before, after *Doc) {
	i := slices.IndexFunc(docs, func(o Doc) bool { return o.Slug == d.Slug })
	if i > 0 {
		before = &docs[i-1]
	}
	if i+1 < len(docs) {
		after = &docs[i+1]
	}
	return before, after
}

// ReadDoc renders a Markdown file (CommonMark with tables). Links to other files in its folder
// become links to their pages.
func ReadDoc(slug string, source []byte) (Doc, error) {
	doc := Doc{Slug: slug}
	head, body, err := docs.Cut(source)
	if err != nil {
		return doc, fmt.Errorf("%s.md: %w", slug, err)
	}
	doc.Head = head
	if !slices.Contains(docGroups, doc.Group) {
		return doc, fmt.Errorf("%s.md: the group is %q, not one of %q", slug, doc.Group, docGroups)
	}
	tree := markdown.Parser().Parse(text.NewReader(body))
	if err := doc.prepare(tree, body); err != nil {
		return doc, err
	}
	doc.sections = sectionsOf(doc, tree, body)
	if doc.live, err = makeLive(tree, body); err != nil {
		return doc, err
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, body, tree); err != nil {
		return doc, err
	}
	doc.Body = out.String()
	return doc, nil
}

// SortDocs sorts pages by their front matter: by group, then by order.
func SortDocs(docs []Doc) {
	slices.SortFunc(docs, func(a, b Doc) int {
		return cmp.Or(
			slices.Index(docGroups, a.Group)-slices.Index(docGroups, b.Group),
			a.Order-b.Order,
			strings.Compare(a.Slug, b.Slug),
		)
	})
}

// prepare rewrites a page's links and collects its headings. It rejects a table with an unnamed
// column, which a screen reader could not announce.
func (d *Doc) prepare(tree ast.Node, source []byte) error {
	return ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(docLink(string(n.Destination)))
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok && n.Level == 2 {
				d.Headings = append(d.Headings, DocHeading{ID: string(id.([]byte)), Text: plainText(n, source)})
			}
		case *extast.TableHeader:
			if names := columns(n, source); slices.Contains(names, "") {
				return ast.WalkStop, fmt.Errorf("%s.md: in the table with the columns %q one has no name", d.Slug, names)
			}
		}
		return ast.WalkContinue, nil
	})
}

// columns returns a table's column names.
func columns(header *extast.TableHeader, source []byte) []string {
	var names []string
	for cell := header.FirstChild(); cell != nil; cell = cell.NextSibling() {
		names = append(names, plainText(cell, source))
	}
	return names
}

// docLink turns scenario.md#settings into /docs/scenario/#settings.
func docLink(to string) string {
	file, anchor, found := strings.Cut(to, "#")
	slug, isDoc := strings.CutSuffix(file, ".md")
	if !isDoc || strings.Contains(slug, "/") {
		return to
	}
	if found {
		anchor = "#" + anchor
	}
	return "/docs/" + slug + "/" + anchor
}

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		} else {
			b.WriteString(plainText(c, source))
		}
	}
	return b.String()
}

// markdown parses and renders the documentation. Without the option Unsafe it omits raw HTML and
// dangerous URLs. It aligns columns with an attribute, because the Content-Security-Policy forbids
// inline styles.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(docBlocks{}, 100))),
)
