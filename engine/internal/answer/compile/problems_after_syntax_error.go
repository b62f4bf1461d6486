package compile

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/repair/trial"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxBehind is how many problems behind one that cannot be read are shown.
const maxBehind = 20

// behindSyntax finds what the server would say of policies that are no YAML once they are
// repaired, each as its first fix does it: the errors of one text are shown together. The
// places are those of the text as it is.
func (p *compiler) behindSyntax(others install.Server) {
	edits := p.mends()
	if len(edits) == 0 {
		return
	}
	text, err := diag.Fix{Edits: edits}.Apply(diag.Policies, p.scenario.Policies)
	if err != nil {
		return
	}
	documents, _ := p.store.Texts.Within(p.budget).Documents(diag.Policies, text)
	mended := slices.DeleteFunc(slices.Clone(documents), func(d *scenario.Document) bool { return !edits.within(d.Span) })
	if len(mended) == 0 {
		return
	}
	installed, err := install.Install(documents, p.store.Environments.Within(p.budget), p.Version, others)
	if err != nil {
		return
	}
	found := slices.DeleteFunc(installed.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Text != diag.Policies || d.Code == codes.ClusterDocument || !slices.ContainsFunc(mended, func(m *scenario.Document) bool {
			return m.Span.Start <= d.Span.Start && d.Span.End <= m.Span.End
		})
	})
	repairer := expressions.Repairer{Environments: p.Environments.Within(p.budget), Catalog: p.Catalog}
	repairer.Add(found, documents, text)
	if typing, err := typecheck.Check(mended, map[diag.Text]string{diag.Policies: text}, p.Checker.Within(p.budget), p.Catalog); err == nil {
		found = append(found, typing...)
	}
	found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Info })
	for _, d := range found[:min(len(found), maxBehind)] {
		p.diagnose([]diag.Diagnostic{edits.undone(d)})
	}
}

// mends are the edits of the first fixes of all documents of the policies that are no YAML,
// in the order of their places; a fix that overlaps with one before it is left out.
func (p *compiler) mends() textEdits {
	var edits textEdits
	for _, d := range p.Report.Diagnostics {
		if d.Code != codes.YAMLSyntax || d.Text != diag.Policies || len(d.Fixes) == 0 || d.Fixes[0].Draft {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(d.Fixes[0].Edits), func(e diag.Edit) bool { return e.Text != diag.Policies })
		if slices.ContainsFunc(own, func(e diag.Edit) bool {
			return slices.ContainsFunc(edits, func(other diag.Edit) bool { return e.Span.Start <= other.Span.End && other.Span.Start <= e.Span.End })
		}) {
			continue
		}
		edits = append(edits, own...)
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
	return edits
}

// textEdits are edits of one text in the order of their places, none of which overlap.
type textEdits []diag.Edit

// within reports whether a span of the text after the edits has one of them in it.
func (edits textEdits) within(span diag.Span) bool {
	return slices.ContainsFunc(trial.Written(edits), func(w diag.Span) bool { return span.Start <= w.Start && w.Start <= span.End })
}

// place is an offset of the text after the edits in the text before them.
func (edits textEdits) place(at int) int {
	longer := 0
	for i, w := range trial.Written(edits) {
		if at <= w.Start {
			break
		}
		if at < w.End {
			return edits[i].Span.End
		}
		longer += len(edits[i].New) - (edits[i].Span.End - edits[i].Span.Start)
	}
	return at - longer
}

// undone is a problem of the text that the edits have made, at its places before them.
// Repairs that change what the edits have written are left out.
func (edits textEdits) undone(d diag.Diagnostic) diag.Diagnostic {
	span := func(s diag.Span) diag.Span { return diag.Span{Start: edits.place(s.Start), End: edits.place(s.End)} }
	d.Span, d.Next = span(d.Span), d.Severity == diag.Error
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		if d.Related[i].Text == diag.Policies {
			d.Related[i].Span = span(d.Related[i].Span)
		}
	}
	var fixes []diag.Fix
	for _, f := range d.Fixes {
		f.Edits = slices.Clone(f.Edits)
		own := false
		for i, e := range f.Edits {
			if e.Text != diag.Policies {
				continue
			}
			own = own || slices.ContainsFunc(trial.Written(edits), func(w diag.Span) bool {
				return e.Span.Start < w.End && w.Start < e.Span.End || e.Span.Start == w.Start
			})
			f.Edits[i].Span = span(e.Span)
		}
		if !own {
			fixes = append(fixes, f)
		}
	}
	d.Fixes = fixes
	return d
}
