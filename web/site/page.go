package site

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// Assets are the addresses of the built files, whose names carry a hash of
// their content. The keys are the names in the manifest that
// web/tools/bundle.mjs writes.
type Assets struct {
	Boot       string   `json:"boot"`       // theme and the class "js", before the first paint
	Playground string   `json:"playground"` // the page's module
	Pages      string   `json:"pages"`      // what the other pages need
	Worker     string   `json:"worker"`
	Lesson     string   `json:"lesson"`     // the module of the lessons
	FromGitHub string   `json:"fromGitHub"` // the module of the page that opens files of GitHub
	EmbedPage  string   `json:"embedPage"`  // the module of the page inside embedded examples
	EmbedHub   string   `json:"embedHub"`   // the script of their hidden frame
	Style      string   `json:"style"`
	Fonts      []string `json:"fonts"`     // to be preloaded
	Preload    []string `json:"preload"`   // modules that the playground imports at once
	Editors    []string `json:"editors"`   // those of them with the editors, each behind what it imports
	Codec      []string `json:"codec"`     // modules that read links
	FieldDocs  string   `json:"fieldDocs"` // one sentence for each field, for help
	Engine     string   `json:"engine"`
	// EngineBytes is the size of the WebAssembly module before compression:
	// what a reader counts while streaming.
	EngineBytes int64 `json:"engineBytes"`
	// Build is not of the manifest: web/cmd/site fills it in.
	Build Build `json:"-"`
}

// Meta is what a page says about itself in its head.
type Meta struct {
	Title       string
	Description string
	// Path is the address of the page on the site: /examples/leases/.
	Path string
	// Site is the address of the whole site, without a slash at its end; it
	// is empty when the site does not know where it will be served.
	Site string
	// Image is the address of the page's preview picture on the site, shown
	// where the link is sent.
	Image string
	// NoIndex keeps search engines away.
	NoIndex bool
	// startsEngine starts the engine in the first script of the page.
	startsEngine bool
}

// codecs are the modules that read links, as the first script of the playground gets them.
func (a Assets) codecs() string { return strings.Join(a.Codec, " ") }

// startingEngine is m for a page whose first script starts the engine.
func (m Meta) startingEngine() Meta {
	m.startsEngine = true
	return m
}

// Example is one scenario of the gallery with its report.
type Example struct {
	Slug     string
	Scenario scenario.Scenario
	Report   *report.Report
	// Link is the fragment of the permalink: #1/...
	Link string
	// Cases are more requests for the same policies (cases.yaml).
	Cases []ExampleCase
}

// ExampleCase is one more request of an example.
type ExampleCase struct {
	Name   string
	Report *report.Report
	// Link is the fragment that opens it; empty where it is too large for a link.
	Link string
}

func (e Example) path() string { return "/examples/" + e.Slug + "/" }

// Summary is the first paragraph of an example's description, without marks.
func (e Example) Summary() string { return plain(e.Scenario.Description) }

// view is the result panel of an example.
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

// versions are the Kubernetes minor versions to choose from, newest first.
func versions() []string {
	list := scenario.Versions()
	slices.Reverse(list)
	return list
}

// releases are the patch releases as which the versions are simulated, newest first.
func releases() string {
	var list []string
	for _, v := range slices.Backward(scenario.Versions()) {
		list = append(list, scenario.Release(v))
	}
	return strings.Join(list, ", ")
}
