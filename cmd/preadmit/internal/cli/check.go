package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// checkOf is one version's result for a configuration.
type checkOf struct {
	Kubernetes  string           `json:"kubernetes"`
	Diagnostics diag.Diagnostics `json:"diagnostics"`
	Install     []report.Install `json:"install"`
	Costs       []costOf         `json:"costs"`
	// NotSimulated says what was not looked at.
	NotSimulated []string `json:"notSimulated,omitempty"`
}

func (a *app) checkCommand() *cobra.Command {
	var files []string
	var format, failOn string
	var settings *settings
	c, f := a.newCommand("check PATH...", "Check policies as the server does at creation, without a request", func(args []string) (int, error) { return a.check(append(args, files...), settings, format, failOn) })
	f.list(&files, "filename", "f", "the same as a `PATH`; repeatable")
	settings = f.version(true)
	f.output(&format, "`FORMAT`: text; json, each version's problems, answers, costs and what was not checked; sarif 2.1.0, for code scanning; junit, a test for each file; github, annotations of lines", "text", "json", "sarif", "junit", "github")
	f.failOn(&failOn, "exit with 1 also for `WHAT`: warning, or info for warnings and advice", string(diag.Warning), string(diag.Info))
	return c
}

// check reports how the server reacts when configuration is created: rejections, type checks, the
// expressions' highest costs, and likely mistakes. There is no request.
func (a *app) check(paths []string, settings *settings, format, failOn string) (int, error) {
	sets, err := a.readManifests("check", paths)
	if err != nil {
		return 0, err
	}
	var list []checked
	switches := &checks.Switches{Read: readSwitches}
	code := exitOK
	for _, set := range sets {
		settings.apply(&set.Scenario)
		one := checked{set: set}
		versions := []string{cmp.Or(set.Kubernetes, scenario.DefaultVersion)}
		if settings.kubernetes == "all" {
			versions = scenario.Versions()
		}
		for _, version := range versions {
			c, err := a.checkOn(set, version, switches)
			if err != nil {
				return 0, err
			}
			if c.Diagnostics.HasErrors() || refusedAny(c.Install) {
				code = exitInput
			}
			if code == exitOK && slices.ContainsFunc(c.Diagnostics, func(d diag.Diagnostic) bool { return fails(failOn, d.Severity) }) {
				code = exitDenied
			}
			one.versions = append(one.versions, *c)
		}
		list = append(list, one)
	}
	if !slices.ContainsFunc(list, checked.reports) && !slices.ContainsFunc(sets, (*manifestSet).configures) {
		return 0, badInput("check: no policy, webhook configuration or CustomResourceDefinition found in %s", displayNames(paths))
	}
	switch format {
	case "json":
		return code, writeJSON(a.stdout, joinedChecks(list))
	case "sarif":
		return code, writeJSON(a.stdout, sarifOf(joinedChecks(list)))
	case "junit":
		return code, writeJUnit(a.stdout, checksAsTests(list, failOn))
	case "github":
		_, err := io.WriteString(a.stdout, annotationsOf(sarifOf(joinedChecks(list)).Runs[0]))
		return code, err
	}
	return code, a.printChecks(list)
}

// fails reports whether a problem that the server accepts fails a check: an error, or one that --fail-on names.
func fails(failOn string, of diag.Severity) bool {
	return of == diag.Error || failOn == string(diag.Info) || failOn == string(diag.Warning) && of != diag.Info
}

// checked is a set of files with each version's result.
type checked struct {
	set      *manifestSet
	versions []checkOf
}

// reports reports whether check has something to say of a set, as of CEL in an object that is no policy.
func (c checked) reports() bool {
	return slices.ContainsFunc(c.versions, func(v checkOf) bool { return len(v.Diagnostics)+len(v.Install)+len(v.Costs) > 0 })
}

// checkOn is a version's result for a set's files.
func (a *app) checkOn(set *manifestSet, version string, switches *checks.Switches) (*checkOf, error) {
	s := set.Scenario
	s.Kubernetes = version
	r, err := checks.Of(a.ctx, s, checks.Everything())
	if err != nil {
		return nil, err
	}
	costs := []costOf{}
	for _, b := range r.Costs {
		costs = append(costs, set.placedCost(b))
	}
	set.place(r.Diagnostics)
	found, err := switches.Without(append(slices.Clone(set.problems), r.Diagnostics...), func(d *diag.Diagnostic) string { return d.File })
	if err != nil {
		return nil, badInput("%v", err)
	}
	return &checkOf{r.Kubernetes, found, r.Install, costs, r.NotSimulated}, nil
}

func readSwitches(path string) (text string, ok bool, err error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return "", false, nil
	case err != nil:
		return "", false, unreadable(err)
	}
	return string(data), true, nil
}

// joinedChecks combines all sets into one check per version. A file in two scenarios is reported
// and counted once.
func joinedChecks(list []checked) []checkOf {
	var out []checkOf
	for _, version := range scenario.Versions() {
		joined := checkOf{Kubernetes: version, Diagnostics: diag.Diagnostics{}, Install: []report.Install{}, Costs: []costOf{}}
		any := false
		said := map[string]bool{}
		for _, one := range list {
			for _, c := range one.versions {
				if c.Kubernetes != version {
					continue
				}
				any = true
				joined.Diagnostics = append(joined.Diagnostics, freshProblems(c.Diagnostics, said)...)
				joined.Install = append(joined.Install, freshAnswers(one.set, c.Install, said)...)
				joined.Costs = append(joined.Costs, freshCosts(c.Costs, said)...)
				for _, text := range c.NotSimulated {
					if !slices.Contains(joined.NotSimulated, text) {
						joined.NotSimulated = append(joined.NotSimulated, text)
					}
				}
			}
		}
		if any {
			out = append(out, joined)
		}
	}
	return out
}

// fresh returns what is not yet reported, and marks it as reported. key returns a text that is the same for the same
// thing, and false for what is in no file.
func fresh[T any](list []T, said map[string]bool, key func(T) (string, bool)) []T {
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool {
		text, placed := key(one)
		was := said[text] && placed
		said[text] = true
		return was
	})
}

func freshProblems(list diag.Diagnostics, said map[string]bool) diag.Diagnostics {
	return fresh(list, said, func(d diag.Diagnostic) (string, bool) { return d.File + ":" + d.String(), d.File != "" })
}

func freshAnswers(set *manifestSet, list []report.Install, said map[string]bool) []report.Install {
	return fresh(list, said, func(in report.Install) (string, bool) {
		at, placed := set.sources.Place(in.Text, in.Span)
		return fmt.Sprintf("%s %s %s %s", at, in.Kind, in.Name, in.Message), placed
	})
}

func freshCosts(list []costOf, said map[string]bool) []costOf {
	return fresh(list, said, func(c costOf) (string, bool) {
		return fmt.Sprintf("%s:%d %s %s %s %s %d", c.File, c.Line, c.Document, c.Path, c.Name, c.Scope, c.Max), c.File != ""
	})
}

func refusedAny(answers []report.Install) bool {
	return slices.ContainsFunc(answers, func(in report.Install) bool { return in.Code != 0 })
}

// byReleases are the problems of a set's files, those of the same releases together.
func (c checked) byReleases() (releases [][]string, problems []diag.Diagnostics) {
	of := map[string][]string{}
	anyRelease := func(text, release string) string {
		return strings.ReplaceAll(text, "Kubernetes "+release, "Kubernetes")
	}
	for _, v := range c.versions {
		for _, d := range v.Diagnostics {
			key := anyRelease(d.String(), v.Kubernetes)
			if list := of[key]; len(list) == 0 || list[len(list)-1] != v.Kubernetes {
				of[key] = append(list, v.Kubernetes)
			}
		}
	}
	for _, v := range c.versions {
		for _, d := range v.Diagnostics {
			on := of[anyRelease(d.String(), v.Kubernetes)]
			if on[0] != v.Kubernetes {
				continue
			}
			if len(on) > 1 {
				d.Summary, d.Detail = anyRelease(d.Summary, v.Kubernetes), anyRelease(d.Detail, v.Kubernetes)
			}
			i := slices.IndexFunc(releases, func(other []string) bool { return slices.Equal(other, on) })
			if i < 0 {
				i = len(releases)
				releases, problems = append(releases, on), append(problems, nil)
			}
			problems[i] = append(problems[i], d)
		}
	}
	return releases, problems
}

// printChecks writes each set's problems, with several versions under the releases that have them.
func (a *app) printChecks(list []checked) error {
	said := map[string]bool{} // for a file in several scenarios
	for _, one := range list {
		p := a.printer(a.stdout)
		p.Sources = one.set.sources
		releases, problems := one.byReleases()
		for i, news := range problems {
			if len(one.versions) == 1 {
				news = freshProblems(news, said)
			} else if err := a.say("Kubernetes " + releaseRanges(releases[i]) + ":\n"); err != nil {
				return err
			}
			if err := p.Diagnostics(a.stdout, news); err != nil {
				return err
			}
		}
	}
	joined := joinedChecks(list)
	if err := a.say(costTables(joined)); err != nil {
		return err
	}
	if len(list[0].versions) > 1 {
		return a.say(summaryOf(joined[len(joined)-1]) + "\n")
	}
	for _, c := range joined {
		if err := a.say(summaryOf(c) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// summaryOf summarises a check in one line, and in further ones what was not looked at.
func summaryOf(c checkOf) string {
	errors, warnings, infos := 0, 0, 0
	for _, d := range c.Diagnostics {
		switch d.Severity {
		case diag.Error:
			errors++
		case diag.Warning:
			warnings++
		default:
			infos++
		}
	}
	refused := 0
	for _, in := range c.Install {
		if in.Code != 0 {
			refused++
		}
	}
	line := fmt.Sprintf("Kubernetes %s: %s, %s", c.Kubernetes, report.Plural(errors, "error"), report.Plural(warnings, "warning"))
	if infos > 0 {
		line += ", " + report.Plural(infos, "info")
	}
	if refused > 0 {
		line += fmt.Sprintf("; the server rejects %d", refused)
	}
	return strings.Join(append([]string{line}, c.NotSimulated...), "\n")
}

// checksAsTests returns a test per file and version. A problem of no file is at the first one.
func checksAsTests(list []checked, failOn string) []junitCase {
	var out []junitCase
	for _, one := range list {
		for _, c := range one.versions {
			of := make([]diag.Diagnostics, len(one.set.files))
			for _, d := range c.Diagnostics {
				i := slices.IndexFunc(one.set.files, func(f *manifest) bool {
					return d.File == f.display() && (f.archive == nil || d.Text == f.Text)
				})
				of[max(i, 0)] = append(of[max(i, 0)], d)
			}
			for i, f := range one.set.files {
				name := f.display()
				if f.archive != nil {
					name += " " + f.Path
				}
				if len(one.versions) > 1 {
					name += " on Kubernetes " + c.Kubernetes
				}
				out = append(out, checkAsTest(name, of[i], failOn))
			}
		}
	}
	return out
}

// checkAsTest is the test of one file: errors end it, what --fail-on names fails it, and the output has the rest.
func checkAsTest(name string, problems diag.Diagnostics, failOn string) junitCase {
	c := junitCase{Name: name}
	var errors, failures, others []string
	for _, d := range problems {
		switch {
		case d.Severity == diag.Error:
			errors = append(errors, d.String())
		case fails(failOn, d.Severity):
			failures = append(failures, d.String())
		default:
			others = append(others, d.String())
		}
	}
	if len(errors) > 0 {
		c.Error = &junitProblem{Message: strings.Join(errors, "\n")}
		others = append(failures, others...)
	} else if len(failures) > 0 {
		c.Failure = &junitProblem{Message: failures[0], Text: strings.Join(failures, "\n")}
	}
	c.Output = strings.Join(others, "\n")
	return c
}
