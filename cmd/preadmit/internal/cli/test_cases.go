package cli

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// tests are one scenario's tests: its request, if it has an expectation, and its cases.
type tests struct {
	path  string
	in    *input
	cases *expect.Cases // nil if there are none
	// before is the number of archive lines before the cases.
	before int
}

// loadTests reads a scenario with its cases.
func (a *app) loadTests(path string, run testRun) (*tests, error) {
	in, err := a.load(path, scenario.Given{})
	if err != nil {
		return nil, err
	}
	if run.referenced != nil {
		run.referenced.add(in.referenced...)
	}
	run.settings.apply(&in.Scenario)
	if run.policies != nil {
		in.Policies = run.policies(in.Policies)
	}
	t := &tests{path: path, in: in}
	raw, err := t.readCases()
	if err != nil || raw == nil {
		return t, err
	}
	t.cases, err = expect.ParseCases(raw)
	return t, err
}

// readCases returns the cases' text, or nil.
func (t *tests) readCases() ([]byte, error) {
	if isDir(t.path) {
		file := filepath.Join(t.path, expect.CasesFile)
		if !isFile(file) {
			return nil, nil
		}
		if err := within(t.path, file); err != nil {
			return nil, err
		}
		return os.ReadFile(file)
	}
	raw, err := os.ReadFile(t.path)
	if err != nil {
		return nil, err
	}
	for _, f := range txtar.Parse(raw).Files {
		if f.Name == expect.CasesFile {
			head := []byte("-- " + expect.CasesFile + " --\n")
			t.before = bytes.Count(raw[:bytes.Index(raw, head)+len(head)], []byte("\n"))
			return f.Data, nil
		}
	}
	return nil, nil
}

// file returns the path of a scenario's file; an archive is one file.
func (t *tests) file(name string) string {
	if isDir(t.path) {
		return filepath.Join(t.path, name)
	}
	return t.path
}

// write writes a scenario's file into its folder or archive.
func (t *tests) write(name string, content []byte) error {
	if isDir(t.path) {
		return replaceFile(filepath.Join(t.path, name), content)
	}
	data, err := os.ReadFile(t.path)
	if err != nil {
		return err
	}
	archive := txtar.Parse(data)
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		i = len(archive.Files)
		archive.Files = append(archive.Files, txtar.File{Name: name})
	}
	archive.Files[i].Data = content
	return replaceFile(t.path, txtar.Format(archive))
}

// update updates expected.yaml.
func (t *tests) update(r *report.Report) (bool, error) {
	fresh, err := expect.Update(t.in.expected, r)
	if err != nil || bytes.Equal(fresh, t.in.expected) {
		return false, err
	}
	return true, t.write(expect.FileName, fresh)
}

// runCases runs the table's cases and, when updating, writes the table.
func (a *app) runCases(t *tests, run testRun) []testResult {
	if t.cases == nil {
		return nil
	}
	var results []testResult
	changed := false
	for _, c := range t.cases.List {
		result := testResult{Path: t.path, Case: c.Name, Title: t.in.Title, file: t.file(expect.CasesFile), line: t.before}
		if !run.selects(result) {
			continue
		}
		in, err := a.caseInput(t, c)
		if err != nil {
			result.Error = err.Error()
			results = append(results, result)
			continue
		}
		result = a.runTest(result, in, run, expectation{update: c.Update, read: func() (*expect.Expected, error) {
			if c.Expected == nil {
				return nil, errors.New("the case has no expected result; preadmit test --update writes it")
			}
			return c.Expected, nil
		}})
		changed = changed || result.Updated
		results = append(results, result)
	}
	if !changed {
		return results
	}
	fresh, err := t.cases.YAML()
	if err == nil {
		err = t.write(expect.CasesFile, fresh)
	}
	if err != nil {
		results = append(results, testResult{Path: t.path, file: t.file(expect.CasesFile), Error: err.Error()})
	}
	return results
}

// caseInput returns the scenario with a case's request. Places in it count in the request's own
// text.
func (a *app) caseInput(t *tests, c *expect.Case) (*input, error) {
	base := t.in.Request
	if c.File != "" {
		if !isDir(t.path) || !filepath.IsLocal(c.File) {
			return nil, badInput("%s:%d: file must name a file in the folder of the scenario", t.file(expect.CasesFile), c.Line+t.before)
		}
		if err := within(t.path, filepath.Join(t.path, c.File)); err != nil {
			return nil, err
		}
		raw, err := a.read(filepath.Join(t.path, c.File))
		if err != nil {
			return nil, err
		}
		base = string(raw)
	}
	request, err := c.Request(base)
	if err != nil {
		return nil, err
	}
	in := *t.in
	in.Request, in.sources = request, maps.Clone(t.in.sources)
	in.sources[diag.Request] = &text.Source{}
	in.sources[diag.Request].Add(t.file(expect.CasesFile)+" ("+c.Name+")", request, 1)
	return &in, nil
}
