// Package docs holds the pages of the documentation, for programs that hand them out.
package docs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Pages has the pages, Markdown behind a head.
//
//go:embed *.md
var Pages embed.FS

// Head is the YAML at the beginning of a page.
type Head struct {
	Title   string `json:"title"`
	Order   int    `json:"order"`   // place within its group, smallest first
	Group   string `json:"group"`   // the heading that the page is listed under
	Summary string `json:"summary"` // one sentence, for lists and search engines
}

// frontMatter is around the head.
const frontMatter = "---\n"

// Cut parts a page into its head and its Markdown. A page without title or summary is an error.
func Cut(page []byte) (Head, []byte, error) {
	var h Head
	rest, ok := bytes.CutPrefix(page, []byte(frontMatter))
	head, body, closed := bytes.Cut(rest, []byte("\n"+frontMatter))
	if !ok || !closed {
		return h, nil, errors.New("it does not begin with a front matter")
	}
	if err := yaml.UnmarshalStrict(head, &h); err != nil {
		return h, nil, fmt.Errorf("front matter: %w", err)
	}
	if h.Title == "" || h.Summary == "" {
		return h, nil, errors.New("title and summary are needed")
	}
	body = bytes.TrimLeft(body, "\n")
	if comment, rest, ok := bytes.Cut(body, []byte("-->\n")); ok && bytes.HasPrefix(comment, []byte("<!--")) {
		body = bytes.TrimLeft(rest, "\n") // it says what wrote the page
	}
	return h, body, nil
}
