// Package examples_test runs every folder beside it: the same scenarios that
// are the gallery of the site, pages of the documentation, and links.
package examples_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
)

// TestMain evaluates as the command line and the page do, with the server's own code.
func TestMain(m *testing.M) {
	engine.Use(storage.New())
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write expected.yaml of every example")

// levels are the second tag of an example; the first is its topic.
var levels = []string{"beginner", "intermediate", "advanced"}

// fromDocumentation begins a third tag: the page of the documentation of Kubernetes whose
// example this is, written anew.
const fromDocumentation = "docs: "

// documentation are the titles of those pages.
var documentation = []string{
	"Validating Admission Policy", "Mutating Admission Policy", "Dynamic Admission Control",
	"Admission Webhook Good Practices", "Admission Controllers", "Pod Security Admission",
	"CustomResourceDefinitions", "Common Expression Language", "Limit Ranges",
}

// slug is the form of a folder's name. It is part of addresses: names are never
// changed.
var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestExamples(t *testing.T) {
	for _, name := range folders(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, name)
			check(t, name, s)
			r, err := engine.Evaluate(context.Background(), s, engine.Everything())
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(name, expect.FileName)
			text, err := os.ReadFile(path)
			if err != nil && !*update {
				t.Fatal(err)
			}
			if *update {
				if text, err = expect.Update(text, r); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			expected, err := expect.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			differences, err := expect.Compare(expected, r)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range differences {
				t.Errorf("%s:%d: %s: want %v, got %v %s", path, d.Line, d.Path, d.Want, d.Got, d.Problem)
			}
			ends := append(checkCases(t, name, s), end(r))
			slices.Sort(ends)
			switch several, why := len(slices.Compact(ends)) > 1, oneEnd[name]; {
			case !several && why == "":
				t.Errorf("every request of the example ends as %s; %s wants one that ends otherwise", ends[0], expect.CasesFile)
			case several && why != "":
				t.Errorf("requests of the example end differently, and oneEnd says that they cannot: %s", why)
			}
		})
	}
}

// oneEnd are the examples whose requests all end in one way, each with the reason. All
// others have a request that passes and one that does not, or one that is changed and
// one that is not.
var oneEnd = map[string]string{
	"custom-message-too-dear": "the CRD is rejected",
	"free-expression":         "there is no policy",
	"library-too-new":         "the policy is rejected",
	"misspelt-field":          "the policy is rejected",
	"old-cluster":             "the policy is rejected",
	"webhook-url-refused":     "the configuration is rejected",
	"types-of-results":        "the policy is rejected",
	"rules-alone":             "there is no request",
	"policy-without-binding":  "a policy without a binding never runs",
}

// end is how a request ended: the state of its outcome, and whether there were warnings.
func end(r *report.Report) string {
	if len(r.Outcome.Warnings) > 0 {
		return string(r.Outcome.State) + ", with warnings"
	}
	return string(r.Outcome.State)
}

// checkCases runs the requests of cases.yaml and returns their ends. preadmit test
// -update writes what they expect.
func checkCases(t *testing.T, name string, s scenario.Scenario) []string {
	t.Helper()
	path := filepath.Join(name, expect.CasesFile)
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	cases, err := expect.ParseCases(raw)
	if err != nil {
		t.Fatal(err)
	}
	var ends []string
	for _, c := range cases.List {
		of := s
		if of.Request, err = c.Request(s.Request); err != nil {
			t.Fatal(err)
		}
		r, err := engine.Evaluate(context.Background(), of, engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end(r))
		if c.Expected == nil {
			t.Errorf("%s:%d: the case %q expects nothing", path, c.Line, c.Name)
			continue
		}
		differences, err := expect.Compare(c.Expected, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			t.Errorf("%s:%d: %s: %s: want %v, got %v %s", path, d.Line, c.Name, d.Path, d.Want, d.Got, d.Problem)
		}
	}
	return ends
}

func folders(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	const atLeast = 100 // what the gallery promises
	if len(names) < atLeast {
		t.Errorf("%d examples, fewer than %d", len(names), atLeast)
	}
	return names
}

// read reads an example. Every file must belong to a scenario, and none may be
// wrong.
func read(t *testing.T, dir string) scenario.Scenario {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != expect.FileName && e.Name() != expect.CasesFile && !slices.Contains(scenario.FileNames(), e.Name()) {
			t.Errorf("%s is no file of a scenario", e.Name())
		}
	}
	read, err := scenario.FromFS(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range read.Diagnostics {
		t.Errorf("%s:%d: %s", scenario.SettingsFile, p.Line, p.Summary)
	}
	return read.Scenario
}

// check keeps the examples fit for the gallery.
func check(t *testing.T, name string, s scenario.Scenario) {
	t.Helper()
	if !slug.MatchString(name) {
		t.Errorf("the name %q is not in lower case with hyphens", name)
	}
	if s.Title == "" || len(s.Title) > 70 || strings.HasSuffix(s.Title, ".") {
		t.Errorf("the title %q is missing, too long, or a sentence", s.Title)
	}
	if len(strings.Fields(s.Description)) < 25 {
		t.Errorf("the description does not teach: %q", s.Description)
	}
	if len(s.Tags) < 2 || !slices.Contains(levels, s.Tags[1]) {
		t.Errorf("tags are %q; wanted are a topic and a level out of %q", s.Tags, levels)
		return
	}
	for _, tag := range s.Tags[2:] {
		if page, ok := strings.CutPrefix(tag, fromDocumentation); !ok || !slices.Contains(documentation, page) {
			t.Errorf("the tag %q does not name a page of the documentation, as in %q", tag, fromDocumentation+documentation[0])
		}
	}
	link, err := scenario.EncodeLink(s)
	if err != nil {
		t.Fatal(err)
	}
	const tooLong = 4000 // characters; chat programs cut what is longer
	if len(link) > tooLong {
		t.Errorf("the link has %d characters", len(link))
	}
}
