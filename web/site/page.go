package site

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// Assets are the URLs of the built files, whose names contain a content hash. The keys are the
// names in the manifest from web/tools/bundle.mjs.
type Assets struct {
	Boot       string   `json:"boot"`       // theme and the class "js", before the first paint
	Playground string   `json:"playground"` // the page's module
	Pages      string   `json:"pages"`      // module for the other pages
	Worker     string   `json:"worker"`
	Lesson     string   `json:"lesson"`     // module for the lessons
	FromGitHub string   `json:"fromGitHub"` // module for the page that opens GitHub files
	EmbedPage  string   `json:"embedPage"`  // module inside embedded examples
	EmbedHub   string   `json:"embedHub"`   // script for their hidden frame
	Style      string   `json:"style"`
	PagesStyle string   `json:"pagesStyle"` // beside it on the other pages
	Fonts      []string `json:"fonts"`      // to be preloaded
	Preload    []string `json:"preload"`    // modules that the playground imports at once
	Editors    []string `json:"editors"`    // those with the editors, each after its imports
	Codec      []string `json:"codec"`      // modules that read links
	FieldDocs  string   `json:"fieldDocs"`  // one sentence per field, for help
	Engine     string   `json:"engine"`
	// EngineBytes is the WebAssembly module's size before compression, for the download's progress.
	EngineBytes int64 `json:"engineBytes"`
	// Build is not from the manifest: web/cmd/site sets it.
	Build Build `json:"-"`
}

// Meta is a page's metadata for its head.
type Meta struct {
	Title       string
	Description string
	// Path is the page's path on the site: /examples/leases/.
	Path string
	// Site is the site's URL without a final slash; empty if unknown.
	Site string
	// Image is the path of the page's preview picture, which chat programs show with the link.
	Image string
	// NoIndex excludes the page from search engines.
	NoIndex bool
	// isPlayground marks the page whose first script starts the engine, and which needs no PagesStyle.
	isPlayground bool
}

// codecs are the modules that read links, for the playground's first script.
func (a Assets) codecs() string { return strings.Join(a.Codec, " ") }

func (m Meta) playground() Meta {
	m.isPlayground = true
	return m
}

// Example is a gallery scenario with its report.
type Example struct {
	Slug     string
	Scenario scenario.Scenario
	Report   *report.Report
	// Link is the permalink's fragment: #1/...
	Link string
	// Cases are more requests for the same policies (cases.yaml).
	Cases []ExampleCase
}

// ExampleCase is one more request of an example.
type ExampleCase struct {
	Name   string
	Report *report.Report
	// Link is the fragment that opens it; empty if too large for a link.
	Link string
}

func (e Example) path() string { return "/examples/" + e.Slug + "/" }

// Summary is the first paragraph of an example's description, without marks.
func (e Example) Summary() string { return plain(e.Scenario.Description) }

// view is an example's result panel.
func (e Example) view() html.View {
	return html.NewView(e.Report, e.texts())
}

func (e Example) texts() map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   e.Scenario.Policies,
		diag.Request:    e.Scenario.Request,
		diag.Cluster:    e.Scenario.Cluster,
		diag.Expression: e.Scenario.Expression,
	}
}

// versions are the supported minor versions, newest first.
func versions() []string {
	list := scenario.Versions()
	slices.Reverse(list)
	return list
}

// releases are the simulated patch releases, newest first.
func releases() string {
	var list []string
	for _, v := range slices.Backward(scenario.Versions()) {
		list = append(list, scenario.Release(v))
	}
	return strings.Join(list, ", ")
}
