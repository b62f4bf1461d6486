package foresight

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	repairs "github.com/preadmit/preadmit/engine/internal/repair/failures"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// describe gives a finding its code, its texts and its repairs.
func (x *search) describe(f *finding, full *report.Report, ev *report.Evaluation, r *foresee.Request) {
	e, failed := f.endpoint, tried(ev, &f.Diagnostic, strings.TrimPrefix(f.Summary, "the expression fails: "))
	object := findings.Article(e.Kind.Kind)
	missing, at := missingField(f.Related, failed)
	where := inNamespace(failing(full, &f.Diagnostic), r)
	f.Code = codes.FailsWhenNull
	switch {
	case hasNote(full, codes.NullObject) && e.Operation == "DELETE":
		f.Summary = fmt.Sprintf("the expression fails when %s is deleted: object is null", object)
		f.Fixes = slices.DeleteFunc(f.Fixes, func(fix diag.Fix) bool { return strings.HasPrefix(fix.Title, repairs.MatchOnly) }) // of one request
		f.Fixes = append(x.withoutOperation("DELETE", "CREATE", "UPDATE"), f.Fixes...)
		if x.names("DELETE") { // the policy is about deletions
			slices.SortStableFunc(f.Fixes, func(a, b diag.Fix) int {
				return cmp.Compare(strings.Index(b.Title, repairs.ReadOldObject), strings.Index(a.Title, repairs.ReadOldObject))
			})
		}
	case hasNote(full, codes.NullOldObject) && !strings.HasPrefix(failing(full, &f.Diagnostic), "object."):
		f.Summary = fmt.Sprintf("the expression fails when %s is created: oldObject is null", object)
		if e.Operation == "CONNECT" {
			f.Summary = fmt.Sprintf("the expression fails for %s: oldObject is null", requested(e))
		}
		f.Fixes = append(f.Fixes, x.withoutOperation("CREATE", "UPDATE")...)
	case hasNote(full, codes.NullParams):
		f.Summary = "the expression fails without a parameter: params is null"
		if x.binding != nil && x.binding.ParamRef == nil {
			f.Summary = fmt.Sprintf("the expression fails: binding %q has no paramRef, so params is null", x.binding.Name)
		}
	case hasNote(full, codes.NamespaceInCondition):
		f.Summary = "the expression fails: namespaceObject is null in match conditions"
	case !e.Namespaced && strings.Contains(failed, "no such key") && strings.Contains(failing(full, &f.Diagnostic), "namespaceObject"):
		f.Summary = fmt.Sprintf("the expression fails for %s, which is in no namespace: namespaceObject is null", object)
	case missing != "" && !x.declares(e, at):
		f.Code = codes.FailsForKind
		f.Summary = fmt.Sprintf("the expression fails for %s: %s has no field %s", requested(e), object, missing)
		f.Fixes = append(x.withoutResource(e), f.Fixes...)
		slices.SortStableFunc(f.Fixes, func(a, b diag.Fix) int {
			return cmp.Compare(strings.Index(b.Title, repairs.ReadTemplate), strings.Index(a.Title, repairs.ReadTemplate))
		})
	case missing != "":
		f.Code = codes.FailsWhenMissing
		f.Summary = fmt.Sprintf("the expression fails for %s without %s", object, missing)
		if at[0].Name() == "oldObject" {
			f.Summary = fmt.Sprintf("the expression fails when %s is updated that had no %s", object, missing)
		}
		if e.Operation == "DELETE" {
			f.Summary = fmt.Sprintf("the expression fails when %s without %s is deleted", object, missing)
		}
		f.Fixes = slices.DeleteFunc(f.Fixes, isRename)
	case x.definition != nil:
		f.Code = codes.FailsWhenMissing
		f.Fixes = slices.DeleteFunc(f.Fixes, isRename)
		f.describeRule(ev, x.written(&f.Diagnostic), failed)
	default:
		f.Code = codes.FailsWhenMissing
		f.Summary = fmt.Sprintf("the expression fails for %s%s: %s", requested(e), where, failed)
		part := failing(full, &f.Diagnostic)
		if field, ok := strings.CutPrefix(part, "namespaceObject."); ok && strings.HasPrefix(failed, "no such key") {
			f.Summary = fmt.Sprintf("the expression fails for %s in a namespace without %s", object, field)
		} else if field, ok := strings.CutPrefix(part, "request."); ok && strings.HasPrefix(failed, "no such key") {
			f.Summary = fmt.Sprintf("the expression fails for %s: the request has no %s", requested(e), field)
		}
	}
	if strings.HasSuffix(ev.Path, ".messageExpression") {
		f.Summary = strings.Replace(f.Summary, "the expression", "the messageExpression", 1)
	}
	f.Related = slices.DeleteFunc(f.Related, func(r diag.Related) bool { return r.Text == diag.Request })
	for i := range f.Fixes {
		f.Fixes[i].Sure = len(f.Fixes) == 1 && (repairs.CompletesPatch(f.Fixes[i]) || f.Fixes[i].Title == "Write oldObject")
	}
	f.Fixes = slices.DeleteFunc(f.Fixes, func(fix diag.Fix) bool {
		return fix.Request != nil || slices.ContainsFunc(fix.Edits, func(e diag.Edit) bool { return e.Text == diag.Request })
	})
	f.Detail = fmt.Sprintf("Preadmit evaluated %s%s: %s. %s", requested(e), where, failed, x.consequence(ev.Path))
}

// inNamespace says what the request's Namespace has besides its name, if the part that fails reads it: the finding
// holds only there.
func inNamespace(part string, r *foresee.Request) string {
	if !strings.Contains(part, "namespaceObject") {
		return ""
	}
	var has []string
	for _, name := range []string{"labels", "annotations"} {
		values, _ := untyped.Sub(r.InNamespace, "metadata")[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if key != corev1.LabelMetadataName {
				has = append(has, fmt.Sprintf("%s %s: %v", strings.TrimSuffix(name, "s"), key, values[key]))
			}
		}
	}
	if len(has) == 0 {
		return ""
	}
	return " in a namespace with the " + strings.Join(has, " and the ")
}

// isRename reports whether a fix only writes the name of another field. A field that the schema has is no misspelling.
func isRename(fix diag.Fix) bool {
	return len(fix.Edits) == 1 && fix.Title == "Write "+fix.Edits[0].New && !strings.Contains(fix.Title, "has(")
}

// consequence says what the error of an expression does to the request.
func (x *search) consequence(path string) string {
	switch {
	case strings.HasSuffix(path, ".messageExpression"):
		return "The server then takes message in its place, or else the text of the validation."
	case x.definition != nil:
		return "The server then rejects the object with this error instead of the rule's message."
	case x.hook != nil && x.ignores:
		return "failurePolicy is Ignore, so the server does not call the webhook, and the request passes."
	case x.hook != nil:
		return "The server then rejects the request without calling the webhook."
	case x.ignores && x.mutating != nil:
		return "failurePolicy is Ignore, so the request passes without the mutation."
	case x.ignores:
		return "failurePolicy is Ignore, so the request passes unchecked."
	case strings.HasPrefix(path, "spec.auditAnnotations[") && !x.denies():
		return "The server then denies the request with this error, although the binding does not deny."
	case !x.denies():
		return "The server then reports this error" + x.insteadOfMessage(path)
	}
	return "The server then denies the request with this error" + x.insteadOfMessage(path)
}

// insteadOfMessage ends a sentence about an error that the client reads, where the validation has a message, or
// for the expression of another field any validation.
func (x *search) insteadOfMessage(path string) string {
	list, _ := x.document.Value["spec"].(map[string]any)["validations"].([]any)
	for i, item := range list {
		v, _ := item.(map[string]any)
		own := fieldpath.Item("spec.validations", i) + "."
		if (v["message"] != nil || v["messageExpression"] != nil) && (strings.HasPrefix(path, own) || !strings.HasPrefix(path, "spec.validations[")) {
			return " instead of the policy's message."
		}
	}
	return "."
}

// failing is the part of an expression that a diagnostic is about; empty where it is another
// part than the one that decided.
func failing(full *report.Report, d *diag.Diagnostic) string {
	part := ""
	for _, s := range steps(full) {
		s.Evaluations(func(e *report.Evaluation) {
			if e.Path != d.Path || e.Decisive == nil || e.Decisive.Span != d.Span {
				return
			}
			if source := []rune(e.Expression); e.Decisive.Start >= 0 && e.Decisive.End <= len(source) {
				part = string(source[e.Decisive.Start:e.Decisive.End])
			}
		})
	}
	return part
}

// tried adds to an error the values that it is about.
func tried(ev *report.Evaluation, d *diag.Diagnostic, failed string) string {
	source := []rune(ev.Expression)
	of := func(n *report.Node) string { return string(source[n.Start:n.End]) }
	var find func(list []report.Node)
	find = func(list []report.Node) {
		for i := range list {
			n := &list[i]
			find(n.Children)
			if n.Span != d.Span || n.Error == "" || len(n.Children) == 0 {
				continue
			}
			first := &n.Children[0]
			switch {
			case isConversion(n.Error) && n.Kind == "call" && len(n.Children) == 1 && first.Kind != "literal":
				failed += " for the value " + written(first.Value)
			case strings.HasPrefix(n.Error, "got 'types.Null', expected iterable type"):
				failed = of(first) + " is null, which has no items"
			case n.Error == "no such overload" && n.Kind == "call":
				for k := range n.Children {
					if c := &n.Children[k]; c.Kind != "literal" && c.Type == "string" {
						failed += fmt.Sprintf(", because %s may be a string such as %q", of(c), fmt.Sprint(c.Value))
					}
				}
			}
		}
	}
	find(ev.Children)
	return failed
}

// conversions begin the errors about the value that a function converts.
var conversions = []string{"type conversion error", "quantities must match", "no such overload: "}

func isConversion(text string) bool {
	return slices.ContainsFunc(conversions, func(start string) bool { return strings.HasPrefix(text, start) })
}

// written is a value as YAML has it, strings in quotes.
func written(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}

// missingField is the field of the request's objects that the expression missed, as people
// name it, and its path with the variable in front.
func missingField(related []diag.Related, failed string) (name string, at fieldpath.Path) {
	key, isKey := strings.CutPrefix(failed, "no such key: ")
	for _, r := range related {
		if !isKey || r.Text != diag.Request {
			continue
		}
		if path, ok := strings.CutPrefix(r.Path, "request."); ok && (strings.HasPrefix(path, "object.") || strings.HasPrefix(path, "oldObject.")) {
			at := fieldpath.Parse(path)
			// The place may be that of a field with a similar name.
			if at.Last() != key {
				at = at.Parent().Child(key)
			}
			return at[1:].String(), at
		}
	}
	return "", nil
}

// declares reports whether objects of the endpoint's kind can have a field.
func (x *search) declares(e foresee.Endpoint, at fieldpath.Path) bool {
	t, known := x.Catalog.TypeOf(e.Kind)
	if !known || len(at) < 2 {
		return true
	}
	var names []string
	for _, step := range at[1:] {
		names = append(names, step.Name())
	}
	return t.At(names...) != nil
}

// withoutResource is the repair that takes a resource out of the rules that name it beside
// others.
func (x *search) withoutResource(e foresee.Endpoint) []diag.Fix {
	name := e.Resource.Resource
	if e.SubResource != "" {
		name += "/" + e.SubResource
	}
	for i, r := range x.rules {
		at := slices.Index(r.Resources, name)
		if at < 0 || len(r.Resources) < 2 {
			continue
		}
		path := fieldpath.Parse(x.rulesPath).Index(i).Child("resources").Index(at).String()
		if edit, ok := x.document.Remove(path); ok && x.document.Has(path) {
			return []diag.Fix{{Title: "Do not match " + name, Edits: []diag.Edit{edit}}}
		}
	}
	return nil
}

// names reports whether a rule names an operation.
func (x *search) names(operation v1.OperationType) bool {
	return slices.ContainsFunc(x.rules, func(r v1.RuleWithOperations) bool { return slices.Contains(r.Operations, operation) })
}

// withoutOperation is the repair that leaves an operation out of the rules. Those that stay are
// written in the order of the arguments.
func (x *search) withoutOperation(operation string, rest ...string) []diag.Fix {
	var edits []diag.Edit
	var now []string
	for i, r := range x.rules {
		all := slices.Contains(r.Operations, v1.OperationAll)
		if !all && !slices.Contains(r.Operations, v1.OperationType(operation)) {
			continue
		}
		var kept []string
		for _, other := range rest {
			if all || slices.Contains(r.Operations, v1.OperationType(other)) {
				kept = append(kept, other)
			}
		}
		path := fieldpath.Parse(x.rulesPath).Index(i).Child("operations").String()
		if len(kept) == 0 || !x.document.Has(path) {
			return nil // nothing would be left of the rule
		}
		edit, ok := x.document.Rewrite(path, "["+strings.Join(kept, ", ")+"]")
		if !ok {
			return nil
		}
		edits, now = append(edits, edit), kept
	}
	if len(edits) == 0 {
		return nil
	}
	return []diag.Fix{{Title: repairs.MatchOnly + strings.Join(now, " and "), Edits: edits}}
}
