package command

import (
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/text"
)

type collected = collect.Collected

// print writes a report, and keeps the worst exit code.
func (a *app) print(r *report.Report) error {
	a.code = max(a.code, r.ExitCode())
	if a.output == "json" {
		return a.json(r)
	}
	return a.printer().Report(a.stdout, r)
}

func (a *app) json(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// printer returns a printer with colour and width only for a terminal.
func (a *app) printer() text.Printer {
	p := text.Printer{Width: text.DefaultWidth}
	if !term.IsTerminal(int(os.Stdout.Fd())) {
		return p
	}
	p.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
		p.Width, p.Wrap = width, true
	}
	return p
}
