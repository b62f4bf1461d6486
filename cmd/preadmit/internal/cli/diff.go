package cli

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/changes"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// diffSamples is how many requests are listed per kind of change.
const diffSamples = 3

// linkedSample is a sample with a link to it, with the new policies.
type linkedSample struct {
	changes.Sample
	Link string `json:"link,omitempty"`
}

// linkedChange is a change for programs.
type linkedChange struct {
	*changes.Change
	Samples []linkedSample `json:"samples"`
}

type diffFlags struct {
	settings             *settings
	cluster              []string
	format, base, failOn string
}

func (a *app) diffCommand() *cobra.Command {
	d := &diffFlags{}
	c, f := a.newCommand("diff OLD NEW [REQUESTS...]", "Compare the answers of two sets of policies", func(args []string) (int, error) { return a.diff(args, d) })
	f.cluster(&d.cluster)
	f.output(&d.format, "`FORMAT`: text, groups with samples; markdown, a table for a comment on a pull request; json, everything, with a link for each sample", "text", "json", "markdown")
	f.text(&d.base, "base", "", "also print links: this page's `URL`, followed by the new policies with the request")
	f.failOn(&d.failOn, "`WHAT`: changes, to exit with 1 when any answer changes", failOnChanges)
	d.settings = f.settings(true)
	return c
}

// diff reports which verdicts change from one policy set to another.
func (a *app) diff(args []string, d *diffFlags) (int, error) {
	if len(args) < 2 {
		return 0, badInput("diff needs the old policies and the new ones, and requests unless the former are scenarios")
	}
	if d.settings.kubernetes == "all" {
		return a.diffReleases(args, d)
	}
	before, old, err := a.diffSide(args[0], d.cluster, d.settings)
	if err != nil {
		return 0, err
	}
	after, fresh, err := a.diffSide(args[1], d.cluster, d.settings)
	if err != nil {
		return 0, err
	}
	records := a.records(args[2:], &sources{})
	if len(args) == 2 {
		if records, err = a.ownRequests(args[:2], d.settings); err != nil {
			return 0, err
		}
	}
	summary, err := changes.Run(a.ctx, before, after, records, diffSamples)
	if err != nil {
		return 0, err
	}
	if summary.Compared == 0 && len(args) == 2 {
		return 0, badInput("diff: there is no request to compare; give a file of them, as for preadmit replay, or let preadmit ask newly-denied %s %s find one", args[0], args[1])
	}
	if summary.Compared == 0 {
		return 0, badInput("diff: there is no request to compare; give a file of them, as for preadmit replay")
	}
	list := linkChanges(summary, fresh, d.base)
	code := exitOK
	if diag.HasErrors(old.problems) || diag.HasErrors(fresh.problems) || len(summary.Missing) > 0 {
		code = exitInput
	} else if d.failOn == failOnChanges && len(list) > 0 {
		code = exitDenied
	}
	if d.format == "json" {
		return code, writeJSON(a.stdout, map[string]any{
			"records": summary.Records, "compared": summary.Compared, "same": summary.Same, "skipped": summary.Skipped, "missing": summary.Missing, "changes": list,
		})
	}
	return code, a.say(diffText(summary, list, d.format == "markdown", d.base != ""))
}

const failOnChanges = "changes"

// diffSide compiles one side. It prints problems, because they affect every verdict.
func (a *app) diffSide(path string, cluster []string, settings *settings) (*engine.Configuration, *input, error) {
	in, err := a.diffInput(path, cluster)
	if err != nil {
		return nil, nil, err
	}
	settings.apply(&in.Scenario)
	configuration, problems := engine.New().Compile(in.Scenario)
	if configuration == nil {
		return nil, nil, badInput("diff: %s: %s", path, problems[0].Summary)
	}
	in.problems = append(in.problems, slices.DeleteFunc(slices.Clone([]diag.Diagnostic(configuration.Report().Diagnostics)), func(d diag.Diagnostic) bool { return !d.Wrong() })...)
	in.place(in.problems)
	return configuration, in, a.complain(in, in.problems)
}

// diffInput reads a scenario, or a file or folder of policies.
func (a *app) diffInput(path string, cluster []string) (*input, error) {
	parts := &parts{cluster: cluster}
	if isScenario(path) {
		return a.input([]string{path}, parts)
	}
	parts.policies = []string{path}
	return a.input(nil, parts)
}

// ownRequests are the scenarios' own requests and cases, from both sides.
func (a *app) ownRequests(paths []string, settings *settings) (iter.Seq2[replay.Record, error], error) {
	var list []replay.Record
	add := func(name string, line int, s scenario.Scenario) {
		if strings.TrimSpace(s.Request) == "" || slices.ContainsFunc(list, func(r replay.Record) bool { return r.Request == s.Request }) {
			return
		}
		list = append(list, replay.Record{File: name, Line: line, Request: s.Request, Defaulting: s.Options.Defaulting == nil})
	}
	for _, path := range paths {
		if !isScenario(path) {
			continue
		}
		t, err := a.loadTests(path, testRun{settings: settings})
		if err != nil {
			return nil, err
		}
		add(t.file(scenario.RequestFile), 1, t.in.Scenario)
		if t.cases == nil {
			continue
		}
		for _, c := range t.cases.List {
			in, err := a.caseInput(t, c)
			if err != nil {
				return nil, err
			}
			add(t.file(expect.CasesFile), t.before+c.Line, in.Scenario)
		}
	}
	return func(yield func(replay.Record, error) bool) {
		for _, record := range list {
			if !yield(record, nil) {
				return
			}
		}
	}, nil
}

// linkChanges adds the samples' links: the new policies with that request.
func linkChanges(s *changes.Summary, fresh *input, base string) []linkedChange {
	list := []linkedChange{}
	for _, c := range s.Changes {
		out := linkedChange{Change: c}
		for _, sample := range c.Samples {
			with := fresh.Scenario
			with.Request = sample.Request
			with.Title = fmt.Sprintf("%s became %s", c.Old, c.New)
			if on := true; sample.Defaulting && with.Options.Defaulting == nil {
				with.Options.Defaulting = &on
			}
			out.Samples = append(out.Samples, linkedSample{sample, linkTo(with, base)})
		}
		list = append(list, out)
	}
	return list
}

// diffText formats the comparison for people: plain, or as Markdown for a pull request.
func diffText(s *changes.Summary, list []linkedChange, markdown, links bool) string {
	var b strings.Builder
	head := fmt.Sprintf("%d of %d requests are answered differently", s.Compared-s.Same, s.Compared)
	if skipped := s.Records - s.Compared; skipped > 0 {
		head += fmt.Sprintf("; %d records could not be compared", skipped)
	}
	if markdown {
		fmt.Fprintf(&b, "**%s**\n", head)
	} else {
		fmt.Fprintf(&b, "%s\n", head)
	}
	writeSkipped(&b, s)
	if markdown && len(list) > 0 {
		b.WriteString("\n| requests | before | after | for example |\n|---:|---|---|---|\n")
	}
	for _, c := range list {
		if markdown {
			first := c.Samples[0]
			example := cell(sampleName(first.Sample))
			if first.Link != "" && links {
				example = "[" + example + "](" + first.Link + ")"
			}
			fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", c.Count, cell(c.Old), cell(changedTo(c.Change)), example)
			continue
		}
		shown := c.Samples
		if !links {
			shown = nil
		}
		writeChange(&b, c.Change, shown)
	}
	return b.String()
}

// changedTo is the new answer of a change, with what else is another one.
func changedTo(c *changes.Change) string {
	if len(c.What) > 0 {
		return c.New + ", another " + strings.Join(c.What, ", ")
	}
	return c.New
}

// writeChange writes one kind of change with its first requests, and the links of those that have one.
func writeChange(b *strings.Builder, c *changes.Change, linked []linkedSample) {
	fmt.Fprintf(b, "%6d  %s -> %s\n", c.Count, text.Line(c.Old), text.Line(changedTo(c)))
	for i, sample := range c.Samples {
		fmt.Fprintf(b, "        %s, %s\n", text.Line(sampleName(sample)), text.Line(sample.Place()))
		if message := sample.NewMessage; message != "" && message != sample.OldMessage {
			fmt.Fprintf(b, "          %s\n", message)
		}
		if i < len(linked) && linked[i].Link != "" {
			fmt.Fprintf(b, "          %s\n", linked[i].Link)
		}
	}
}

// writeSkipped lists what was not compared.
func writeSkipped(b *strings.Builder, s *changes.Summary) {
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		fmt.Fprintf(b, "  not compared: %d: %s\n", s.Skipped[reason], text.Line(reason))
	}
	for _, missing := range s.Missing {
		fmt.Fprintf(b, "  not read: %s\n", text.Line(missing))
	}
}

// cell escapes a text for a Markdown table cell.
func cell(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "~", `\~`, "\r", " ", "\n", " ", "[", `\[`, "]", `\]`, "<", "&lt;", "`", "'").Replace(text)
}

func sampleName(s changes.Sample) string {
	name := s.Name
	if s.Namespace != "" {
		name = s.Namespace + "/" + name
	}
	return strings.TrimSpace(s.Operation + " " + s.Kind + " " + name)
}
