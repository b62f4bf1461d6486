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

// Doc is one page of the documentation, made of a Markdown file of the folder
// docs.
type Doc struct {
	docs.Head
	Slug string // the file's name without its ending
	// Body is the rendered text. Raw HTML of the file is not in it, everything
	// else is escaped.
	Body string
	// Headings are those of the second level.
	Headings []DocHeading

	live     bool          // something on the page can be run
	sections []SearchEntry // what the search finds
}

// DocHeading is a heading that can be linked to.
type DocHeading struct{ ID, Text string }

func (d Doc) path() string { return "/docs/" + d.Slug + "/" }

// docGroups are the headings under which pages are listed, in that order.
var docGroups = []string{"Start here", "Using Preadmit", "Reference", "How far to trust it"}

// docGroup is one of them with its pages.
type docGroup struct {
	Name string
	Docs []Doc
}

// grouped cuts a sorted list of pages into its groups.
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

// neighbours are the pages before and after one; nil at the ends.
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

// ReadDoc renders a Markdown file (CommonMark with tables). Links to other
// files of its folder become links to their pages.
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

// SortDocs puts pages in the order that their front matter gives: by group,
// then by order.
func SortDocs(docs []Doc) {
	slices.SortFunc(docs, func(a, b Doc) int {
		return cmp.Or(
			slices.Index(docGroups, a.Group)-slices.Index(docGroups, b.Group),
			a.Order-b.Order,
			strings.Compare(a.Slug, b.Slug),
		)
	})
}

// prepare rewrites the links of a page and collects its headings. It rejects a
// table with a nameless column, which a screen reader could not announce.
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

// columns are the names in the header of a table.
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

// markdown reads and writes the documentation. Without the option Unsafe it
// leaves out raw HTML and dangerous addresses. Columns are aligned by an
// attribute, because the Content-Security-Policy forbids styles in the text.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(docBlocks{}, 100))),
)
