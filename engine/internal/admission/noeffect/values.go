package noeffect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// values looks at the parts of an expression that was evaluated.
func (r *Run) values(e *report.Evaluation, doc *scenario.Document) {
	if len(e.Children) == 0 || !concerned(&e.Children[0]) {
		return
	}
	source := r.source(doc, e.Path)
	if source == nil || string(source.Runes) != e.Expression {
		return
	}
	r.wholeMap(e, doc, source)
	walk(&e.Children[0], func(n *report.Node) {
		switch {
		case n.Kind == "macro" && n.Name == "has" && n.Value == false && len(n.Children) == 1:
			r.dropped(e, n, doc, source)
		case (n.Name == "_==_" || n.Name == "_!=_") && len(n.Children) == 2:
			r.account(e, n, doc, source)
		case n.Name == "@in" && n.Value == false && len(n.Children) == 2:
			r.role(e, n, doc, source)
		}
	})
}

// concerned reports whether an expression has a part that values looks at closely. Few have, and to
// read the source of each would take longer than its evaluation.
func concerned(root *report.Node) (found bool) {
	walk(root, func(n *report.Node) {
		switch {
		case n.Value == false:
			found = found || n.Name == "has" || n.Name == "!_" || n.Name == "@in"
		case n.Kind == "literal":
			name, _ := n.Value.(string)
			found = found || strings.HasPrefix(name, "system:")
		}
	})
	return found
}

func walk(n *report.Node, f func(*report.Node)) {
	f(n)
	for i := range n.Children {
		walk(&n.Children[i], f)
	}
}

// dropped reports a has() that is false although the text that was sent has the field: the
// server leaves out fields whose value is the zero value.
func (r *Run) dropped(e *report.Evaluation, n *report.Node, doc *scenario.Document, source *rewrite.Source) {
	text := string(source.Runes[n.Start:n.End])
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "has("), ")"))
	path, ok := strings.CutPrefix(inner, "object.")
	if !ok || strings.ContainsAny(path, "[( ?") {
		return
	}
	value, sent := fieldpath.Parse(path).Get(r.Report.Sent)
	what := zero(value)
	if !sent || what == "" {
		return
	}
	r.add(doc, codes.DroppedValue, e.Path, n.Span,
		fmt.Sprintf("%s is false although the request sets %s: the server drops %s", text, path, what),
		"The server treats a zero value like a missing field, so no expression can distinguish the two. Decide for both at once: what a missing field means, a zero value means too.", diag.Fix{})
}

const accountPrefix = "system:serviceaccount:"

// account reports a comparison of the user's name with one that is nearly the same.
func (r *Run) account(e *report.Evaluation, n *report.Node, doc *scenario.Document, source *rewrite.Source) {
	side, literal := &n.Children[0], &n.Children[1]
	if side.Kind == "literal" {
		side, literal = literal, side
	}
	if literal.Kind != "literal" || string(source.Runes[side.Start:side.End]) != "request.userInfo.username" {
		return
	}
	user, _ := side.Value.(string)
	wanted, _ := literal.Value.(string)
	if user == wanted || !sameAccount(user, wanted) {
		return
	}
	quoted := "'" + user + "'"
	r.add(doc, codes.NearName, e.Path, literal.Span,
		fmt.Sprintf("the request is by %s, the expression names %s", user, wanted),
		"The names are compared as a whole.", source.Fix("Write "+quoted, rewrite.Replace(literal.Start, literal.End, quoted)))
}

// sameAccount reports whether two names of users are likely to mean the same: one has all
// words of the other, or a service account has the same name in another namespace.
func sameAccount(a, b string) bool {
	accountA, isA := strings.CutPrefix(a, accountPrefix)
	accountB, isB := strings.CutPrefix(b, accountPrefix)
	if isA != isB {
		long, short := a, b
		if isB {
			long, short = b, a
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(long, accountPrefix), ":")
		return name != "" && name == short[strings.LastIndexByte(short, ':')+1:] // the prefix is forgotten
	}
	if !isA {
		last := func(s string) string { return s[strings.LastIndexByte(s, ':')+1:] }
		return strings.HasPrefix(a, "system:") && strings.HasPrefix(b, "system:") && sameWords(last(a), last(b))
	}
	namespaceA, nameA, _ := strings.Cut(accountA, ":")
	namespaceB, nameB, _ := strings.Cut(accountB, ":")
	if namespaceA == namespaceB {
		return sameWords(nameA, nameB)
	}
	return nameA == nameB && nameA != "default"
}

// sameWords reports whether one of two names with dashes has all words of the other.
func sameWords(a, b string) bool {
	long, short := strings.Split(a, "-"), strings.Split(b, "-")
	if len(long) < len(short) {
		long, short = short, long
	}
	return a != "" && b != "" && !slices.ContainsFunc(short, func(word string) bool { return !slices.Contains(long, word) })
}

// userRoles are the ClusterRoles that people take for groups.
var userRoles = []string{"cluster-admin", "admin", "edit", "view"}

// role reports the name of a role that is looked for among the groups of the user.
func (r *Run) role(e *report.Evaluation, n *report.Node, doc *scenario.Document, source *rewrite.Source) {
	runes := []rune(e.Expression)
	if n.End > len(runes) || string(runes[n.Children[1].Start:n.Children[1].End]) != "request.userInfo.groups" {
		return
	}
	for _, value := range append([]any{n.Children[0].Value}, n.Children[0].Values...) {
		name, _ := value.(string)
		if !slices.Contains(userRoles, name) {
			continue
		}
		r.add(doc, codes.NearName, e.Path, n.Children[1].Span,
			fmt.Sprintf("%s is a ClusterRole; request.userInfo.groups has groups only", name),
			"A binding gives a role to users and groups. The request does not carry roles. Check a permission with authorizer instead, or name a group such as system:masters.", mayDoAll(e, n, name, source))
		return
	}
}

// mayDoAll asks for what cluster-admin allows in place of a test of the groups for its name, or
// besides a test for several names.
func mayDoAll(e *report.Evaluation, n *report.Node, role string, source *rewrite.Source) diag.Fix {
	if role != "cluster-admin" {
		return diag.Fix{}
	}
	whole := n
	walk(&e.Children[0], func(m *report.Node) {
		if last := len(m.Children) - 1; m.Kind == "macro" && (m.Name == "exists" || m.Name == "exists_one") && m.Children[last].Start == n.Start && m.Children[last].End == n.End {
			whole = m
		}
	})
	const all = "authorizer.group('*').resource('*').check('*').allowed()"
	text := all
	if whole != n { // the list may name groups as well
		text = "(" + string(source.Runes[whole.Start:whole.End]) + " || " + all + ")"
	}
	return source.Fix("Check whether the user may do everything: "+all, rewrite.Replace(whole.Start, whole.End, text))
}
