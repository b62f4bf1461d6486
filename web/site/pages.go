package site

import (
	"fmt"
	"slices"

	"github.com/a-h/templ"
)

// Pages returns all of the site's pages by file name.
func Pages(a Assets, examples []Example, docs []Doc, lessons []Lesson, first, address string) (map[string]templ.Component, error) {
	i := slices.IndexFunc(examples, func(e Example) bool { return e.Slug == first })
	if i < 0 {
		return nil, fmt.Errorf("there is no example %q for the first page", first)
	}
	topics := Topics(examples)
	meta := func(path, title, description string) Meta {
		return Meta{Title: title, Description: description, Path: path, Site: address, Image: PreviewPath("")}
	}
	notFound := meta("/404.html", "No such page · Preadmit", "There is no page at this address.")
	notFound.NoIndex = true
	embed := meta("/embed/", "Preadmit", "An embedded example.")
	embed.NoIndex = true
	offline := meta("/offline/", "Not kept · Preadmit", "This page is not kept on this machine.")
	offline.NoIndex = true
	pages := map[string]templ.Component{
		"offline/index.html": Offline(offline, a),
		"index.html": Playground(meta("/", "Preadmit: what will the Kubernetes API server do with this request?",
			"Paste admission policies and a request. See which policies apply, what every CEL expression evaluates to and costs, the object after every mutation, and the answer."), a, examples[i], topics),
		"404.html":                NotFound(notFound, a),
		"about/index.html":        About(meta("/about/", "About · Preadmit", "What Preadmit does and what it does not simulate."), a),
		"docs/index.html":         DocsIndex(meta("/docs/", "Documentation · Preadmit", "How to use Preadmit: the page, the command line, CI, the Go library, every diagnostic, and how it is tested."), a, docs),
		"from-github/index.html":  FromGitHub(meta("/from-github/", "Open a gist or GitHub file · Preadmit", "Fetches one file from GitHub, when you confirm it, and opens it in the playground."), a),
		"embed/index.html":        Embed(embed, a, nil),
		"embed/engine/index.html": EmbedHub(embed, a),
		"examples/index.html":     Gallery(meta("/examples/", "Examples · Preadmit", "Admission policies for Kubernetes, each with a request and its outcome."), a, topics),
	}
	for _, d := range docs {
		pages["docs/"+d.Slug+"/index.html"] = DocPage(meta(d.path(), d.Title+" · Preadmit", d.Summary), a, docs, d)
	}
	pages["tour/index.html"] = TourIndex(meta("/tour/", "The tour · Preadmit", "Admission policies in lessons, each with a checked task."), a, lessons)
	for _, l := range lessons {
		body, err := l.body()
		if err != nil {
			return nil, fmt.Errorf("lesson %s: %w", l.Slug, err)
		}
		pages["tour/"+l.Slug+"/index.html"] = LessonPage(meta(l.path(), l.Title+" · Preadmit", l.Summary), a, lessons, l, body)
	}
	for _, e := range examples {
		m := meta(e.path(), e.Scenario.Title+" · Preadmit", e.Summary())
		m.Image = PreviewPath(e.Slug)
		pages["examples/"+e.Slug+"/index.html"] = ExamplePage(m, a, e, related(examples, e))
		framed := meta(e.embedPath(), e.Scenario.Title+" · Preadmit", e.Summary())
		framed.NoIndex = true
		pages["embed/examples/"+e.Slug+"/index.html"] = Embed(framed, a, &e)
	}
	return pages, nil
}

// PreviewPath returns the path of an example's preview picture, or of the site's for an empty slug
// (web/preview).
func PreviewPath(slug string) string {
	if slug == "" {
		return "/preview.png"
	}
	return "/examples/" + slug + "/preview.png"
}
