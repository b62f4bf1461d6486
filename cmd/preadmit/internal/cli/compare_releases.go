package cli

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/changes"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// step is the change from one release to the next.
type step struct {
	From string `json:"from"`
	To   string `json:"to"`
	*changes.Summary
}

// refusedOn is a document with the releases that reject it.
type refusedOn struct {
	Document string   `json:"document"`
	Releases []string `json:"releases"`
	Message  string   `json:"message"`
}

// onReleases returns a scenario's configuration on every release. It prints problems that occur on
// all of them, and reports them in wrong.
type onReleases struct {
	configurations []*engine.Configuration
	refused        []refusedOn
	wrong          bool
}

func (a *app) onReleases(in *input) (*onReleases, error) {
	out := &onReleases{}
	shared := engine.New()
	count := map[string]int{}
	var problems []diag.Diagnostic
	for _, release := range scenario.Versions() {
		s := in.Scenario
		s.Kubernetes = release
		c, found := shared.Compile(s)
		if c == nil {
			return nil, badInput("Kubernetes %s: %s", release, found[0].Summary)
		}
		out.configurations = append(out.configurations, c)
		problems = nil
		for _, d := range found {
			if d.Wrong() {
				problems = append(problems, d)
				count[d.String()]++
			}
		}
		for _, answer := range c.Report().Install {
			if answer.Code != 0 {
				out.refuse(strings.TrimSpace(answer.Kind+" "+answer.Name), release, answer.Message)
			}
		}
	}
	everywhere := func(d diag.Diagnostic) bool { return count[d.String()] >= len(scenario.Versions()) }
	wrong := slices.DeleteFunc(problems, func(d diag.Diagnostic) bool { return !everywhere(d) })
	wrong = append(slices.Clone(in.problems), wrong...)
	in.place(wrong)
	out.wrong = diag.HasErrors(wrong)
	return out, a.complain(in, wrong)
}

func (r *onReleases) refuse(document, release, message string) {
	i := slices.IndexFunc(r.refused, func(o refusedOn) bool { return o.Document == document })
	if i < 0 {
		i = len(r.refused)
		r.refused = append(r.refused, refusedOn{Document: document, Message: message})
	}
	r.refused[i].Releases = append(r.refused[i].Releases, release)
}

// replayReleases reports which verdicts on captured requests change from one release to the next.
func (a *app) replayReleases(in *input, records iter.Seq2[replay.Record, error], format, fail string) (int, error) {
	on, err := a.onReleases(in)
	if err != nil {
		return 0, err
	}
	var pairs []changes.Pair
	for i := range on.configurations[1:] {
		pairs = append(pairs, changes.Pair{Before: on.configurations[i], After: on.configurations[i+1]})
	}
	bad := false
	counted := func(yield func(replay.Record, error) bool) {
		for record, err := range records {
			bad = bad || record.Bad != ""
			if !yield(record, err) {
				return
			}
		}
	}
	found, err := changes.RunSeveral(a.ctx, pairs, counted, diffSamples)
	if err != nil {
		return 0, err
	}
	if found.Compared == 0 {
		return 0, badInput("replay: there is no request to compare")
	}
	var steps []step
	for i, s := range found.Pairs {
		steps = append(steps, step{on.configurations[i].Settings().Kubernetes, on.configurations[i+1].Settings().Kubernetes, s})
	}
	code := exitOK
	switch first := found.Pairs[0]; {
	case on.wrong, bad, len(first.Missing) > 0:
		code = exitInput
	case fail == failOnChanges && found.Changed > 0:
		code = exitDenied
	}
	if format == "json" {
		return code, writeJSON(a.stdout, map[string]any{"compared": found.Compared, "changed": found.Changed, "refused": on.refused, "steps": steps})
	}
	return code, a.say(releasesText(found, steps, on.refused))
}

// releasesText is a table of the changed verdicts and their releases.
func releasesText(found *changes.Several, steps []step, refused []refusedOn) string {
	var b strings.Builder
	first, last := steps[0].From, steps[len(steps)-1].To
	fmt.Fprintf(&b, "Kubernetes %s to %s: the answers to %d of %s change\n", first, last, found.Changed, report.Plural(found.Compared, "request"))
	writeSkipped(&b, found.Pairs[0])
	for _, r := range refused {
		fmt.Fprintf(&b, "  rejected on %s: %s: %s\n", releaseRanges(r.Releases), r.Document, firstLine(r.Message))
	}
	var same []step
	for _, s := range steps {
		if len(s.Changes) == 0 {
			if n := len(same) - 1; n >= 0 && same[n].To == s.From {
				same[n].To = s.To
			} else {
				same = append(same, s)
			}
			continue
		}
		fmt.Fprintf(&b, "\n%s to %s: %s\n", s.From, s.To, report.Plural(s.Compared-s.Same, "answer"))
		for _, c := range s.Changes {
			writeChange(&b, c, nil)
		}
	}
	if len(same) > 0 && len(same) < len(steps) {
		var parts []string
		for _, s := range same {
			parts = append(parts, s.From+" to "+s.To)
		}
		fmt.Fprintf(&b, "\nNo change from %s.\n", strings.Join(parts, ", "))
	}
	return b.String()
}

// releaseRanges formats sorted releases: 1.30 to 1.35, 1.37.
func releaseRanges(list []string) string {
	all := scenario.Versions()
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && slices.Index(all, list[j+1]) == slices.Index(all, list[j])+1 {
			j++
		}
		if part := list[i]; j > i {
			out = append(out, part+" to "+list[j])
		} else {
			out = append(out, part)
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// diffReleases compares two sets of policies on every release.
func (a *app) diffReleases(args []string, d *diffFlags) (int, error) {
	if d.format == "markdown" {
		return 0, badInput("diff: with --kubernetes all, -o is text or json")
	}
	var sides [2]*onReleases
	for i := range sides {
		in, err := a.diffInput(args[i], d.cluster)
		if err != nil {
			return 0, err
		}
		d.settings.apply(&in.Scenario)
		if sides[i], err = a.onReleases(in); err != nil {
			return 0, err
		}
	}
	records := a.records(args[2:], &sources{})
	if len(args) == 2 {
		var err error
		if records, err = a.ownRequests(args, d.settings); err != nil {
			return 0, err
		}
	}
	var pairs []changes.Pair
	for i := range scenario.Versions() {
		pairs = append(pairs, changes.Pair{Before: sides[0].configurations[i], After: sides[1].configurations[i]})
	}
	found, err := changes.RunSeveral(a.ctx, pairs, records, diffSamples)
	if err != nil {
		return 0, err
	}
	if found.Compared == 0 {
		return 0, badInput("diff: there is no request to compare; give a file of them, as for preadmit replay")
	}
	code := exitOK
	switch {
	case sides[0].wrong, sides[1].wrong, len(found.Pairs[0].Missing) > 0:
		code = exitInput
	case d.failOn == failOnChanges && found.Changed > 0:
		code = exitDenied
	}
	if d.format == "json" {
		out := map[string]*changes.Summary{}
		for i, release := range scenario.Versions() {
			out[release] = found.Pairs[i]
		}
		return code, writeJSON(a.stdout, out)
	}
	return code, a.say(diffReleasesText(found))
}

// diffReleasesText merges consecutive releases with the same changes.
func diffReleasesText(found *changes.Several) string {
	var b strings.Builder
	releases := scenario.Versions()
	texts := make([]string, len(releases))
	for i, s := range found.Pairs {
		var one strings.Builder
		fmt.Fprintf(&one, "%d of %s are answered differently\n", s.Compared-s.Same, report.Plural(s.Compared, "request"))
		for _, c := range s.Changes {
			writeChange(&one, c, nil)
		}
		texts[i] = one.String()
	}
	writeSkipped(&b, found.Pairs[0])
	for i := 0; i < len(texts); {
		j := i
		for j+1 < len(texts) && texts[j+1] == texts[i] {
			j++
		}
		fmt.Fprintf(&b, "Kubernetes %s: %s", releaseRanges(releases[i:j+1]), texts[i])
		i = j + 1
	}
	return b.String()
}
