package language

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-h/templ/lsp/jsonrpc2"
	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// The commands. The first argument of each is the address of a file of the folder.
const (
	evaluateCommand = "preadmit.server.evaluate"      // returns the report as text
	pathCommand     = "preadmit.server.showPath"      // the same with the values of all parts
	testCommand     = "preadmit.server.test"          // returns a line for each test
	chooseCommand   = "preadmit.server.chooseRequest" // a case or a file whose request values are for; request.yaml without one
	linkCommand     = "preadmit.server.link"          // returns the fragment of the link that opens the scenario in the playground
	addTestCommand  = "preadmit.server.addTest"       // adds the request and its verdict to cases.yaml
)

// command runs one in a folder.
type command func(s *Server, ctx context.Context, f *folder, arguments []string) (string, error)

var commands = map[string]command{
	evaluateCommand: func(s *Server, ctx context.Context, f *folder, _ []string) (string, error) {
		return s.printed(ctx, f, false)
	},
	pathCommand: func(s *Server, ctx context.Context, f *folder, _ []string) (string, error) {
		return s.printed(ctx, f, true)
	},
	testCommand:   (*Server).test,
	chooseCommand: (*Server).chooseRequest,
	linkCommand: func(_ *Server, _ context.Context, f *folder, _ []string) (string, error) {
		return scenario.EncodeLink(f.Scenario)
	},
	addTestCommand: (*Server).addTest,
}

// commandParams are those of workspace/executeCommand.
type commandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// execute runs a command, and returns what it says. Editors that show no results of commands get the
// first line as a message.
func (s *Server) execute(ctx context.Context, p *commandParams) (any, error) {
	run := commands[p.Command]
	var arguments []string
	for _, raw := range p.Arguments {
		var argument string
		if err := json.Unmarshal(raw, &argument); err != nil {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the arguments of a command are texts")
		}
		arguments = append(arguments, argument)
	}
	if run == nil || len(arguments) == 0 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf("%q is no command, or it has no file as its first argument", p.Command))
	}
	said, err := run(s, ctx, s.load(folderOf(pathOf(protocol.DocumentURI(arguments[0])))), arguments[1:])
	if err != nil {
		return nil, err
	}
	if p.Command != linkCommand {
		first, _, _ := strings.Cut(said, "\n")
		message := protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: first}
		if err := s.conn.Notify(ctx, protocol.MethodWindowShowMessage, &message); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// printed is the report as the command line prints it.
func (s *Server) printed(ctx context.Context, f *folder, explain bool) (string, error) {
	a, err := s.analyze(ctx, f)
	if err != nil {
		return "", err
	}
	if err := s.withTried(ctx, f, a); err != nil {
		return "", err
	}
	p := text.Printer{Width: text.DefaultWidth, Explain: explain, Sources: text.Sources{}}
	for _, file := range f.Files {
		source := p.Sources[file.Text]
		if source == nil {
			source = &text.Source{}
			p.Sources[file.Text] = source
		}
		source.Add(filepath.Base(file.Path), file.Content, 1)
	}
	var b strings.Builder
	if f.Request == "" && f.Expression == "" {
		err = p.Diagnostics(&b, a.report.Diagnostics)
		return b.String(), err
	}
	err = p.Report(&b, a.report)
	return b.String(), err
}

// test says what became of each test.
func (s *Server) test(ctx context.Context, f *folder, _ []string) (string, error) {
	a, err := s.analyze(ctx, f)
	if err != nil {
		return "", err
	}
	list, err := s.outcomes(ctx, f, a)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "no tests: the folder has neither " + scenario.CasesFile + " nor " + scenario.ExpectedFile, nil
	}
	var b strings.Builder
	fmt.Fprintln(&b, summary(list))
	for _, o := range list {
		if o.pass {
			fmt.Fprintf(&b, "ok    %s\n", o.name())
		} else {
			fmt.Fprintf(&b, "FAIL  %s: %s\n", o.name(), o.said)
		}
	}
	return b.String(), nil
}

// chooseRequest makes the request of a case, or that of a file, the one that values are for.
func (s *Server) chooseRequest(ctx context.Context, f *folder, arguments []string) (string, error) {
	name := ""
	if len(arguments) > 0 {
		name = arguments[0]
	}
	known := name == ""
	for _, t := range f.tests {
		known = known || t.Name == name && t.err == nil
	}
	if _, ok := s.besideIn(f, name); !known && !ok {
		return "", fmt.Errorf("neither %s nor the folder has a request %q", scenario.CasesFile, name)
	}
	s.mu.Lock()
	s.chosen[f.dir] = name
	s.mu.Unlock()
	s.check(context.WithoutCancel(ctx), f.dir)
	for _, method := range s.client.refreshes {
		go func() { // the answer has no content
			if err := protocol.Call(context.WithoutCancel(ctx), s.conn, method, nil, nil); err != nil {
				s.log.Error("the editor did not ask again", "method", method, "error", err)
			}
		}()
	}
	if name == "" {
		name = scenario.RequestFile
	}
	return "values and costs are those for " + name, nil
}

// addTest writes the request and its verdict down as a case.
func (s *Server) addTest(ctx context.Context, f *folder, _ []string) (string, error) {
	if f.Request == "" {
		return "", fmt.Errorf("there is no %s", scenario.RequestFile)
	}
	a, err := s.analyze(ctx, f)
	if err != nil {
		return "", err
	}
	expected, err := expect.Verdict(a.report).YAML()
	if err != nil {
		return "", err
	}
	docs, problems := scenario.ParseDocuments(diag.Request, f.Request)
	if len(docs) != 1 || diag.HasErrors(problems) {
		return "", fmt.Errorf("%s is no single request that can be read", scenario.RequestFile)
	}
	request, err := scenario.YAML(docs[0].Value)
	if err != nil {
		return "", err
	}
	name := s.unusedName(f, a.report)
	item := fmt.Sprintf("- name: %s\n  request:\n%s  expected:\n%s", name, deeper(string(request)), deeper(string(expected)))
	path := filepath.Join(f.dir, scenario.CasesFile)
	before, there := s.content(path)
	if there && before != "" && !strings.HasSuffix(before, "\n") {
		item = "\n" + item
	}
	edit := protocol.TextEdit{NewText: item}
	edit.Range.Start = newLines(before, s.client.utf8).at(len(before))
	edit.Range.End = edit.Range.Start
	return "Added " + name + " to " + scenario.CasesFile, s.apply(ctx, path, edit, !there)
}

// unusedName names a case by its request and verdict.
func (s *Server) unusedName(f *folder, r *report.Report) string {
	name := "request-" + string(r.Outcome.State)
	if r.Request != nil && r.Request.Name != "" {
		name = r.Request.Name + "-" + string(r.Outcome.State)
	}
	free := name
	for n := 2; f.hasTest(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

func (f *folder) hasTest(name string) bool {
	return slices.ContainsFunc(f.tests, func(t test) bool { return t.Name == name })
}

// deeper indents the lines of a field's value.
func deeper(block string) string {
	var b strings.Builder
	for line := range strings.Lines(block) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// apply asks the editor to change a file, which it makes first where there is none.
func (s *Server) apply(ctx context.Context, path string, edit protocol.TextEdit, create bool) error {
	address := s.address(path)
	changes := []any{}
	if create {
		changes = append(changes, map[string]any{"kind": "create", "uri": address})
	}
	changes = append(changes, map[string]any{"textDocument": map[string]any{"uri": address, "version": nil}, "edits": []protocol.TextEdit{edit}})
	var done struct {
		Applied       bool   `json:"applied"`
		FailureReason string `json:"failureReason"`
	}
	params := map[string]any{"label": "Add as test", "edit": map[string]any{"documentChanges": changes}}
	if err := protocol.Call(ctx, s.conn, protocol.MethodWorkspaceApplyEdit, params, &done); err != nil {
		return fmt.Errorf("the editor did not change %s: %w", filepath.Base(path), err)
	}
	if !done.Applied {
		return fmt.Errorf("the editor did not change %s: %s", filepath.Base(path), done.FailureReason)
	}
	return nil
}
