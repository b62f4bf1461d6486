package language

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// restTime is how long a check waits for the next key.
const restTime = 40 * time.Millisecond

// analysis is what the engine says to a folder.
type analysis struct {
	key    [sha256.Size]byte // of the scenario
	report *report.Report    // has the answer to the request, if there is one
	// tried is done once the repairs have been tried, which takes longer and so waits for the
	// first request for code actions.
	tried sync.Once
}

// analyze returns what the engine says to a folder, once for the same texts. Where there is
// no request, it is what check says.
func (s *Server) analyze(ctx context.Context, dir string, f *folder) (*analysis, error) {
	settings, err := json.Marshal(f.Scenario)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(settings)
	s.mu.Lock()
	kept := s.analyses[dir]
	s.mu.Unlock()
	if kept != nil && kept.key == key {
		return kept, nil
	}
	r, err := s.evaluate(ctx, f.Scenario)
	if err != nil {
		return nil, err
	}
	out := &analysis{key: key, report: r}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.analyses[dir] = out
	return out, nil
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

// check checks a folder when nothing has changed for a moment. A check that has begun ends.
func (s *Server) check(ctx context.Context, dir string) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	if before := s.waiting[dir]; before != nil {
		before()
	}
	s.waiting[dir] = cancel
	s.mu.Unlock()
	go func() {
		defer cancel()
		select {
		case <-time.After(restTime):
		case <-ctx.Done():
			return
		}
		if err := s.publish(ctx, dir); err != nil && ctx.Err() == nil {
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
		if file := f.find(path); folderOf(path) == dir && file != nil && file.Content == d.text && s.shows(f, d) {
			open = append(open, d)
		}
	}
	s.mu.Unlock()
	if len(open) == 0 {
		return nil
	}
	a, err := s.analyze(ctx, dir, f)
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
