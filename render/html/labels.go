package html

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/response"
)

// stepID returns the id of a step's element, for links and restored folds.
func stepID(index int) string { return "step-" + strconv.Itoa(index) }

func stepLink(index int) templ.SafeURL { return templ.SafeURL("#" + stepID(index)) }

// stepName returns the policy's or webhook's name.
func stepName(s report.Step) string {
	if s.Webhook != "" {
		return s.Webhook
	}
	return s.Policy
}

const (
	// pluginKind is the kind of built-in admission plugins' steps.
	pluginKind     = "AdmissionPlugin"
	definitionKind = "CustomResourceDefinition"
)

func stepNoun(s report.Step) string {
	switch {
	case s.Webhook != "":
		return "webhook"
	case s.Kind == pluginKind:
		return "plugin"
	case s.OfPolicy():
		return "policy"
	case s.Kind == definitionKind:
		return s.Kind
	}
	return "the server's own" // validation, for example
}

// label names an expression in its list. Unnamed ones are numbered from 1.
func label(e report.Evaluation, noun string, index int) string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("%s %d", noun, index+1)
}

// hasDetail reports whether a step has expressions to show.
func hasDetail(s report.Step) bool {
	return len(s.Conditions)+len(s.Variables)+len(s.Mutations)+len(s.Validations)+len(s.AuditAnnotations)+len(s.RuleCosts) > 0
}

// opensByDefault reports whether a step shows more than the verdict's card, and so is open.
func opensByDefault(s report.Step) bool {
	switch StepState(s) {
	case Unmatched, Idle, Mutated, Excluded:
		return false
	}
	return true
}

// detailSummary counts folded items.
func detailSummary(s report.Step) string {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(len(s.Conditions), "condition", "conditions")
	variables := map[string]bool{} // a message that reads one evaluates it again
	for i, v := range s.Variables {
		variables[label(v, "variable", i)] = true
	}
	add(len(variables), "variable", "variables")
	add(len(s.Mutations), "mutation", "mutations")
	add(len(s.Validations), "validation", "validations")
	add(len(s.AuditAnnotations), "audit annotation", "audit annotations")
	add(len(s.RuleCosts), "estimate", "estimates")
	if c := stepCost(s); c > 0 {
		parts = append(parts, "cost "+report.Number(c))
	}
	return strings.Join(parts, ", ")
}

// rowClass highlights deciding rows.
func rowClass(kind string, e report.Evaluation) string {
	switch {
	case e.Error != "":
		return "is-error"
	case !e.Evaluated:
		return "is-none"
	case e.Result == false && kind == "condition":
		return "is-excluding"
	case e.Result == false && kind == "validation":
		return "is-denying"
	}
	return ""
}

// requestResource returns "deployments.apps" or "pods/exec".
func requestResource(q report.Request) string {
	groupVersion, name, _ := strings.Cut(q.Resource, ", Resource=")
	group, _, _ := strings.Cut(groupVersion, "/")
	if group != "" {
		name += "." + group
	}
	if q.SubResource != "" {
		name += "/" + q.SubResource
	}
	return name
}

func requestName(q report.Request) string {
	name := q.Name
	if name == "" {
		name = "(name generated later)"
	}
	if q.Namespace != "" {
		return q.Namespace + "/" + name
	}
	return name
}

func installState(i report.Install) State {
	if i.Code != 0 {
		return Denied
	}
	return Warned
}

func installWord(i report.Install) string {
	if i.Code != 0 {
		return strings.TrimSpace(fmt.Sprintf("rejected %d %s", i.Code, i.Reason))
	}
	return "warned about"
}

// refused returns the documents that the server would reject.
func refused(r *report.Report) []report.Install {
	return slices.DeleteFunc(slices.Clone(r.Install), func(i report.Install) bool { return i.Code == 0 })
}

// firstError returns the index of the first problem in a rejected document, and its place. If no
// problem explains the rejection, the index is -1 and the place is the document's start.
func firstError(r *report.Report, i report.Install) (index int, at diag.Span) {
	index = slices.IndexFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Text == i.Text && d.Severity == diag.Error && d.Span.Start >= i.Span.Start && d.Span.End <= i.Span.End
	})
	if index < 0 {
		return index, diag.Span{Start: i.Span.Start, End: i.Span.Start}
	}
	return index, r.Diagnostics[index].Span
}

// budgetName describes the budget. The limits are those of semantics §2.
func budgetName(b report.Budget) string {
	names := map[report.Scope]string{
		report.CallScope:             "largest single expression",
		report.MatchConditionsScope:  "match conditions",
		report.ValidationsScope:      "validations",
		report.AuditAnnotationsScope: "audit annotations",
		report.MutationScope:         "mutation",
	}
	name := names[b.Scope]
	if name == "" {
		name = string(b.Scope)
	}
	switch {
	case b.Scope == report.CallScope && b.Name != "":
		name += ": " + b.Name
	case strings.HasPrefix(b.Name, name):
		name = b.Name // "mutation 1" includes both
	case b.Name != "":
		name += " " + b.Name
	}
	return name
}

func noObject(r *report.Report) string {
	switch {
	case r.Request != nil && r.Request.Operation == "DELETE":
		return "A DELETE request carries no new object."
	case !asked(r):
		return "There is no object yet. Paste one under Request: the output of kubectl get ... -o yaml, or a captured AdmissionReview."
	case !r.Outcome.Allowed:
		return "The request was denied before there was an object to store."
	}
	return "The request carries no object."
}

// noSteps says why the chain is empty.
func (v View) noSteps() string {
	switch {
	case !asked(v.Report) && refusedKind(v.Report) == definitionKind:
		return "The server rejects the CustomResourceDefinition, so its kind does not exist."
	case !asked(v.Report):
		return "Policies and webhooks will be listed here in the order in which the server runs them, with each expression's value and cost."
	case !v.Report.Outcome.Allowed && v.Report.Outcome.Code != 0:
		return "The server rejects the request before any policy or webhook runs."
	case len(refused(v.Report)) > 0 && refusedKind(v.Report) == "Policy":
		return "The server rejects the policies, so none of them runs."

	case len(v.Report.Outcome.Unmatched) > 0:
		u := v.Report.Outcome.Unmatched[0]
		return u.Name + ": " + u.Reason + "."
	case strings.TrimSpace(v.Texts[diag.Policies]) != "":
		return "Policies has no policy or webhook configuration, so only the server's built-in checks run."
	}
	return "Policies has no policy or webhook configuration, so only the server's built-in checks run. Paste the output of kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml, or write one."
}

// noChanges says why there is no diff.
func noChanges(r *report.Report) string {
	if !asked(r) {
		return "Changes that mutating policies and webhooks make to the object will be shown here, line by line."
	}
	if !r.Outcome.Allowed {
		return "No policy or webhook changed the object before the request was denied."
	}
	return "No policy or webhook changed the object."
}

// secondPass marks what belongs to the mutating phase's second pass.
const secondPass = "(second pass)"

// change is one diff in the Diff view.
type change struct {
	Title, Hint   string
	Before, After map[string]any
}

// changes are what an update changes, then what admission changes in the new object.
func changes(r *report.Report) []change {
	list := admissionChanges(r)
	if r.Request == nil || r.Request.Operation != "UPDATE" || r.OldObject == nil || r.Mutated == nil || equality.Semantic.DeepEqual(r.OldObject, r.Mutated) {
		return list
	}
	return append([]change{{Title: "From the old object to the new one", Before: r.OldObject, After: r.Mutated}}, list...)
}

// admissionChanges is the whole change first, then the single mutations when there is more than one. Where
// built-in plugins take part, the changes by policies and webhooks come before all, and the whole after all.
func admissionChanges(r *report.Report) []change {
	var own, builtIn []change
	titles := map[string]bool{}
	add := func(s report.Step, c change) {
		if titles[c.Title] && s.Pass > 0 {
			c.Title += " " + secondPass
		}
		titles[c.Title] = true
		if s.OfPolicy() {
			own = append(own, c)
		} else {
			builtIn = append(builtIn, c)
		}
	}
	for _, s := range r.Steps {
		if len(s.Mutations) == 0 && len(s.Diff) > 0 {
			add(s, change{Title: stepName(s), Before: s.Before, After: s.After})
		}
		for j, m := range s.Mutations {
			if len(m.Diff) == 0 {
				continue
			}
			add(s, change{
				Title: stepName(s) + ", " + label(m.Evaluation, "mutation", j),
				Hint:  m.PatchType, Before: m.Before, After: m.After,
			})
		}
	}
	single := append(own, builtIn...)
	before, after, ok := Whole(r)
	if !ok {
		return single
	}
	whole := change{Title: "The whole change", Before: before, After: after}
	if len(single) < 2 {
		if len(single) == 1 {
			whole.Hint = "by " + single[0].Title
		}
		return []change{whole}
	}
	if len(own) > 0 && len(builtIn) > 0 {
		return append(single, whole)
	}
	return append([]change{whole}, single...)
}

// Whole returns the object before and after the mutating phase; false if unchanged. It excludes
// what storage adds later, such as uid and creationTimestamp.
func Whole(r *report.Report) (before, after map[string]any, ok bool) {
	if r.Input == nil || r.Mutated == nil || equality.Semantic.DeepEqual(r.Input, r.Mutated) {
		return nil, nil, false
	}
	return r.Input, r.Mutated, true
}

// diffClass returns the class of an added or removed line.
func diffClass(l diffLine) string {
	if l.Op == '+' {
		return "diff-line diff-add"
	}
	return "diff-line diff-remove"
}

func skipped(n int) string {
	if n == 1 {
		return "1 line unchanged"
	}
	return report.Number(int64(n)) + " lines unchanged"
}

func kubectl(r *report.Report) string {
	if text := response.Kubectl(r); text != "" {
		return text
	}
	return "(nothing)\n"
}

func review(r *report.Report) string {
	v, err := response.Review(r)
	if err != nil {
		return fmt.Sprintf("# cannot be shown: %v\n", err)
	}
	return YAML(v)
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// tabs are the texts' names above the page's editors.
var tabs = map[diag.Text]string{diag.Policies: "Policies", diag.Request: "Request", diag.Cluster: "Cluster", diag.Expression: "Expression"}

// placeName labels a link into an editor: "Request, line 6".
func placeName(text diag.Text, line int) string {
	name, ok := tabs[text]
	switch {
	case !ok:
		return string(text)
	case line == 0:
		return name
	}
	return fmt.Sprintf("%s, line %d", name, line)
}

// problemPlace labels a problem's place: in an editor, in the old object, which is a setting with an
// editor of its own, or in the settings.
func problemPlace(d diag.Diagnostic) string {
	switch {
	case d.Text != diag.Settings:
		return placeName(d.Text, d.Line)
	case strings.HasPrefix(d.Path, "options.request.oldObject"):
		return "Old object"
	}
	return "Settings"
}

// ownWords splits a denial's message into the server's prefix and the policy author's text.
func ownWords(r *report.Report) (frame, own string) {
	message := r.Outcome.Message
	if by := decider(r); by != nil {
		for _, m := range by.Messages {
			if m != "" && strings.HasSuffix(message, m) {
				return strings.TrimSuffix(message, m), m
			}
		}
	}
	for _, frame := range []string{" denied the request: ", " denied request: "} {
		if before, own, ok := strings.Cut(message, frame); ok && own != "" {
			return before + frame, own
		}
	}
	return message, ""
}

// severalErrors splits a message with several errors into the server's prefix and the errors. It
// returns none if there is at most one. Errors of a rule that does not compile are shortened, as
// under Problems.
func severalErrors(r *report.Report) (frame string, errors []string) {
	frame, list, ok := strings.Cut(r.Outcome.Message, " is invalid: [")
	if !ok {
		return "", nil
	}
	var all []string
	if by := decider(r); by != nil && len(by.Messages) > 1 {
		all = by.Messages
	} else {
		for i, cause := range r.Outcome.Causes {
			if i < len(r.Outcome.CauseFields) && r.Outcome.CauseFields[i] != nil {
				cause = *r.Outcome.CauseFields[i] + ": " + cause
			}
			all = append(all, cause)
		}
	}
	for _, text := range all {
		if !strings.Contains(list, text) {
			return "", nil // the list has other parts
		}
		if path, rest, ok := strings.Cut(text, ": "); ok && headline(rest) != rest {
			text = path + ": " + headline(rest)
		}
		if !slices.Contains(errors, text) {
			errors = append(errors, text)
		}
	}
	if len(errors) < 2 {
		return "", nil
	}
	return frame + " is invalid:", errors
}

// mostErrors limits the object errors shown with the verdict. The others are at the step and in the
// response.
const mostErrors = 5

// otherMessages returns a step's messages that no validation shows.
func otherMessages(s report.Step) []string {
	return slices.DeleteFunc(slices.Clone(s.Messages), func(m string) bool {
		return slices.ContainsFunc(s.Validations, func(v report.Validation) bool {
			return v.Error == m || v.Message == m && v.Decision == report.Deny
		})
	})
}

// variableName names a variable, with its list if several lists computed it: validations, messages
// and audit annotations each start afresh (semantics §9).
func variableName(list []report.Evaluation, index int) string {
	e := list[index]
	name := "variables." + label(e, "variable", index)
	for i, other := range list {
		if i != index && other.Name == e.Name && other.List != e.List {
			return name + ", for " + string(e.List)
		}
	}
	return name
}

// mainBudgets omits all per-call budgets except the most used: every expression has one. Those of the
// second pass say so.
func mainBudgets(list []report.Budget, steps []report.Step) []report.Budget {
	var out []report.Budget
	most := -1
	list = slices.Clone(list)
	for i, b := range list {
		if b.Step >= 0 && b.Step < len(steps) && steps[b.Step].Pass > 0 {
			b.Name = strings.TrimSpace(b.Name + " " + secondPass)
			list[i] = b
		}
		if b.Scope != report.CallScope {
			out = append(out, b)
		} else if most < 0 || b.Used > list[most].Used {
			most = i
		}
	}
	if most >= 0 {
		out = append(out, list[most])
	}
	return out
}

// operand is part of an expression with its value.
type operand struct {
	Text, Value string
	// Missing says that Text has no field Value.
	Missing bool
}

// operands returns the values that decided an expression: those in the smallest false comparison, or in
// each alternative of a false "or". It is empty if they add nothing.
func operands(e report.Evaluation) []operand {
	node := e.DecisiveNode()
	if node == nil {
		return nil
	}
	return operandsOf(*node, []rune(e.Expression))
}

func operandsOf(n report.Node, expression []rune) []operand {
	if o, ok := absent(n, expression); ok {
		return []operand{o}
	}
	if o, ok := lacking(n, expression); ok {
		return []operand{o}
	}
	list := n.Children
	if n.IsFalseOr() {
		list = n.Alternatives()
	}
	var out []operand
	for _, child := range list {
		for _, o := range operandOf(child, expression) {
			if !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// operandOf returns a part with its value. A test is less than what it compares, so that has those instead.
func operandOf(n report.Node, expression []rune) []operand {
	if o, ok := absent(n, expression); ok {
		return []operand{o}
	}
	if !n.Evaluated || n.Error != "" || n.Start < 0 || n.End > len(expression) || n.Start >= n.End {
		return nil
	}
	if _, test := n.Value.(bool); test && (n.Kind == "logical" || len(n.Children) == 2 && n.Kind == "call") {
		if inner := operandsOf(n, expression); len(inner) > 0 {
			return inner
		}
	}
	text, shown := string(expression[n.Start:n.End]), value(n.Value)
	if n.Shown == emptyOptional {
		shown = "missing"
	}
	if text == shown || !tells(n) {
		return nil
	}
	return []operand{{Text: text, Value: shown}}
}

// a failed has() test; the whole object would be less helpful
func absent(n report.Node, expression []rune) (operand, bool) {
	if n.Kind != "macro" || n.Name != "has" || n.Value != false || n.Start < 0 || n.End > len(expression) || n.Start >= n.End {
		return operand{}, false
	}
	field := strings.TrimSuffix(strings.TrimPrefix(string(expression[n.Start:n.End]), "has("), ")")
	dot := strings.LastIndex(field, ".")
	if dot <= 0 || strings.ContainsAny(field[dot:], "()[]\"' ") {
		return operand{}, false
	}
	return operand{Text: field[:dot], Value: field[dot+1:], Missing: true}, true
}

// emptyOptional is how a report shows an optional without a value.
const emptyOptional = "optional.none()"

// lacking is a part that failed as a field or key is missing, which is said of the object alone.
func lacking(n report.Node, expression []rune) (operand, bool) {
	if n.Missing == "" || len(n.Children) == 0 || n.Kind != "select" && n.Kind != "index" {
		return operand{}, false
	}
	of := n.Children[0]
	if _, err := strconv.Atoi(n.Missing); err == nil || of.Start < 0 || of.End > len(expression) || of.Start >= of.End {
		return operand{}, false
	}
	return operand{Text: string(expression[of.Start:of.End]), Value: n.Missing, Missing: true}, true
}

// loopNotes say which items the loops around the deciding part of an expression stopped at.
func loopNotes(e report.Evaluation) []string {
	var out []string
	var walk func(list []report.Node)
	walk = func(list []report.Node) {
		for _, n := range list {
			if !decides(n, e) {
				continue
			}
			if n.Decided != nil && n.Note != "" {
				out = append(out, n.Note)
			}
			walk(n.Children)
		}
	}
	walk(e.Children)
	return out
}

// tells reports whether the value of a part is news: a literal is its own value, and of
// what only has functions, such as an authorizer, there is the type alone.
func tells(n report.Node) bool {
	return n.Kind != "literal" && (n.Type == "string" || n.Value != n.Type && n.Value != "kubernetes."+n.Type)
}

// saysMessage reports whether the messageExpression's row already shows the message.
func saysMessage(v report.Validation) bool {
	return v.MessageExpression != nil && v.MessageExpression.Result == v.Message
}
