package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/foreigntests"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// testResult is one scenario's result.
type testResult struct {
	Path string `json:"path"`
	// Case is the case's name in cases.yaml; empty for the request itself.
	Case  string `json:"case,omitempty"`
	Title string `json:"title,omitempty"`
	Pass  bool   `json:"pass"`
	// Differences are the report's deviations.
	Differences []expect.Difference `json:"differences,omitempty"`
	// Error says why the scenario could not run.
	Error string `json:"error,omitempty"`
	// NotRun lists the policies and webhooks that did not run in a passing test, while others did,
	// and that the expectation does not name.
	NotRun []report.Unmatched `json:"notRun,omitempty"`
	// Tool is the tool that the test was written for, unless it is Preadmit. NotTaken lists parts
	// of its file that were not converted.
	Tool     string              `json:"tool,omitempty"`
	NotTaken []foreigntests.Left `json:"notTaken,omitempty"`
	// Updated says that expected.yaml was written.
	Updated bool `json:"updated,omitempty"`

	// answer is the verdict in words.
	answer string
	// bug says that Error is a bug in Preadmit.
	bug bool
	// file is the expectation's file, and line the number of lines before it.
	file string
	line int
}

func (r testResult) name() string {
	if r.Case == "" {
		return r.Path
	}
	return r.Path + ": " + r.Case
}

// testRun has the flags' values.
type testRun struct {
	settings *settings
	request  *requestFlags
	update   bool
	// only selects tests by name; nil means all.
	only *regexp.Regexp
	// kept gets each test's input and report, if not nil.
	kept func(path string, in *input, r *report.Report)
	// policies replaces a scenario's policies; nil keeps them.
	policies func(string) string
	// referenced gets the policy files that scenarios name.
	referenced *fileSet
}

type testFlags struct {
	run    testRun
	extra  testExtras
	format string
	watch  bool
}

func (a *app) testCommand() *cobra.Command {
	t := &testFlags{run: testRun{referenced: &fileSet{}}}
	c, f := a.newCommand("test [PATH...]", "Run scenarios against their expected.yaml", func(args []string) (int, error) { return a.test(args, t) })
	f.checked("run", "", "only tests whose name, the path or \"path: case\", matches this `REGEXP`", func(value string) (err error) {
		t.run.only, err = regexp.Compile(value)
		return err
	})
	f.BoolVar(&t.run.update, "update", false, "write the current results: replace values that differ, but keep your fields, their order and comments; without expected.yaml, write everything; add the verdict to cases that have none")
	f.BoolVar(&t.watch, "watch", false, "run again whenever a file below PATH changes")
	f.output(&t.format, "`FORMAT`: text; json; junit; github, text with annotations for GitHub's runner; sarif", "text", "json", "junit", "github", "sarif")
	f.BoolVar(&t.extra.coverage, "coverage", false, "list expressions, and parts of them, that never ran, were never true or never false")
	f.text(&t.extra.lcov, "lcov", "", "`FILE`: also write the coverage as an lcov tracefile")
	f.BoolVar(&t.extra.mutants, "mutants", false, "change one place in the expressions at a time, and list the changes that no test detects")
	f.failOn(&t.extra.failOn, "`WHAT`: also exit with 1: gaps, when the coverage is not complete; survivors, when no test finds a mutant; changes, when a result changes with --kubernetes all", failOnGaps, failOnSurvivors, failOnChanges)
	t.run.request, t.run.settings = f.request(), f.settings(true)
	return c
}

// test compares scenarios with their expectations.
func (a *app) test(args []string, t *testFlags) (int, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	run, extra := t.run, t.extra
	extra.coverage = extra.coverage || extra.lcov != "" || extra.failOn == failOnGaps
	extra.mutants = extra.mutants || extra.failOn == failOnSurvivors
	everyRelease := run.settings.kubernetes == "all"
	switch {
	case run.update && (extra.coverage || extra.mutants):
		return 0, badInput("test: --update writes expected results; measure coverage and mutants afterwards")
	case run.update && run.request.given():
		return 0, badInput("test: --update writes the expected result of the unchanged request; leave out --as and similar flags")
	case everyRelease && (run.update || extra.coverage || extra.mutants || t.format != "text" && t.format != "json"):
		return 0, badInput("test: --kubernetes all works only with -o text and -o json, and without --update, --coverage and --mutants")
	case extra.failOn == failOnChanges && !everyRelease:
		return 0, badInput("test: --fail-on changes needs --kubernetes all")
	}
	once := func() (int, error) {
		if everyRelease {
			return a.testReleases(args, run, t.format, extra.failOn)
		}
		return a.testOnce(args, run, extra, t.format)
	}
	if t.watch {
		return a.watch(args, run.referenced, once)
	}
	return once()
}

// Values of --fail-on for tests.
const (
	failOnGaps      = "gaps"
	failOnSurvivors = "survivors"
)

// testExtras are the measurements besides the tests.
type testExtras struct {
	coverage, mutants bool
	lcov              string
	failOn            string
}

// measured is -o json's output with measurements.
type measured struct {
	Tests    []testResult   `json:"tests"`
	Coverage []covered      `json:"coverage,omitempty"`
	Mutants  []mutantResult `json:"mutants,omitempty"`
}

// testOnce runs the tests and their measurements, and prints both.
func (a *app) testOnce(args []string, run testRun, extra testExtras, format string) (int, error) {
	var seen suites
	if extra.coverage || extra.mutants {
		run.kept = seen.add
	}
	m, err := measured{}, error(nil)
	if m.Tests, err = a.testAll(args, run); err != nil {
		return 0, err
	}
	if extra.coverage {
		m.Coverage = coverageOf(&seen)
	}
	if extra.lcov != "" {
		if err := writeLCOV(extra.lcov, m.Coverage); err != nil {
			return 0, err
		}
	}
	if extra.mutants {
		if m.Mutants, err = a.runMutants(&seen, run); err != nil {
			return 0, err
		}
	}
	code := exitOf(m.Tests)
	gaps := slices.ContainsFunc(m.Coverage, func(c covered) bool { return len(c.Gaps) > 0 })
	if code == exitOK && (extra.failOn == failOnGaps && gaps || extra.failOn == failOnSurvivors && len(survivors(m.Mutants)) > 0) {
		code = exitDenied
	}
	return code, a.printMeasured(m, extra, format)
}

// printMeasured prints tests and measurements. JUnit and SARIF have no place for measurements, so
// these go to standard error.
func (a *app) printMeasured(m measured, extra testExtras, format string) error {
	if format == "json" && (extra.coverage || extra.mutants) {
		return writeJSON(a.stdout, m)
	}
	if err := a.printTests(m.Tests, format); err != nil {
		return err
	}
	text := ""
	if extra.coverage {
		text += coverageText(m.Coverage)
	}
	if extra.mutants {
		text += mutantsText(m.Mutants)
	}
	if format == "junit" || format == "sarif" {
		_, err := fmt.Fprint(a.stderr, text)
		return err
	}
	return a.say(text)
}

// testAll finds the tests and runs them.
func (a *app) testAll(args []string, run testRun) ([]testResult, error) {
	var paths []string
	for _, arg := range args {
		found, err := findScenarios(arg, run.update)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		below := "no scenario to test below " + strings.Join(args, ", ")
		if run.update {
			return nil, &inputError{below, "A scenario is a folder with " + scenario.RequestFile + " and " + scenario.PoliciesFile + " or " + scenario.SettingsFile + ". Name an archive or a folder with other files itself."}
		}
		return nil, &inputError{below, "A test is a folder, or a .txtar file, with " + expect.FileName + " or " + expect.CasesFile + ". Write the first with preadmit test --update FOLDER."}
	}
	results := a.runTests(paths, run)
	if len(results) == 0 {
		return nil, badInput("none of the tests has a name that matches %s", run.only)
	}
	return results, nil
}

func exitOf(results []testResult) int {
	code := exitOK
	for _, r := range results {
		switch {
		case r.bug:
			return exitBug
		case r.Error != "":
			code = max(code, exitInput)
		case !r.Pass:
			code = max(code, exitDenied)
		}
	}
	return code
}

// findScenarios lists the scenarios below a path that have an expectation, and the tests
// of other tools. When expectations are to be written, a path that is a scenario itself needs none, nor does a
// folder below it that has a request and policies; what other tools expect is never written.
func findScenarios(root string, update bool) ([]string, error) {
	if root == "-" {
		return nil, badInput("test reads folders and files, not the standard input")
	}
	if _, err := os.Stat(root); err != nil {
		return nil, unreadable(err)
	}
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != root && versionOfMount(d) {
			return fs.SkipDir
		}
		if path == root && update && isScenario(path) {
			found = append(found, path)
			return nil
		}
		switch {
		case !update && foreigntests.Is(path):
			found = append(found, path)
		case d.IsDir():
			if hasFile(path, expect.FileName, expect.CasesFile) || update && hasFile(path, scenario.RequestFile) && hasFile(path, scenario.PoliciesFile, scenario.SettingsFile) {
				found = append(found, path)
			}
		case filepath.Ext(path) == ".txtar":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if testOf(data) {
				found = append(found, path)
			}
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	return slices.Compact(found), nil
}

// versionOfMount reports whether a folder holds the files of a mounted ConfigMap or Secret. Links
// next to it with the real names point into it, so visiting both would find everything twice.
func versionOfMount(d fs.DirEntry) bool { return d.IsDir() && strings.HasPrefix(d.Name(), "..") }

func hasFile(folder string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return isFile(filepath.Join(folder, name)) })
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func testArchive(path string) (bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return false, unreadable(err)
	}
	return testOf(data), nil
}

func testOf(archive []byte) bool {
	read := txtar.Parse(archive)
	return has(read, expect.FileName) || has(read, expect.CasesFile)
}

func has(archive *txtar.Archive, name string) bool {
	return slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// isScenario reports whether a folder has a scenario file. For an archive the name decides.
func isScenario(path string) bool {
	if !isDir(path) {
		return filepath.Ext(path) == ".txtar"
	}
	for _, name := range scenario.FileNames() {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return true
		}
	}
	return false
}

// runTests runs scenarios in parallel on all processors. Results are in path order.
func (a *app) runTests(paths []string, run testRun) []testResult {
	results := make([][]testResult, len(paths))
	inParallel(len(paths), func(i int) { results[i] = (&app{ctx: a.ctx}).runScenarioTests(paths[i], run) })
	return slices.Concat(results...)
}

// inParallel calls do for 0 to n-1, on all processors.
func inParallel(n int, do func(int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// runScenarioTests runs one scenario's request and cases.
func (a *app) runScenarioTests(path string, run testRun) []testResult {
	if foreigntests.Is(path) {
		return a.runForeignSuite(path, run)
	}
	t, err := a.loadTests(path, run)
	if err != nil {
		return []testResult{{Path: path, file: path, Error: err.Error()}}
	}
	var results []testResult
	if t.in.expected != nil || t.cases == nil && run.update {
		if r := (testResult{Path: path, Title: t.in.Title, file: t.file(expect.FileName), line: t.in.expectedLine}); run.selects(r) {
			results = append(results, a.runTest(r, t.in, run, expectation{
				read:   func() (*expect.Expected, error) { return expect.Parse(t.in.expected) },
				update: t.update,
			}))
		}
	}
	return append(results, a.runCases(t, run)...)
}

func (run testRun) selects(r testResult) bool {
	return run.only == nil || run.only.MatchString(r.name())
}

// expectation is a report's expected content. update makes it match, and reports whether it
// changed.
type expectation struct {
	read   func() (*expect.Expected, error)
	update func(*report.Report) (bool, error)
}

// runTest evaluates one request, and compares or updates.
func (a *app) runTest(result testResult, in *input, run testRun, e expectation) (done testResult) {
	defer func() {
		if reason := recover(); reason != nil {
			done = result
			done.bug, done.Pass = true, false
			done.Error = fmt.Sprintf("this is a bug in preadmit, please report it at %s with the scenario: %v\n%s", codes.ReportAddress, reason, debug.Stack())
		}
	}()
	if err := a.change(in, run.request); err != nil {
		result.Error = err.Error()
		return result
	}
	r, err := a.evaluate(in)
	if err != nil {
		result.Error, result.bug = err.Error(), true
		return result
	}
	result.answer = answerOf(r)
	if run.kept != nil {
		run.kept(result.Path, in, r)
	}
	if run.update {
		result.Updated, err = e.update(r)
	} else {
		result.Differences, result.NotRun, err = compare(e, r)
	}
	if err != nil {
		result.Error = err.Error()
	}
	result.Pass = err == nil && len(result.Differences) == 0
	return result
}

// compare returns the differences, and the policies that silently did not run.
func compare(e expectation, r *report.Report) ([]expect.Difference, []report.Unmatched, error) {
	expected, err := e.read()
	if err != nil {
		return nil, nil, err
	}
	differences, err := expect.Compare(expected, r)
	return differences, expected.Silent(r), err
}
