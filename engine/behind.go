package engine

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/policy/repair"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxBehind is how many problems behind one that cannot be read are shown.
const maxBehind = 20

// behindSyntax finds what the server would say of a policy that is no YAML once it is
// repaired as its first fix does it: the errors of one text are told together. The
// places are those of the text as it is.
func (p *compiler) behindSyntax(others install.Server) {
	i := slices.IndexFunc(p.report.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == codes.YAMLSyntax && d.Text == diag.Policies && len(d.Fixes) > 0 && !d.Fixes[0].Draft && len(d.Fixes[0].Edits) == 1
	})
	if i < 0 {
		return
	}
	edit := p.report.Diagnostics[i].Fixes[0].Edits[0]
	text, err := p.report.Diagnostics[i].Fixes[0].Apply(diag.Policies, p.scenario.Policies)
	if err != nil {
		return
	}
	documents, _ := p.engine.texts.Within(p.budget).Documents(diag.Policies, text)
	at := slices.IndexFunc(documents, func(d *scenario.Document) bool {
		return d.Span.Start <= edit.Span.Start && edit.Span.Start <= d.Span.End
	})
	if at < 0 {
		return
	}
	mended := documents[at]
	environments := p.engine.environments
	installed, err := install.Install(documents, environments.Within(p.budget), p.version, others)
	if err != nil {
		return
	}
	found := slices.DeleteFunc(installed.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Text != diag.Policies || d.Span.Start < mended.Span.Start || d.Span.End > mended.Span.End || d.Code == codes.ClusterDocument
	})
	repairer := repair.Repairer{Environments: p.environments.Within(p.budget), Catalog: p.catalog}
	repairer.Add(found, documents, text)
	if typing, err := typecheck.Check([]*scenario.Document{mended}, map[diag.Text]string{diag.Policies: text}, p.checker.Within(p.budget), p.catalog); err == nil {
		found = append(found, typing...)
	}
	found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Info })
	for _, d := range found[:min(len(found), maxBehind)] {
		p.diagnose([]diag.Diagnostic{unedited(edit, d)})
	}
}

// unedited is a problem of a text that an edit has made, at its places before the edit.
// Repairs that change what the edit has written are left out.
func unedited(edit diag.Edit, d diag.Diagnostic) diag.Diagnostic {
	end := edit.Span.Start + len(edit.New)
	place := func(at int) int {
		switch {
		case at <= edit.Span.Start:
			return at
		case at >= end:
			return at - end + edit.Span.End
		}
		return edit.Span.End
	}
	span := func(s diag.Span) diag.Span { return diag.Span{Start: place(s.Start), End: place(s.End)} }
	d.Span, d.Next = span(d.Span), d.Severity == diag.Error
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		if d.Related[i].Text == edit.Text {
			d.Related[i].Span = span(d.Related[i].Span)
		}
	}
	var fixes []diag.Fix
	for _, f := range d.Fixes {
		f.Edits = slices.Clone(f.Edits)
		own := false
		for i, e := range f.Edits {
			if e.Text != edit.Text {
				continue
			}
			own = own || e.Span.Start < end && edit.Span.Start < e.Span.End || e.Span.Start == edit.Span.Start
			f.Edits[i].Span = span(e.Span)
		}
		if !own {
			fixes = append(fixes, f)
		}
	}
	d.Fixes = fixes
	return d
}
