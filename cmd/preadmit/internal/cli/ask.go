package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// question is one of ask's questions.
type question struct {
	name string
	// sets is the number of policy sets that it compares.
	sets int
	ask  func(a *app, sets []*engine.Configuration, policy string, limit int, own []string) (ask.Answer, error)
	// none is the text if nothing is found.
	none string
}

var questions = []question{
	{"denied", 1, func(a *app, sets []*engine.Configuration, policy string, limit int, own []string) (ask.Answer, error) {
		return ask.Denied(a.ctx, sets[0], policy, limit, own...)
	}, "Found no request that is denied"},
	{"admitted", 1, func(a *app, sets []*engine.Configuration, policy string, limit int, own []string) (ask.Answer, error) {
		return ask.Admitted(a.ctx, sets[0], policy, limit, own...)
	}, "Found no request that is evaluated and admitted"},
	{"newly-denied", 2, differs(ask.NowDenied), "Found no request that the old policies admit and the new ones deny"},
	{"newly-admitted", 2, differs(ask.NowAdmitted), "Found no request that the old policies deny and the new ones admit"},
	{"same", 2, differs(ask.Any), "Found no request with different answers"},
}

func differs(how ask.Difference) func(a *app, sets []*engine.Configuration, policy string, limit int, own []string) (ask.Answer, error) {
	return func(a *app, sets []*engine.Configuration, _ string, limit int, own []string) (ask.Answer, error) {
		return ask.Differs(a.ctx, sets[0], sets[1], how, limit, own...)
	}
}

type askFlags struct {
	settings       *settings
	cluster        []string
	policy, format string
	tries          int
}

func (a *app) askCommand() *cobra.Command {
	q := &askFlags{tries: ask.DefaultLimit}
	c, f := a.newCommand("ask QUESTION POLICIES [POLICIES]", "Find a request with a given answer", func(args []string) (int, error) { return a.ask(args, q) })
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault // files
		}
		return questionNames(), cobra.ShellCompDirectiveNoFileComp
	}
	f.text(&q.policy, "policy", "", "`NAME`: the policy that denies or admits; any without it")
	f.count(&q.tries, "tries", "n", "`NUMBER`: how many requests to try")
	f.cluster(&q.cluster)
	f.output(&q.format, "`FORMAT`: text, the request; or json", "text", "json")
	q.settings = f.settings(false)
	return c
}

// ask looks for a request with a given verdict.
func (a *app) ask(args []string, asked *askFlags) (int, error) {
	q, err := questionOf(args)
	if err != nil {
		return 0, err
	}
	if asked.tries < 1 {
		return 0, badInput("ask: -n must be at least 1; it is the number of requests to try")
	}
	var sets []*engine.Configuration
	var own []string
	for _, path := range args[1:] {
		set, in, err := a.diffSide(path, asked.cluster, asked.settings)
		if err != nil {
			return 0, err
		}
		if diag.HasErrors(in.problems) {
			return exitInput, nil // they are printed
		}
		sets, own = append(sets, set), append(own, in.Request)
	}
	if asked.policy != "" && q.sets > 1 {
		return 0, badInput("ask: --policy is for the questions about one set of policies")
	}
	answer, err := q.ask(a, sets, asked.policy, asked.tries, own)
	var unknown ask.UnknownPolicy
	if errors.As(err, &unknown) {
		return 0, badInput("ask: %v", unknown)
	}
	if err != nil {
		return 0, fmt.Errorf("asking: %w", err)
	}
	code := exitOK
	if answer.Found == (q.name == "same") {
		code = exitDenied
	}
	if asked.format == "json" {
		return code, writeJSON(a.stdout, answer)
	}
	return code, a.say(answerText(q, answer))
}

func questionNames() (names []string) {
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

// questionOf returns the question, and whether its policies are given.
func questionOf(args []string) (question, error) {
	names := questionNames()
	for _, q := range questions {
		if len(args) == 0 || args[0] != q.name {
			continue
		}
		if len(args)-1 != q.sets {
			return q, badInput("ask %s needs %s", q.name, map[int]string{1: "the policies: a file, a folder or a scenario", 2: "the old policies and the new ones"}[q.sets])
		}
		return q, nil
	}
	if len(args) == 0 {
		return question{}, badInput("ask needs a question: %s", strings.Join(names, ", "))
	}
	return question{}, badInput("ask: unknown question %q; it can be %s", args[0], strings.Join(names, ", "))
}

// answerText is the request after comments with its verdicts.
func answerText(q question, answer ask.Answer) string {
	if !answer.Found {
		return fmt.Sprintf("%s, of %d tried. This does not prove that none exists.\n", q.none, answer.Tried)
	}
	var b strings.Builder
	if answer.Before != nil {
		fmt.Fprintf(&b, "# old: %s\n# new: %s\n", answerLine(answer.Before), answerLine(answer.Report))
	} else {
		fmt.Fprintf(&b, "# %s\n", answerLine(answer.Report))
	}
	if answer.Cluster != "" {
		b.WriteString("# The cluster needs this Namespace too (-c FILE):\n#   " + strings.ReplaceAll(strings.TrimSpace(answer.Cluster), "\n", "\n#   ") + "\n")
	}
	return b.String() + answer.Request
}

// answerLine is a verdict in one line.
func answerLine(r *report.Report) string {
	switch {
	case !r.Outcome.Allowed:
		return strings.Join(strings.Fields(r.Outcome.Message), " ")
	case r.Outcome.Mutated:
		return "admitted and changed"
	}
	return "admitted"
}
