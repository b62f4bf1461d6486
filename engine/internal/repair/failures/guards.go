package failures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report"
)

// test is an expression that is true where a part can be evaluated, and one
// that is true where it cannot.
func test(s *rewrite.Source, n *node) (present, absent, what string) {
	operand := n.children[0]
	on := string(s.Runes[operand.Start:operand.End])
	part := string(s.Runes[n.Start:n.End])
	switch {
	case operand.Kind == "variable" && operand.Evaluated && operand.Type == "null_type":
		return on + " != null", on + " == null", on
	case n.Kind == "select" && !strings.ContainsAny(part, "?"):
		present, absent = "has("+part+")", "!has("+part+")"
	case n.Kind != "index" || len(n.children) < 2:
		return "", "", ""
	case strings.HasPrefix(n.Error, "index out of bounds"):
		key := string(s.Runes[n.children[1].Start:n.children[1].End])
		present, absent = fmt.Sprintf("size(%s) > %s", on, key), fmt.Sprintf("size(%s) <= %s", on, key)
	default:
		key := string(s.Runes[n.children[1].Start:n.children[1].End])
		present, absent = fmt.Sprintf("%s in %s", key, on), fmt.Sprintf("!(%s in %s)", key, on)
	}
	if of, ok := mapOfTexts(s, n); ok {
		present, absent = "has("+of+") && "+present, "!has("+of+") || "+absent
	}
	for at := n.parent; at != nil && at.Kind != "variable" && len(at.children) > 0 && at.children[0].Start == n.Start; at = at.parent {
		// What is below may be absent as well.
		is, isNot := stepTest(s, at)
		if is == "" || at.children[0] == n && everyItemHas(n, at.Name) {
			break
		}
		present, absent = present+" && "+is, absent+" || "+isNot
	}
	return present, absent, part
}

// mapOfTexts is the map that a key is read of, where that is one that objects may lack as well,
// such as labels, and where no test of the expression asks for it.
func mapOfTexts(s *rewrite.Source, n *node) (string, bool) {
	of := n.children[0]
	text := string(s.Runes[of.Start:of.End])
	return text, ofTexts(n) && !strings.ContainsAny(text, "?(") && !strings.Contains(string(s.Runes), "has("+text)
}

// everyItemHas reports whether a part is an item of a list and all items that the list has, have
// a field: then one more would have it, too.
func everyItemHas(n *node, field string) bool {
	items, ok := n.children[0].Value.([]any)
	return ok && len(items) > 0 && n.Kind == "index" && !slices.ContainsFunc(items, func(item any) bool {
		m, ok := item.(map[string]any)
		return !ok || m[field] == nil
	})
}

// stepTest are the tests of one step below a part: of a field, of a key that is a text, or of an
// item by its number. They are empty where a step is none of these.
func stepTest(s *rewrite.Source, at *node) (present, absent string) {
	below := string(s.Runes[at.Start:at.End])
	switch {
	case at.Kind == "select" && !strings.Contains(below, "?") && strings.HasSuffix(below, at.Name):
		return "has(" + below + ")", "!has(" + below + ")"
	case at.Kind != "index" || len(at.children) != 2 || at.children[1].Kind != "literal" || s.Runes[at.children[1].Start-1] != '[':
		return "", ""
	}
	of, key := at.children[0], at.children[1]
	on, text := string(s.Runes[of.Start:of.End]), string(s.Runes[key.Start:key.End])
	switch key.Value.(type) {
	case string:
		return text + " in " + on, "!(" + text + " in " + on + ")"
	case bool, nil:
		return "", ""
	}
	return "size(" + on + ") > " + text, "size(" + on + ") <= " + text
}

// guards puts a test before the condition that a part is in.
func guards(s *rewrite.Source, e *report.Evaluation, n *node) []diag.Fix {
	condition, ok := conditionOf(e, n)
	if !ok {
		return nil
	}
	present, absent, what := test(s, n)
	if present == "" {
		return nil
	}
	leave := lenient(e, condition, n)
	condition = failsWith(s, condition, n)
	leave = leave && (condition.Kind != "logical" || condition.Name != "_&&_") // what is demanded beside others is missing
	present, absent = withoutFirstTest(s, condition, present, absent)
	and, or, andEnd, orEnd := present+" && ", absent+" || ", "", ""
	if condition.Kind == "ternary" || condition.Kind == "logical" && condition.Name == "_||_" {
		and, andEnd = and+"(", ")"
	}
	if condition.Kind == "ternary" {
		or, orEnd = or+"(", ")"
	}
	inside := bracketed(s, condition)
	if condition.under("call", "!_") && !inside {
		and, andEnd = "("+and, andEnd+")"
	}
	if (condition.under("call", "!_") || condition.under("logical", "_&&_")) && !inside {
		or, orEnd = "("+or, orEnd+")"
	}
	others := alike(s, condition, n)
	around := func(title, before, after string) diag.Fix {
		list := []rewrite.Change{rewrite.Replace(condition.Start, condition.Start, before)}
		if after != "" {
			list = append(list, rewrite.Replace(condition.End, condition.End, after))
		}
		for _, other := range others {
			// The same test of the other field.
			field := func(text string) string {
				return strings.ReplaceAll(text, what, string(s.Runes[other.Start:other.End]))
			}
			list = append(list, rewrite.Replace(other.Start, other.Start, field(before)))
			if after != "" {
				list = append(list, rewrite.Replace(other.End, other.End, after))
			}
		}
		return s.Fix(title, list...)
	}
	whenFalse, whenTrue := guardTitles(e, condition, what, ofNull(n))
	var list []diag.Fix
	if !failsAfter(s, condition, n, false) {
		list = append(list, around(whenFalse, and, andEnd))
	}
	if !failsAfter(s, condition, n, true) {
		list = append(list, around(whenTrue, or, orEnd))
	}
	if leave {
		slices.Reverse(list)
	}
	return list
}

// failsAfter reports whether a condition that is the question of ? : chooses a branch that reads the same null.
func failsAfter(s *rewrite.Source, condition, n *node, value bool) bool {
	for condition.under("call", "!_") {
		condition, value = condition.parent, !value
	}
	if !condition.under("ternary", "") || condition.index > 0 || !ofNull(n) {
		return false
	}
	branch := condition.parent.children[1]
	if !value {
		branch = condition.parent.children[2]
	}
	return len(sameReads(s, branch, n)) > 0
}

// guardTitles say what a condition that is false, or true, for an absent part makes of the expression.
func guardTitles(e *report.Evaluation, condition *node, what string, null bool) (whenFalse, whenTrue string) {
	yes, no, is := "Allow", "Deny", " is absent"
	switch e.List {
	case report.ConditionsList:
		yes, no = "Match", "Do not match"
	case report.RulesList:
		yes, no = "Accept", "Reject"
	}
	treat := "Treat a missing " + what + " as "
	if null {
		treat, is = "Treat a null "+what+" as ", " is null"
	}
	falseDecides, falseSettled := settled(condition, false)
	trueDecides, trueSettled := settled(condition, true)
	if !falseSettled && !trueSettled || strings.HasPrefix(e.Path, "spec.variables[") { // what a variable decides is written elsewhere
		return treat + "false", treat + "true"
	}
	title := func(value, ok bool) string {
		switch {
		case !ok:
			return fmt.Sprintf("Let this test be %t when %s%s", value, what, is)
		case value:
			return yes + " when " + what + is
		}
		return no + " when " + what + is
	}
	return title(falseDecides, falseSettled), title(trueDecides, trueSettled)
}

// settled is what an expression is where a condition in it has a value: for an item where that is in a loop. It is
// not known where other conditions decide.
func settled(condition *node, value bool) (whole, known bool) {
	for at := condition; at.parent != nil; at = at.parent {
		switch p := at.parent; {
		case p.Kind == "call" && p.Name == "!_":
			value = !value
		case p.Kind == "call" && p.Name == "bool", p.Kind == "ternary" && at.index > 0, p.Kind == "macro" && (p.Name == "all" || p.Name == "exists") && at.index > 0:
		case p.Kind == "logical" && value == (p.Name == "_||_"):
		default:
			return false, false
		}
	}
	return value, true
}

// failsWith is the condition to guard: that around the smallest one where another of its parts fails for the same
// reason, which a guard of one part would leave.
func failsWith(s *rewrite.Source, condition, n *node) *node {
	for at := condition; at.parent != nil; at = at.parent {
		if at.under("call", "!_") {
			continue
		}
		if at.parent.Kind != "logical" {
			break
		}
		for _, other := range at.parent.children {
			if other != at && slices.ContainsFunc(sameReads(s, other, n), func(same *node) bool { return same != n }) {
				condition = at.parent
			}
		}
	}
	return condition
}

// sameReads are the parts of a tree that fail as a part does: what reads the same of the same value, or anything of
// a variable that is null.
func sameReads(s *rewrite.Source, of, n *node) (out []*node) {
	text := func(n *node) string { return string(s.Runes[n.children[0].Start:n.children[0].End]) }
	of.walk(func(other *node) {
		if len(other.children) > 0 && other.Kind == n.Kind && text(other) == text(n) && (ofNull(n) || other.Error == n.Error) {
			out = append(out, other)
		}
	})
	return out
}

// withoutFirstTest leaves the last test out of a guard whose condition begins with it.
func withoutFirstTest(s *rewrite.Source, condition *node, present, absent string) (is, isNot string) {
	at, of := strings.LastIndex(present, " && "), strings.LastIndex(absent, " || ")
	if at > 0 && of > 0 && condition.Kind == "logical" && strings.HasPrefix(string(s.Runes[condition.Start:condition.End]), present[at+len(" && "):]+" && ") {
		return present[:at], absent[:of]
	}
	return present, absent
}

// bracketed reports whether a part is in round brackets of its own.
func bracketed(s *rewrite.Source, n *node) bool {
	before := strings.TrimRight(string(s.Runes[:n.Start]), " \n")
	after := strings.TrimLeft(string(s.Runes[n.End:]), " \n")
	open := strings.TrimSuffix(before, "(")
	return open != before && strings.HasPrefix(after, ")") && !endsInWord.MatchString(open)
}

var endsInWord = lazy.Regexp{Text: `\w$`}

// alike are the fields beside a field that is a condition by itself that are read of the
// same value, in the same way: of a.b || a.c, where a has no b, the second. They are as
// likely to be absent, and then fail next.
func alike(s *rewrite.Source, condition, n *node) []*node {
	if condition != n || n.Kind != "select" || len(n.children) == 0 {
		return nil
	}
	parent := condition.parent
	if condition.under("call", "!_") {
		parent = parent.parent
	}
	if parent == nil || parent.Kind != "logical" {
		return nil
	}
	on := func(n *node) string { return string(s.Runes[n.children[0].Start:n.children[0].End]) }
	var out []*node
	for _, other := range parent.children {
		if condition.under("call", "!_") {
			if other.Kind != "call" || other.Name != "!_" {
				continue
			}
			other = other.children[0]
		}
		if other != n && other.Kind == "select" && len(other.children) > 0 && on(other) == on(n) && (!other.Evaluated || other.Error != "") {
			out = append(out, other)
		}
	}
	return out
}

// ofOldObject reports whether a part is read directly from oldObject.
func ofOldObject(n *node) bool {
	return len(n.children) > 0 && n.children[0].Kind == "variable" && n.children[0].Name == "oldObject"
}

// lenient reports whether a condition most likely holds where the part that it
// is about is absent. What a validation forbids is not there then: it holds.
// What it demands is missing: it does not. A match condition selects requests,
// and one without the field is not among them, unless it leaves one value out.
func lenient(e *report.Evaluation, condition, n *node) bool {
	if e.List == report.RulesList && condition.parent == nil {
		return true // a field without a value cannot have a wrong one
	}
	if e.List == report.ConditionsList && condition.Kind == "call" && condition.Name == "_==_" && len(condition.children) == 2 {
		return (condition.children[0].empty() || condition.children[1].empty()) && !trueWhenAbsent[n.last()] // what is absent is empty
	}
	if e.List == report.ConditionsList && condition.Kind == "call" && condition.Name == "_!=_" {
		if ofOldObject(n) {
			return true // what has changed is asked for, and what is new is no less so
		}
		for _, side := range condition.children {
			if text, ok := side.Value.(string); ok && side.Kind == "literal" && text != "" && condition.parent == nil {
				return true // the condition leaves out one value, and what is absent is not that
			}
		}
	}
	if e.List != report.ValidationsList && e.List != report.RulesList {
		return false
	}
	if p := condition.parent; p != nil && (p.Kind == "call" && p.Name == "!_" || p.Kind == "ternary" || p.Kind == "macro" && p.Name != "all") {
		return false
	}
	if ofOldObject(n) {
		return true // a creation has no old object, and cannot break a rule about changes
	}
	left := true // the part is on the left of a comparison
	for at := n; at != condition; at = at.parent {
		left = at.index == 0
	}
	if condition.Kind == "macro" {
		return condition.Name == "all" && left
	}
	if condition.Kind != "call" {
		return false
	}
	other := condition.children[0]
	if left && len(condition.children) > 1 {
		other = condition.children[1]
	}
	switch condition.Name {
	case "matches":
		return !left // without a pattern there is nothing to match
	case "_!=_":
		if explain.ZeroWhenAbsent[n.last()] && other.empty() {
			return false // the server leaves out the value that is forbidden
		}
		return other.Value != "" // which demands a value
	case "_==_":
		return other.empty() && !trueWhenAbsent[n.last()]
	case "_<_", "_<=_":
		return left && !endlessWhenAbsent[n.last()]
	case "_>_", "_>=_":
		return !left || strings.HasSuffix(n.last(), "Port") // a port that is not there is not opened
	}
	return false
}

// endlessWhenAbsent are the fields of Kubernetes without which there is no limit: what demands a
// small value of them demands one.
var endlessWhenAbsent = map[string]bool{"activeDeadlineSeconds": true, "ttlSecondsAfterFinished": true, "podPidsLimit": true, "sizeLimit": true}

// trueWhenAbsent are the fields of Kubernetes that stand for true where they are absent.
var trueWhenAbsent = map[string]bool{"allowPrivilegeEscalation": true, "automountServiceAccountToken": true, "enableServiceLinks": true}

// last is the name of the last field that is read of a part.
func (n *node) last() string { return outermost(n).Name }

// empty reports whether a part is written as the value that stands for nothing: false, 0,
// an empty text, list or map. What is absent is no other.
func (n *node) empty() bool {
	switch n.Kind {
	case "list", "map":
		return len(n.children) == 0
	case "literal":
		return slices.Contains([]string{"false", "0", "0.0", ""}, fmt.Sprint(n.Value))
	}
	return false
}

// conditionOf is the smallest condition around a part: an operand of && or ||,
// what ? : asks, what a macro tests, or a whole validation.
func conditionOf(e *report.Evaluation, n *node) (*node, bool) {
	for {
		p := n.parent
		switch {
		case p == nil:
			return n, !n.hasFields && (e.List == report.ConditionsList || e.List == report.ValidationsList || e.List == report.RulesList)
		case p.Kind == "logical", p.Kind == "call" && p.Name == "!_", p.Kind == "ternary" && n.index == 0:
			return n, true
		case p.Kind == "ternary" && decides(e, p):
			return n, true
		case p.Kind == "macro" && p.Name != "has" && n.index > 0:
			return n, tests(p, n)
		}
		n = p
	}
}

// decides reports whether a choice is the whole of a condition, with or without bool() around it:
// then each of its branches is a condition as well.
func decides(e *report.Evaluation, choice *node) bool {
	p := choice.parent
	for p != nil && p.Kind == "call" && p.Name == "bool" {
		p = p.parent
	}
	return p == nil && (e.List == report.ConditionsList || e.List == report.ValidationsList || e.List == report.RulesList)
}

// tests reports whether an argument of a macro is a condition.
func tests(macro, arg *node) bool {
	switch macro.Name {
	case "all", "exists", "exists_one", "existsOne", "filter":
		return true
	}
	return arg.index < len(macro.children)-1 // the filter of map and transformMap
}
