package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// checkOf is what a version says to configuration.
type checkOf struct {
	Kubernetes  string           `json:"kubernetes"`
	Diagnostics diag.Diagnostics `json:"diagnostics"`
	Install     []report.Install `json:"install"`
	Costs       []costOf         `json:"costs"`
}

// check says what the server answers when configuration is created: refusals,
// type checks, what expressions cost at most, and what looks like a mistake. There is no
// request.
func (a *app) check(args []string) (int, error) {
	f := newFlags("check")
	settings := f.version(true)
	format := f.oneOf("o", "text", "json", "sarif", "junit")
	files := f.list("f")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	set, err := a.readManifests("check", append(args, *files...))
	if err != nil {
		return 0, err
	}
	settings.apply(&set.Scenario)
	versions := []string{set.Kubernetes}
	if settings.kubernetes == "all" {
		versions = scenario.Versions()
	}
	var list []checkOf
	code := exitOK
	for _, version := range versions {
		s := set.Scenario
		s.Kubernetes, s.Request = version, "" // a request is none of ours, unless it writes a definition
		r, err := engine.Evaluate(a.ctx, s, engine.Options{TryRepairs: true})
		if err != nil {
			return 0, fmt.Errorf("checking: %w", err)
		}
		costs := set.costs(s)
		written, err := a.writtenDefinition(set, version)
		if err != nil {
			return 0, err
		}
		if written != nil {
			r.Diagnostics = append(r.Diagnostics, written.diagnostics...)
			r.Install = append(r.Install, written.install...)
			costs = append(costs, written.costs...)
		}
		r.Diagnostics = slices.DeleteFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
			return d.Code == codes.NoRequest || d.Code == codes.ClusterDocument && set.Request == "" // files are of any text here
		})
		set.place(r.Diagnostics)
		r.Diagnostics = append(slices.Clone(set.problems), r.Diagnostics...)
		if r.Diagnostics.HasErrors() || refusedAny(r) {
			code = exitInput
		}
		list = append(list, checkOf{r.Kubernetes, r.Diagnostics, r.Install, costs})
	}
	switch *format {
	case "json":
		return code, writeJSON(a.stdout, list)
	case "sarif":
		return code, writeJSON(a.stdout, sarifOf(list))
	case "junit":
		return code, writeJUnit(a.stdout, checksAsTests(set, list))
	}
	return code, a.printChecks(set, list)
}

func refusedAny(r *report.Report) bool {
	return slices.ContainsFunc(r.Install, func(in report.Install) bool { return in.Code != 0 })
}

// printChecks writes the problems of each version; those that a version shares
// with the one before it are not said again.
func (a *app) printChecks(set *manifestSet, list []checkOf) error {
	p := a.printer(a.stdout)
	p.Sources = set.sources
	seen := map[string]bool{}
	for _, c := range list {
		fresh := slices.DeleteFunc(slices.Clone(c.Diagnostics), func(d diag.Diagnostic) bool { return seen[d.String()] })
		seen = map[string]bool{}
		for _, d := range c.Diagnostics {
			seen[d.String()] = true
		}
		if len(list) > 1 && len(fresh) > 0 {
			if err := a.say("Kubernetes " + c.Kubernetes + ":\n"); err != nil {
				return err
			}
		}
		if err := p.Diagnostics(a.stdout, fresh); err != nil {
			return err
		}
	}
	if err := a.say(costTables(list)); err != nil {
		return err
	}
	return a.say(summaryOf(list[len(list)-1]) + "\n")
}

// summaryOf is one line about a check.
func summaryOf(c checkOf) string {
	errors, warnings := 0, 0
	for _, d := range c.Diagnostics {
		switch d.Severity {
		case diag.Error:
			errors++
		case diag.Warning:
			warnings++
		}
	}
	refused := 0
	for _, in := range c.Install {
		if in.Code != 0 {
			refused++
		}
	}
	line := fmt.Sprintf("Kubernetes %s: %s, %s", c.Kubernetes, text.Plural(errors, "error"), text.Plural(warnings, "warning"))
	if refused > 0 {
		line += fmt.Sprintf("; the server refuses %d", refused)
	}
	return line
}

// checksAsTests gives each file a test for each version.
func checksAsTests(set *manifestSet, list []checkOf) []testResult {
	var out []testResult
	for _, c := range list {
		for _, f := range set.files {
			r := testResult{Path: f.display(), Pass: true}
			if f.archive != nil {
				r.Path += " " + f.path
			}
			if len(list) > 1 {
				r.Path += " on Kubernetes " + c.Kubernetes
			}
			var problems []string
			for _, d := range c.Diagnostics.Errors() {
				if d.File == f.display() && (f.archive == nil || d.Text == f.text) {
					problems = append(problems, d.String())
				}
			}
			if len(problems) > 0 {
				r.Pass, r.Error = false, strings.Join(problems, "\n")
			}
			out = append(out, r)
		}
	}
	return out
}
