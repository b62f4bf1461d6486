package language

import (
	"context"
	"path/filepath"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// completeTest completes cases.yaml and expected.yaml: the values are those of the report that the
// test has now. While a file cannot be read, they are those of the chosen request.
func (s *Server) completeTest(ctx context.Context, d *document, position protocol.Position) (any, error) {
	f := s.load(folderOf(d.path))
	if !concerns(f.Policies) {
		return &protocol.CompletionList{Items: []protocol.CompletionItem{}}, nil
	}
	c, err := completer(f.Kubernetes)
	if err != nil {
		return nil, err
	}
	file := filepath.Base(d.path)
	var tests []test
	for _, t := range f.tests {
		if (t.Name == "") == (file == scenario.ExpectedFile) {
			tests = append(tests, t)
		}
	}
	found, err := c.Tests(f.Scenario, file, d.text, d.offset(position), func(index int) (*report.Report, error) {
		if index < len(tests) && tests[index].Request != "" {
			return s.reportOf(ctx, f, tests[index])
		}
		a, err := s.analyze(ctx, f)
		if err != nil {
			return nil, err
		}
		return a.report, nil
	})
	if err != nil {
		return nil, err
	}
	return s.list(found, d.span(diag.Span{Start: found.From, End: found.To})), nil
}
