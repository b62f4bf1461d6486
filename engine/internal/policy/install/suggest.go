package install

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// suggestName adds the candidate that looks most like what was written, if one
// does.
func suggestName(p *diag.Diagnostic, text diag.Text, span diag.Span, candidates []string, got string) {
	if best, ok := suggest.Of(candidates, got); ok {
		p.Detail = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", best, p.Detail))
		replace(p, text, span, best)
	}
}

// replace offers to write another text.
func replace(p *diag.Diagnostic, text diag.Text, span diag.Span, with string) {
	p.Fixes = append(p.Fixes, diag.Fix{
		Title: fmt.Sprintf("Change to %s", with),
		Edits: []diag.Edit{{Text: text, Span: span, New: with}},
	})
}
