package expressions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// clockPolicy is the policy that asks for the current time or for metadata in place of a rule, which cannot know them.
const clockPolicy = `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $name}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [$group], apiVersions: ['*'], operations: [CREATE], resources: [$resource]}
  validations:
  - expression: >-
      $expression
$message---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $name}
spec: {policyName: $name, validationActions: [Deny]}
`

// movedToPolicy moves a rule that asks for the current time, or for metadata besides the name, into a
// ValidatingAdmissionPolicy: where an object is created, its creationTimestamp is that time. It is false for
// rules of items, which a policy would have to look for, and for a request, which is one object.
func (r *Rule) movedToPolicy(doc *scenario.Document) (diag.Fix, bool) {
	at := r.path.Parent()
	below := strings.Join(append([]string{"object"}, r.names...), ".")
	expression := inPolicy(r.Text, below)
	for _, step := range r.path {
		if name := step.Name(); name == "items" || name == "additionalProperties" {
			return diag.Fix{}, false
		}
	}
	text := func(path string) string {
		s := fieldpath.As[string](fieldpath.Parse(path).Get(doc.Value))
		return s
	}
	group, resource := text("spec.group"), text("spec.names.plural")
	rules := fieldpath.As[[]any](at.Parent().Get(doc.Value))
	gone := at.String()
	if len(rules) == 1 {
		gone = at.Parent().String()
	}
	removed, ok := doc.Remove(gone)
	if !ok || expression == "" || group == "" || resource == "" || doc.IsJSON() || doc.Text == diag.Request {
		return diag.Fix{}, false
	}
	message := ""
	if m := text(at.Child("message").String()); m != "" {
		message = "    message: " + scenario.Quoted(m) + "\n"
	}
	name := resource + "." + group
	policy := strings.NewReplacer("$name", name, "$group", scenario.Scalar(group), "$resource", resource, "$expression", expression, "$message", message).Replace(clockPolicy)
	edits := []diag.Edit{removed, {Text: doc.Text, Span: diag.Span{Start: doc.Span.End, End: doc.Span.End}, New: policy}}
	if removed.Span.End >= doc.Span.End { // the rule is the last thing of the document
		removed.New += policy
		edits = []diag.Edit{removed}
	}
	return diag.Fix{Title: "Move the rule to a ValidatingAdmissionPolicy for new objects", Edits: edits, Draft: true}, true
}

// inPolicy is a rule as the expression of a policy for new objects, with the value of the rule at a
// path of the object; empty where it asks neither for the time with now() nor for metadata that a rule does not see.
func inPolicy(rule, object string) string {
	d := &draft{Tokens: source.NewTokens(rule), context: &context{}, text: rule}
	var edits, compared []edit
	asks := false
	old := "oldObject" + strings.TrimPrefix(object, "object")
	for i := range d.List {
		open, method, call := d.call(i)
		switch {
		case d.Is(i-1, "."):
		case call && !method && d.Is(i, "now") && d.Partner[open] == open+1:
			compared, asks = append(compared, d.timed(i, open+1)...), true
		case call && !method && d.Is(i, "has") && d.Is(open+1, "oldSelf") && d.Partner[open] > open:
			edits = append(edits, edit{d.start(i), d.start(i), "(oldObject != null && "}, edit{d.start(open + 1), d.end(open + 1), old}, edit{d.end(d.Partner[open]), d.end(d.Partner[open]), ")"})
		case d.Is(i, "self"):
			hidden := object == "object" && d.Is(i+1, ".") && d.Is(i+2, "metadata") && d.Is(i+3, ".") && !d.Is(i+4, "name") && !d.Is(i+4, "generateName")
			asks = asks || hidden
			edits = append(edits, edit{d.start(i), d.end(i), object})
		case d.Is(i, "oldSelf") && !(d.Is(i-1, "(") && d.Is(i-2, "has")):
			edits = append(edits, edit{d.start(i), d.end(i), old})
		}
	}
	if !asks {
		return ""
	}
	edits = append(edits, compared...)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	return strings.Join(strings.Fields(d.with(edits...)), " ")
}

// timed writes creationTime in place of a call, and reads the field that is compared with it as a time: objects of
// requests hold times as texts.
func (d *draft) timed(from, to int) []edit {
	now := []edit{{d.start(from), d.end(to), creationTime}}
	if i := d.comparison(from-1, -1); i > 0 && d.isField(d.chainStart(i-1), i-1) {
		return append([]edit{{d.start(d.chainStart(i - 1)), d.start(d.chainStart(i - 1)), "timestamp("}, {d.end(i - 1), d.end(i - 1), ")"}}, now...)
	}
	if i := d.comparison(to+1, 1); i > 0 && i+1 < len(d.List) && d.isField(i+1, d.chainEnd(i+1)) {
		return append(now, edit{d.start(i + 1), d.start(i + 1), "timestamp("}, edit{d.end(d.chainEnd(i + 1)), d.end(d.chainEnd(i + 1)), ")"})
	}
	return now
}

// comparison is the comparison that has a token as a part of one side, looked for in a direction; -1 where there is none.
func (d *draft) comparison(i, direction int) int {
	for ; i >= 0 && i < len(d.List); i += direction {
		switch text := d.List[i].Text; {
		case slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, text):
			return i
		case d.Partner[i] >= 0 && (d.Partner[i] > i) == (direction > 0):
			i = d.Partner[i]
		case d.Partner[i] >= 0 || slices.Contains([]string{"&&", "||", "?", ":", ","}, text):
			return -1
		}
	}
	return -1
}

// isField reports whether tokens read a field of the object or of its old or new value.
func (d *draft) isField(from, to int) bool {
	return from < to && slices.Contains([]string{"object", "oldObject", "self", "oldSelf", "params"}, d.List[from].Text) && (d.IsWord(to) || d.Is(to, "]"))
}
