package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// testResult is the result of one scenario.
type testResult struct {
	Path  string `json:"path"`
	Title string `json:"title,omitempty"`
	Pass  bool   `json:"pass"`
	// Differences are where the report is not as expected.
	Differences []expect.Difference `json:"differences,omitempty"`
	// Error says why the scenario could not be run.
	Error string `json:"error,omitempty"`
	// NotRun are the policies and webhooks that did not run although the test passes,
	// because others did and the expectation does not name these.
	NotRun []report.Unmatched `json:"notRun,omitempty"`
	// Updated says that expected.yaml was written.
	Updated bool `json:"updated,omitempty"`

	// bug says that Error is ours.
	bug bool
	// file is where the expectation is, and line how many lines of it come
	// before.
	file string
	line int
}

// test runs scenarios against their expected.yaml.
func (a *app) test(args []string) (int, error) {
	f := newFlags("test")
	settings := f.settings(false)
	format := f.oneOf("o", "text", "json", "junit")
	update := f.Bool("update", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	var paths []string
	for _, arg := range args {
		found, err := findScenarios(arg, *update)
		if err != nil {
			return 0, err
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return 0, &inputError{"no scenario to test below " + fmt.Sprint(args), "A test is a folder, or a .txtar file, with " + expect.FileName + ". Write the first with preadmit test -update FOLDER."}
	}
	results := a.runTests(paths, settings, *update)
	code := exitOK
	for _, r := range results {
		switch {
		case r.bug:
			code = exitBug
		case r.Error != "":
			code = max(code, exitInput)
		case !r.Pass:
			code = max(code, exitDenied)
		}
	}
	return code, a.printTests(results, *format)
}

// findScenarios lists the scenarios below a path that have an expectation. A
// path that is a scenario itself needs none when it is to be written.
func findScenarios(root string, update bool) ([]string, error) {
	if _, err := os.Stat(root); err != nil {
		return nil, unreadable(err)
	}
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == root && update && isScenario(path) {
			found = append(found, path)
			return nil
		}
		switch {
		case d.IsDir():
			if _, err := os.Stat(filepath.Join(path, expect.FileName)); err == nil {
				found = append(found, path)
			}
		case filepath.Ext(path) == ".txtar":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if has(txtar.Parse(data), expect.FileName) {
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

func has(archive *txtar.Archive, name string) bool {
	return slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// isScenario says that a folder has a file of a scenario; of an archive the
// name decides.
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

// runTests runs as many scenarios at a time as there are processors. Results
// are in the order of paths.
func (a *app) runTests(paths []string, settings *settings, update bool) []testResult {
	results := make([]testResult, len(paths))
	var group sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		group.Go(func() {
			for i := range next {
				results[i] = (&app{ctx: a.ctx}).runTest(paths[i], settings, update)
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	group.Wait()
	return results
}

func (a *app) runTest(path string, settings *settings, update bool) (result testResult) {
	result = testResult{Path: path, file: path}
	defer func() {
		if reason := recover(); reason != nil {
			result.bug, result.Pass = true, false
			result.Error = fmt.Sprintf("this is a bug in preadmit, please report it with the scenario: %v\n%s", reason, debug.Stack())
		}
	}()
	if isDir(path) {
		result.file = filepath.Join(path, expect.FileName)
	}
	in, err := a.load(path, scenario.Given{})
	if err != nil {
		result.Error = err.Error()
		return result
	}
	settings.apply(&in.Scenario)
	result.Title, result.line = in.Title, in.expectedLine
	r, err := a.evaluate(in)
	if err != nil {
		result.Error, result.bug = err.Error(), true
		return result
	}
	if update {
		result.Updated, err = updateTest(path, in, r)
	} else {
		result.Differences, result.NotRun, err = compare(in, r)
	}
	if err != nil {
		result.Error = err.Error()
	}
	result.Pass = err == nil && len(result.Differences) == 0
	return result
}

// compare yields the differences, and the policies that did not run in silence.
func compare(in *input, r *report.Report) ([]expect.Difference, []report.Unmatched, error) {
	expected, err := expect.Parse(in.expected)
	if err != nil {
		return nil, nil, err
	}
	differences, err := expect.Compare(expected, r)
	return differences, expected.Silent(r), err
}

// updateTest brings the expectation of a scenario up to date. It reports whether
// anything changed.
func updateTest(path string, in *input, r *report.Report) (bool, error) {
	fresh, err := expect.Update(in.expected, r)
	if err != nil || bytes.Equal(fresh, in.expected) {
		return false, err
	}
	if isDir(path) {
		return true, os.WriteFile(filepath.Join(path, expect.FileName), fresh, 0o666)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	archive := txtar.Parse(data)
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == expect.FileName })
	if i < 0 {
		i = len(archive.Files)
		archive.Files = append(archive.Files, txtar.File{Name: expect.FileName})
	}
	archive.Files[i].Data = fresh
	return true, os.WriteFile(path, txtar.Format(archive), 0o666)
}
