package language

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/joined"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// test is a request of a folder with what is expected of it: a case of cases.yaml, or request.yaml
// with expected.yaml.
type test struct {
	// Name is that of the case; empty for request.yaml.
	Name     string
	Request  string
	expected *expect.Expected
	line     int // of the case in its file, from 0
	err      error
}

// readTests reads the tests of a folder, and takes the request that is chosen among them. Without
// a choice that is request.yaml, or else the first case.
func (s *Server) readTests(f *folder) {
	if text, ok := s.content(filepath.Join(f.dir, scenario.ExpectedFile)); ok && f.Request != "" {
		t := test{Request: f.Request}
		t.expected, t.err = expect.Parse([]byte(text))
		f.tests, f.testTexts = append(f.tests, t), text
	}
	if text, ok := s.content(filepath.Join(f.dir, scenario.CasesFile)); ok {
		f.testTexts += text
		cases, err := expect.ParseCases([]byte(text))
		if err != nil {
			f.tests = append(f.tests, test{Name: scenario.CasesFile, err: err})
			return
		}
		for _, c := range cases.List {
			t := test{Name: c.Name, expected: c.Expected, line: c.Line - 1}
			t.Request, t.err = s.caseRequest(f, c)
			f.tests = append(f.tests, t)
		}
	}
}

func isTests(path string) bool {
	name := filepath.Base(path)
	return name == scenario.CasesFile || name == scenario.ExpectedFile
}

// testProblems are the tests of a file that cannot be read. What a test expects in vain is said above it.
func (f *folder) testProblems(d *document) (out []protocol.Diagnostic) {
	lines := strings.Split(d.text, "\n")
	for _, t := range f.tests {
		if t.err == nil || (t.Name == "") != (filepath.Base(d.path) == scenario.ExpectedFile) {
			continue
		}
		message, line := t.err.Error(), t.line
		if place, rest, ok := strings.Cut(strings.TrimPrefix(message, filepath.Base(d.path)+":"), ": "); ok {
			if n, err := strconv.Atoi(place); err == nil {
				message, line = rest, n-1
			}
		}
		line = max(min(line, len(lines)-1), 0)
		start := len(strings.Join(lines[:line], "\n"))
		if line > 0 {
			start++
		}
		indent := len(lines[line]) - len(strings.TrimLeft(lines[line], " -"))
		out = append(out, protocol.Diagnostic{Range: d.span(diag.Span{Start: start + indent, End: start + len(lines[line])}),
			Severity: protocol.DiagnosticSeverityError, Source: "preadmit", Message: message})
	}
	return out
}

func (s *Server) caseRequest(f *folder, c *expect.Case) (string, error) {
	base := f.Request
	if c.File != "" {
		text, ok := s.besideIn(f, c.File)
		if !ok {
			return "", fmt.Errorf("%s cannot be read", c.File)
		}
		base = text
	}
	return c.Request(base)
}

// besideIn is a file in a folder or below it.
func (s *Server) besideIn(f *folder, name string) (string, bool) {
	if !filepath.IsLocal(name) {
		return "", false
	}
	return s.content(filepath.Join(f.dir, name))
}

// choose takes the request that values and costs are for.
func (s *Server) choose(f *folder) {
	s.mu.Lock()
	name := s.chosen[f.dir]
	s.mu.Unlock()
	i := slices.IndexFunc(f.tests, func(t test) bool {
		return t.err == nil && t.Name != "" && (t.Name == name || name == "" && f.Request == "" && t.Request != "")
	})
	request := ""
	if i >= 0 {
		name, request = f.tests[i].Name, f.tests[i].Request
	} else if text, ok := s.besideIn(f, name); ok && name != "" {
		request = text
	}
	if request == "" {
		return // request.yaml stays
	}
	f.Files = slices.DeleteFunc(f.Files, func(file *joined.File) bool { return file.Text == diag.Request })
	f.Request, f.chosen = request, name
}

// outcome is what became of a test.
type outcome struct {
	test
	pass bool
	said string // why it fails
}

// maxTests is how many tests run while the author types.
const maxTests = 200

// outcomes runs the tests of a folder, once for the same texts.
func (s *Server) outcomes(ctx context.Context, f *folder, a *analysis) ([]outcome, error) {
	a.testing.Lock()
	defer a.testing.Unlock()
	if a.outcomes != nil {
		return a.outcomes, nil
	}
	out := []outcome{}
	for i, t := range f.tests {
		if i == maxTests {
			break
		}
		done := outcome{test: t}
		err := t.err
		if err == nil {
			done.pass, done.said, err = s.run(ctx, f, t)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			done.said = err.Error()
		}
		out = append(out, done)
	}
	a.outcomes = out
	return out, nil
}

// run compares what a test expects with what the engine says, as preadmit test does.
func (s *Server) run(ctx context.Context, f *folder, t test) (pass bool, said string, err error) {
	if t.expected == nil {
		return false, "", errors.New("the case does not say what is expected")
	}
	r, err := s.reportOf(ctx, f, t)
	if err != nil {
		return false, "", err
	}
	differences, err := expect.Compare(t.expected, r)
	if err != nil || len(differences) == 0 {
		return err == nil, "", err
	}
	d := differences[0]
	if d.Problem != "" {
		return false, d.Path + ": " + d.Problem, nil
	}
	return false, fmt.Sprintf("%s is %s, not %s", d.Path, expect.Shown(d.Got), expect.Shown(d.Want)), nil
}

func (s *Server) reportOf(ctx context.Context, f *folder, t test) (*report.Report, error) {
	sc := f.Scenario
	sc.Request = t.Request
	o := engine.Everything()
	o.Limits = s.limits
	return engine.Evaluate(ctx, sc, o)
}

// summary says how many tests pass; empty without tests.
func summary(list []outcome) string {
	passed := 0
	first := ""
	for _, o := range list {
		switch {
		case o.pass:
			passed++
		case first == "":
			first = o.name() + ": " + o.said
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case passed < len(list):
		return fmt.Sprintf("%d of %d tests pass; %s", passed, len(list), first)
	}
	return fmt.Sprintf("%d of %d tests pass", passed, len(list))
}

func (t test) name() string {
	if t.Name == "" {
		return scenario.RequestFile
	}
	return t.Name
}

// testLenses are those of a file with policies: how many tests pass, and commands.
func (s *Server) testLenses(ctx context.Context, at *place, a *analysis) ([]protocol.CodeLens, error) {
	list, err := s.outcomes(ctx, at.folder, a)
	if err != nil {
		return nil, err
	}
	var out []protocol.CodeLens
	add := func(title, command string) {
		out = append(out, protocol.CodeLens{Command: &protocol.Command{Title: title, Command: command, Arguments: []any{at.uri}}})
	}
	if at.chosen != "" {
		add("request: "+at.chosen, evaluateCommand)
	} else {
		add("run", evaluateCommand)
	}
	if said := summary(list); said != "" {
		add(shortened(said, maxValue), testCommand)
	}
	return out, nil
}

// caseLenses say of each case of cases.yaml whether it passes, and choose it.
func (s *Server) caseLenses(ctx context.Context, d *document) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	f := s.load(folderOf(d.path))
	a, err := s.analyze(ctx, f)
	if err != nil {
		return nil, err
	}
	list, err := s.outcomes(ctx, f, a)
	if err != nil {
		return nil, err
	}
	for _, o := range list {
		if o.Name == "" {
			continue
		}
		title := "passes"
		if !o.pass {
			title = shortened("fails: "+o.said, maxValue)
		}
		place := protocol.Position{Line: uint32(max(0, o.line))}
		at := protocol.Range{Start: place, End: place}
		out = append(out,
			protocol.CodeLens{Range: at, Command: &protocol.Command{Title: title, Command: testCommand, Arguments: []any{d.uri}}},
			protocol.CodeLens{Range: at, Command: &protocol.Command{Title: "show its values", Command: chooseCommand, Arguments: []any{d.uri, o.Name}}})
	}
	return out, nil
}
