package cli

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

type releaseResult struct {
	Kubernetes string `json:"kubernetes"`
	Pass       bool   `json:"pass"`
	// Answer is the verdict in words; empty if the test cannot run.
	Answer string `json:"answer,omitempty"`
	Error  string `json:"error,omitempty"`
	// details says why it fails.
	details string
}

type onEveryRelease struct {
	Name     string          `json:"name"`
	Releases []releaseResult `json:"releases"`
}

// testReleases runs the tests on every release, and reports which results and verdicts change.
func (a *app) testReleases(args []string, run testRun, format, fail string) (int, error) {
	var tests []*onEveryRelease
	byName := map[string]*onEveryRelease{}
	code := exitOK
	for _, release := range scenario.Versions() {
		on := *run.settings
		on.kubernetes = release
		one := run
		one.settings = &on
		results, err := a.testAll(args, one)
		if err != nil {
			return 0, err
		}
		for _, r := range results {
			t := byName[r.name()]
			if t == nil {
				t = &onEveryRelease{Name: r.name()}
				byName[r.name()] = t
				tests = append(tests, t)
			}
			result := releaseResult{Kubernetes: release, Pass: r.Pass, Answer: r.answer, Error: r.Error}
			if !r.Pass {
				result.details = r.details("         ")
			}
			t.Releases = append(t.Releases, result)
			if r.bug {
				code = exitBug
			}
		}
	}
	changed, failing := 0, 0
	for _, t := range tests {
		if len(t.parts()) > 1 {
			changed++
		}
		if !t.Releases[len(t.Releases)-1].Pass {
			failing++
		}
	}
	if code == exitOK && (failing > 0 || fail == failOnChanges && changed > 0) {
		code = exitDenied
	}
	if format == "json" {
		return code, writeJSON(a.stdout, tests)
	}
	return code, a.say(testReleasesText(tests, changed, failing))
}

// part is a range of releases on which a test has the same result.
type part struct {
	releases []string
	releaseResult
}

// parts returns the ranges of releases with the same result, in order.
func (t *onEveryRelease) parts() []part {
	var out []part
	for _, r := range t.Releases {
		if n := len(out) - 1; n >= 0 && out[n].Pass == r.Pass && out[n].Answer == r.Answer && (out[n].Error == "") == (r.Error == "") {
			out[n].releases = append(out[n].releases, r.Kubernetes)
			continue
		}
		out = append(out, part{[]string{r.Kubernetes}, r})
	}
	return out
}

// testReleasesText lists the tests that differ between releases, and those that fail on the newest.
func testReleasesText(tests []*onEveryRelease, changed, failing int) string {
	var b strings.Builder
	releases := scenario.Versions()
	newest := releases[len(releases)-1]
	for _, t := range tests {
		parts := t.parts()
		last := parts[len(parts)-1]
		if len(parts) == 1 && last.Pass {
			continue
		}
		fmt.Fprintf(&b, "%s\n", t.Name)
		for _, p := range parts {
			word := "ok  "
			if !p.Pass {
				word = "FAIL"
			}
			fmt.Fprintf(&b, "  %-14s  %s  %s\n", releaseRanges(p.releases), word, p.Answer)
		}
		if !last.Pass {
			fmt.Fprintf(&b, "         on %s:\n%s", newest, last.details)
		}
	}
	fmt.Fprintf(&b, "Kubernetes %s to %s: %s; %d with results that change, %d that fail on %s\n", releases[0], newest, report.Plural(len(tests), "test"), changed, failing, newest)
	return b.String()
}

// answerOf returns a report's verdict in words.
func answerOf(r *report.Report) string {
	state := string(r.Outcome.State)
	if by := r.Outcome.DecidedBy; !r.Outcome.Allowed && by >= 0 && by < len(r.Steps) {
		if name := r.Steps[by].Webhook + r.Steps[by].Policy; name != "" {
			state += " by " + name
		}
	}
	return state
}
