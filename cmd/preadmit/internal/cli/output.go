package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/response"
	"github.com/preadmit/preadmit/engine/scenario"
)

// complain writes an input's problems to standard error.
func (a *app) complain(in *input, problems []diag.Diagnostic) error {
	p := a.printer(a.stderr)
	p.Sources = in.sources
	return p.Diagnostics(a.stderr, problems)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

func writeYAML(w io.Writer, v any) error {
	raw, err := scenario.YAML(v)
	if err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	if _, err := w.Write(raw); err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	return nil
}

func (a *app) printReview(r *report.Report) error {
	review, err := response.Review(r)
	if err != nil {
		return err
	}
	return writeJSON(a.stdout, review)
}
