// Command site renders the pages of the web site: it evaluates every example
// with the engine and writes HTML through the same components that the browser
// uses. scripts/build runs it after the bundle and the WebAssembly module exist,
// because pages name those files by their hashes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-h/templ"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
	"github.com/preadmit/preadmit/web/site"
	"github.com/preadmit/preadmit/web/tour"
)

// buildTime stands for the present in pages that are written when the site is built.
// The clock of the build would make every build another one, and ask each visitor
// to reload. The engine in the page puts the present there.
const buildTime = "2026-01-01T00:00:00Z"

// firstExample is what a first visit shows: a denied request.
const firstExample = "first-look"

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run returns 0 when all pages are written, 1 when something is wrong and 2
// for wrong arguments.
func run(args []string, stderr io.Writer) int {
	engine.Use(storage.New()) // pages show what the engine of a page says once it has loaded the same code
	flags := flag.NewFlagSet("site", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "web/dist", "folder to write the pages to; holds assets.json already")
	examples := flags.String("examples", "examples", "folder of the examples")
	lessons := flags.String("tour", "tour", "folder of the lessons")
	docs := flags.String("docs", "docs", "folder of the documentation")
	address := flags.String("site", os.Getenv("URL"), "address of the site, for canonical links; Netlify sets URL")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := build(*out, *examples, *docs, *lessons, *address); err != nil {
		fmt.Fprintln(stderr, "site:", err)
		return 1
	}
	return 0
}

func build(out, folder, docsFolder, tourFolder, address string) error {
	raw, err := os.ReadFile(filepath.Join(out, "assets.json"))
	if err != nil {
		return err
	}
	var assets site.Assets
	if err := json.Unmarshal(raw, &assets); err != nil {
		return fmt.Errorf("assets.json: %w", err)
	}
	if assets.Build, err = builtFrom(docsFolder); err != nil {
		return err
	}
	examples, err := load(folder)
	if err != nil {
		return err
	}
	docs, err := readDocs(docsFolder)
	if err != nil {
		return err
	}
	lessons, err := readTour(tourFolder)
	if err != nil {
		return err
	}
	pages, err := site.Pages(assets, examples, docs, lessons, firstExample, address)
	if err != nil {
		return err
	}
	for name, page := range pages {
		if err := write(filepath.Join(out, filepath.FromSlash(name)), page); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := writeSitemap(out, address, pages); err != nil {
		return err
	}
	if address != "" {
		if err := writePreviews(out, examples); err != nil {
			return err
		}
	}
	if err := writeMarkdown(out, address, docsFolder, docs, examples); err != nil {
		return err
	}
	return writeData(out, docs, lessons, examples)
}

// writeData writes what scripts fetch: each scenario alone and all of them together,
// which the service worker keeps, and the index of the search.
func writeData(out string, docs []site.Doc, lessons []site.Lesson, examples []site.Example) error {
	all := map[string]scenario.Scenario{}
	for _, e := range examples {
		all[e.Slug] = e.Scenario
		if err := writeJSON(filepath.Join(out, "examples", e.Slug, "scenario.json"), e.Scenario); err != nil {
			return err
		}
	}
	for _, l := range lessons {
		if err := writeJSON(filepath.Join(out, "tour", l.Slug, "lesson.json"), l.Lesson); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(out, "examples", "scenarios.json"), all); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(out, "examples", "search.json"), site.ExampleIndex(examples)); err != nil {
		return err
	}
	return writeJSON(filepath.Join(out, "docs", "search.json"), site.SearchIndex(docs, lessons, examples))
}

// load reads and evaluates every folder under examples.
func load(folder string) ([]site.Example, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []site.Example
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		e, err := example(filepath.Join(folder, entry.Name()), entry.Name())
		if err != nil {
			return nil, fmt.Errorf("example %s: %w", entry.Name(), err)
		}
		out = append(out, e)
	}
	return out, nil
}

func example(folder, slug string) (site.Example, error) {
	read, err := scenario.FromFS(os.DirFS(folder))
	if err != nil {
		return site.Example{}, err
	}
	if diag.HasErrors(read.Diagnostics) {
		return site.Example{}, fmt.Errorf("%s", read.Diagnostics[0].Summary)
	}
	r, err := evaluate(read.Scenario)
	if err != nil {
		return site.Example{}, err
	}
	cases, err := exampleCases(folder, read.Scenario)
	if err != nil {
		return site.Example{}, err
	}
	return site.Example{Slug: slug, Scenario: read.Scenario, Report: r, Cases: cases}, nil
}

// exampleCases reads and evaluates the further requests of an example, if it has some.
func exampleCases(folder string, s scenario.Scenario) ([]site.ExampleCase, error) {
	raw, err := os.ReadFile(filepath.Join(folder, expect.CasesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	table, err := expect.ParseCases(raw)
	if err != nil {
		return nil, err
	}
	var out []site.ExampleCase
	for _, c := range table.List {
		of := s
		if of.Request, err = c.Request(s.Request); err != nil {
			return nil, err
		}
		one := site.ExampleCase{Name: c.Name}
		if one.Report, err = evaluate(of); err != nil {
			return nil, err
		}
		of.Title += ": " + c.Name
		if one.Link, err = scenario.EncodeLink(of); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func evaluate(s scenario.Scenario) (*report.Report, error) {
	if s.Now == "" {
		s.Now = buildTime
	}
	return engine.Evaluate(context.Background(), s, engine.Everything())
}

// readTour reads the lessons and evaluates what they begin with.
func readTour(folder string) ([]site.Lesson, error) {
	list, err := tour.Read(os.DirFS(folder))
	if err != nil {
		return nil, err
	}
	var out []site.Lesson
	for i, l := range list {
		r, err := evaluate(l.Start)
		if err != nil {
			return nil, fmt.Errorf("lesson %s: %w", l.Slug, err)
		}
		out = append(out, site.Lesson{Lesson: l, Number: i + 1, Report: r})
	}
	return out, nil
}

// readDocs renders every Markdown file of a folder.
func readDocs(folder string) ([]site.Doc, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return nil, err
	}
	var docs []site.Doc
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		doc, err := site.ReadDoc(strings.TrimSuffix(filepath.Base(file), ".md"), source)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	site.SortDocs(docs)
	return docs, nil
}

func write(name string, page templ.Component) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := page.Render(context.Background(), f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func writeJSON(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(name, raw, 0o644)
}
