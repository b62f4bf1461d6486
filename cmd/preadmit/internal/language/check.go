package language

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/a-h/templ/lsp/jsonrpc2"
	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// analysis is what the engine says to a folder.
type analysis struct {
	key      [sha256.Size]byte // of the scenario and its tests
	revision uint64            // of the documents
	stop     context.CancelFunc
	done     chan struct{} // closed when report or err is there
	report   *report.Report
	err      error
	// tried is done once the repairs have been tried, which takes longer and so waits for the
	// first request for code actions.
	tried sync.Once
	// outcomes are those of the tests, once they have been run.
	testing  sync.Mutex
	outcomes []outcome
}

// errReplaced is the error of an analysis of documents that have changed since.
var errReplaced = jsonrpc2.NewError(protocol.CodeContentModified, "the documents have changed")

// analyze returns what the engine says to a folder, once for the same texts, however many questions
// wait for it. Where there is no request, it is what check says. An analysis of older texts ends.
func (s *Server) analyze(ctx context.Context, f *folder) (*analysis, error) {
	settings, err := json.Marshal(struct {
		Scenario scenario.Scenario
		Tests    []test
		Texts    string
	}{f.Scenario, f.tests, f.testTexts})
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(settings)
	s.mu.Lock()
	a := s.analyses[f.dir]
	switch {
	case a != nil && a.key == key:
	case a != nil && a.revision > f.revision:
		s.mu.Unlock()
		return nil, errReplaced
	default:
		if a != nil {
			a.stop()
		}
		a = s.begin(context.WithoutCancel(ctx), f, key)
		s.analyses[f.dir] = a
	}
	s.mu.Unlock()
	select {
	case <-a.done:
		return a, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin starts an analysis, which ends with the server or when another one takes its place.
func (s *Server) begin(ctx context.Context, f *folder, key [sha256.Size]byte) *analysis {
	ctx, stop := context.WithCancel(ctx)
	a := &analysis{key: key, revision: f.revision, stop: stop, done: make(chan struct{})}
	go func() {
		defer stop()
		defer close(a.done)
		if a.report, a.err = s.evaluate(ctx, f.Scenario); ctx.Err() != nil {
			a.err = errReplaced
		}
	}()
	return a
}

// options are for evaluations while somebody types. Repairs are only tried for code actions.
func (s *Server) options() engine.Options {
	o := engine.Everything()
	o.TryRepairs, o.Limits = false, s.limits
	return o
}

func (s *Server) evaluate(ctx context.Context, sc scenario.Scenario) (*report.Report, error) {
	if sc.Request != "" || sc.Expression != "" {
		return engine.Evaluate(ctx, sc, s.options())
	}
	c, err := checks.Of(ctx, sc, checks.Options{Foresee: true, Limits: s.limits})
	if err != nil {
		return nil, err
	}
	return &report.Report{Kubernetes: c.Kubernetes, Diagnostics: c.Diagnostics, Install: c.Install}, nil
}

// withTried drops the repairs that only replace one problem with another.
func (s *Server) withTried(ctx context.Context, f *folder, a *analysis) (err error) {
	a.tried.Do(func() { err = engine.TryRepairs(ctx, f.Scenario, a.report, s.options()) })
	return err
}

// check checks a folder. A check of older texts ends.
func (s *Server) check(ctx context.Context, dir string) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	if before := s.checking[dir]; before != nil {
		before()
	}
	s.checking[dir] = cancel
	s.mu.Unlock()
	go func() {
		defer cancel()
		err := s.publish(ctx, dir)
		for errors.Is(err, errReplaced) && ctx.Err() == nil { // by that of a file on disk
			err = s.publish(ctx, dir)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("the check failed", "folder", dir, "error", err)
		}
	}()
}

// checkAll checks all folders with open documents.
func (s *Server) checkAll(ctx context.Context) {
	s.mu.Lock()
	var folders []string
	for path := range s.open {
		if dir := folderOf(path); !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	s.mu.Unlock()
	for _, dir := range folders {
		s.check(ctx, dir)
	}
}

// publish tells the editor the problems of the open documents of a folder.
func (s *Server) publish(ctx context.Context, dir string) error {
	f := s.load(dir)
	var open []*document
	s.mu.Lock()
	for path, d := range s.open {
		file := f.find(path)
		if folderOf(path) == dir && (file != nil && file.Content == d.text && s.shows(f, d) || isTests(path) && concerns(f.Policies)) {
			open = append(open, d)
		}
	}
	s.mu.Unlock()
	if len(open) == 0 {
		return nil
	}
	a, err := s.analyze(ctx, f)
	if err != nil {
		return err
	}
	for _, d := range open {
		if ctx.Err() != nil {
			return ctx.Err() // something newer is checked
		}
		list := s.problems(f, a, d)
		if err := s.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: d.uri, Version: d.version, Diagnostics: list}); err != nil {
			return err
		}
	}
	return nil
}

// shows reports whether problems of a document are shown: it is a file of a scenario, or has
// documents that this server is for. Other manifests of the folder only take part.
func (s *Server) shows(f *folder, d *document) bool {
	name := filepath.Base(d.path)
	_, known := roles[name]
	known = known || name == scenario.SettingsFile
	return concerns(d.text) || known && concerns(f.Policies)
}

// problems are those of a document.
func (s *Server) problems(f *folder, a *analysis, d *document) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	switches := checks.Switches{Read: func(path string) (string, bool, error) {
		text, ok := s.content(path)
		return text, ok, nil
	}}
	shown, err := switches.Without(a.report.Diagnostics, func(*diag.Diagnostic) string { return d.path })
	if err != nil {
		s.log.Warn("the switches are ignored", "error", err)
	}
	for _, problem := range shown {
		if file := f.At(problem.Text, problem.Span); file != nil && file.Path == d.path {
			out = append(out, s.problem(f, d, file.Start, problem))
		}
	}
	if isTests(d.path) {
		out = append(out, f.testProblems(d)...)
	}
	for _, problem := range f.settings {
		if filepath.Base(d.path) == scenario.SettingsFile {
			out = append(out, s.problem(f, d, 0, problem))
		}
	}
	return out
}

// severities are the protocol's.
var severities = map[diag.Severity]protocol.DiagnosticSeverity{
	diag.Error: protocol.DiagnosticSeverityError, diag.Warning: protocol.DiagnosticSeverityWarning, diag.Info: protocol.DiagnosticSeverityInformation,
}

// problem is a diagnostic in a document, whose text begins at start.
func (s *Server) problem(f *folder, d *document, start int, p diag.Diagnostic) protocol.Diagnostic {
	out := protocol.Diagnostic{
		Range: d.span(diag.Span{Start: p.Span.Start - start, End: p.Span.End - start}), Severity: severities[p.Severity],
		Code: p.Code, Source: "preadmit", Message: p.Summary,
	}
	if p.Detail != "" {
		out.Message += "\n" + p.Detail
	}
	for _, r := range p.Related {
		file := f.At(r.Text, r.Span)
		if file == nil {
			continue
		}
		places := newLines(file.Content, d.utf8)
		out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: s.address(file.Path), Range: places.span(diag.Span{Start: r.Span.Start - file.Start, End: r.Span.End - file.Start})},
			Message:  r.Summary,
		})
	}
	return out
}
