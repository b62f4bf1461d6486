package html

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// check is one test of whether a policy or webhook applies to the request.
type check struct {
	Name  string
	State State // Admitted, Excluded or Failed if evaluated, Idle if not, Unmatched if everything passes
	Says  string
	// Detail is the missing value: "env=prod".
	Detail string
	Text   diag.Text // place of the rule or selector; empty if unknown
	Span   diag.Span
}

// stateWord describes a check for people who do not see its sign.
func (c check) stateWord() string {
	switch c.State {
	case Admitted:
		return "matches"
	case Unmatched:
		return "takes everything"
	case Idle:
		return "not asked"
	case Failed:
		return "fails"
	}
	return "does not match"
}

// checks returns a step's checks in the server's order (semantics §4, §5.2); none for steps without
// rules.
func checks(s report.Step) []check {
	if s.Match == nil {
		return nil
	}
	list := matchChecks(s.Match, "")
	reached := s.Match.Matched
	if len(list) == 1 && list[0].Name == "exempt" {
		return list
	}
	if s.Webhook == "" {
		list = append(list, bindingCheck(s, reached)...)
		reached = reached && s.BindingMatch != nil && s.BindingMatch.Matched
	}
	return append(list, conditionChecks(s, reached)...)
}

// matchChecks returns a match's selectors and rules.
func matchChecks(m *report.Match, prefix string) []check {
	order := []struct{ kind, name string }{
		{"exempt", "exempt"}, {"namespaceSelector", "namespace"}, {"objectSelector", "object"}, {"excludeRule", "exclusion"}, {"rule", "rule"},
	}
	var out []check
	for _, o := range order {
		var tests []report.MatchTest
		for _, t := range m.Tests {
			if t.Kind == o.kind {
				tests = append(tests, t)
			}
		}
		switch {
		case len(tests) > 0:
			out = append(out, matchCheck(prefix+o.name, tests))
		case o.kind == "exempt" || o.kind == "excludeRule":
		case m.Matched:
			out = append(out, check{Name: prefix + o.name, State: Unmatched})
		default:
			out = append(out, check{Name: prefix + o.name, State: Idle})
		}
	}
	if len(m.Tests) > 0 && m.Tests[0].Kind == "exempt" {
		return out[:1]
	}
	return out
}

// matchCheck combines the tests of one kind: one matching rule is enough, and a matching exclusion
// excludes the request.
func matchCheck(name string, tests []report.MatchTest) check {
	last := tests[len(tests)-1]
	c := check{Name: name, State: Excluded, Says: last.Has, Text: last.Text, Span: last.Span}
	matched := last.Matched
	if last.Kind == "excludeRule" || last.Kind == "exempt" {
		matched = !matched
	}
	switch {
	case last.Error != "":
		c.State, c.Says = Failed, last.Error
	case matched && strings.HasPrefix(last.Has, "an empty selector"), matched && strings.HasPrefix(last.Has, "a cluster-scoped"):
		c.State = Unmatched
	case matched:
		c.State = Admitted
	default:
		c.Detail = strings.Join(strings.Fields(last.Wants), " ")
		if last.Wants != "" {
			c.Says = "wants " + last.Wants + ", has " + last.Has
		}
	}
	return c
}

// bindingCheck is the check of the binding's matchResources.
func bindingCheck(s report.Step, reached bool) []check {
	c := check{Name: "binding", State: Idle}
	m := s.BindingMatch
	switch {
	case m == nil && reached && s.Binding == "":
		return nil
	case m == nil:
	case len(m.Tests) == 0 && m.Matched:
		c.State, c.Says = Admitted, m.Reason
	case m.Matched:
		c.State, c.Says = Admitted, m.Reason
		c.Text, c.Span = m.Tests[0].Text, m.Tests[0].Span
	default:
		failed := matchChecks(m, "")
		c.State, c.Says = Excluded, m.Reason
		for _, f := range failed {
			if f.State == Excluded || f.State == Failed {
				c.State, c.Detail, c.Text, c.Span = f.State, strings.TrimSpace(f.Name+" "+f.Detail), f.Text, f.Span
			}
		}
	}
	return []check{c}
}

// conditionChecks returns the match conditions, by name.
func conditionChecks(s report.Step, reached bool) []check {
	var out []check
	for i, e := range s.Conditions {
		c := check{Name: label(e, "condition", i), State: Idle, Text: e.Text, Span: e.Span}
		switch {
		case !reached || !e.Evaluated:
		case e.Error != "":
			c.State, c.Says = Failed, e.Error
		case e.Result == false:
			c.State, c.Detail = Excluded, "false"
		default:
			c.State = Admitted
		}
		out = append(out, c)
	}
	return out
}

// checkSign draws a check: two gateposts with its result between them.
func checkSign(s State) string {
	const posts = "M2 1v14M14 1v14"
	switch s {
	case Admitted:
		return posts + "M4.8 8.4l2.2 2.3 4.3-5.2"
	case Unmatched, Idle: // styles draw the posts of skipped checks as dots
		return posts
	case Failed:
		return posts + "M8 3.6v5.4M8 12v.3"
	}
	return posts + "M5 5l6 6M11 5l-6 6"
}
