package failures

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/scenario"
)

// texts finds expressions in the texts of a scenario.
type texts struct {
	plain map[diag.Text]string
	// parsed are the documents of a text. Its problems are in the report already.
	parsed func(diag.Text) []*scenario.Document
}

// source finds the expression at a path, in the document that span lies in.
func (t *texts) source(text diag.Text, path string, span diag.Span) *rewrite.Source {
	plain, ok := t.plain[text]
	if !ok {
		return nil
	}
	if text == diag.Expression && path == "" {
		return rewrite.Free(text, plain)
	}
	for _, d := range t.parsed(text) {
		if span.Start < d.Span.Start || span.Start > d.Span.End {
			continue
		}
		if s := rewrite.In(d, plain, path); s != nil {
			return s
		}
	}
	return nil
}
