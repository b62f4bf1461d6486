package site

import (
	"fmt"
	"slices"

	"github.com/a-h/templ"
)

// Pages are all pages of the site by the file they are written to.
func Pages(a Assets, examples []Example, first, address string) (map[string]templ.Component, error) {
	i := slices.IndexFunc(examples, func(e Example) bool { return e.Slug == first })
	if i < 0 {
		return nil, fmt.Errorf("there is no example %q for the first page", first)
	}
	topics := Topics(examples)
	meta := func(path, title, description string) Meta {
		return Meta{Title: title, Description: description, Path: path, Site: address}
	}
	notFound := meta("/404.html", "No such page · Preadmit", "There is no page at this address.")
	notFound.NoIndex = true
	embed := meta("/embed/", "Preadmit", "An embedded example.")
	embed.NoIndex = true
	pages := map[string]templ.Component{
		"index.html": Playground(meta("/", "Preadmit: what will the Kubernetes API server do with this request?",
			"Paste admission policies and a request; see which policies apply, what every CEL expression gives and costs, the object after every mutation, and the answer."), a, examples[i], topics),
		"404.html":                  NotFound(notFound, a),
		"about/index.html":          About(meta("/about/", "About · Preadmit", "What Preadmit does and what it does not simulate."), a),
		"docs/index.html":           Docs(meta("/docs/", "Using Preadmit", "What to paste, how to get a request, sharing and keys."), a),
		"docs/embedding/index.html": EmbedDoc(meta("/docs/embedding/", "Embedding · Preadmit", "How to put a runnable admission example on your own page."), a, examples[i]),
		"embed/index.html":          Embed(embed, a),
		"embed/engine/index.html":   EmbedHub(embed, a),
		"examples/index.html":       Gallery(meta("/examples/", "Examples · Preadmit", "Admission policies for Kubernetes, each with a request and its outcome."), a, topics),
	}
	for _, e := range examples {
		path := "/examples/" + e.Slug + "/"
		pages["examples/"+e.Slug+"/index.html"] = ExamplePage(meta(path, e.Scenario.Title+" · Preadmit", plain(e.Scenario.Description)), a, e)
	}
	return pages, nil
}
