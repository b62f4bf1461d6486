package compile

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Roles and bindings are read twice: as what gives rights, and as objects like all others. The same
// mistake must not be reported by both readings.

// toldOfRole adds the repairs of an unknown field of a role or binding to what was said of
// it when the rights were read, and reports whether anything was. A field that is required and
// that the repaired one would be is the same mistake.
func (p *clusterReader) toldOfRole(d *scenario.Document, path string, fixes []diag.Fix) bool {
	told := false
	for i := range p.problems {
		problem := &p.problems[i]
		if !sameObject(*problem, d) {
			continue
		}
		switch {
		case problem.Code == codes.RBACUnknownField && problem.Path == path:
			told, problem.Fixes = true, fixes
		case problem.Code == codes.RBACRefused && strings.Contains(problem.Summary, "Required value") && renames(fixes, path, problem.Path):
			problem.Fixes = fixes
		}
	}
	return told
}

// renames reports whether a field gets the name of another one beside it by the first of some
// repairs.
func renames(fixes []diag.Fix, path, required string) bool {
	steps, other := fieldpath.Parse(path), fieldpath.Parse(required)
	return len(fixes) > 0 && len(fixes[0].Edits) == 1 && fixes[0].Edits[0].New == other.Last() && slices.Equal(steps.Parent(), other.Parent())
}

// withoutRefusal removes the problem that the rights of a role or binding could not be read, where
// each value that cannot be read has a problem of its own.
func (p *clusterReader) withoutRefusal(d *scenario.Document) {
	p.problems = slices.DeleteFunc(p.problems, func(problem diag.Diagnostic) bool {
		return problem.Code == codes.RBACRefused && sameObject(problem, d) && len(problem.Fixes) == 0 && strings.Contains(problem.Summary, "cannot be handled as")
	})
}

func sameObject(problem diag.Diagnostic, d *scenario.Document) bool {
	return problem.Text == d.Text && d.Span.Start <= problem.Span.Start && problem.Span.Start <= d.Span.End
}
