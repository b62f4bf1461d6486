package failures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// notes adds the rules of admission that a reader may not expect.
func (x *explainer) notes(e *report.Evaluation, root *node) {
	root.walk(func(n *node) {
		note, ok := x.rule(e, n)
		if ok && !slices.Contains(e.Notes, note) {
			e.Notes = append(e.Notes, note)
		}
	})
}

// rule is the rule of admission behind a part that failed, or that is not what
// it looks like (semantics §0.2, §1.2, §1.3, §1.4).
func (x *explainer) rule(e *report.Evaluation, n *node) (note report.Note, ok bool) {
	null := ""
	if n.Missing != "" && len(n.children) > 0 && n.children[0].Kind == "variable" && n.children[0].Evaluated && n.children[0].Type == "null_type" {
		null = n.children[0].Name
	}
	switch {
	case n.Kind == "variable" && n.Name == "namespaceObject" && n.Evaluated && e.List == report.ConditionsList:
		note = report.Note{Code: codes.NamespaceInCondition, Text: "namespaceObject is null in every match condition. Select namespaces with a namespaceSelector, or test the namespace in a validation or mutation."}
	case strings.Contains(n.Error, "no such attribute(s): authorizer"):
		note = report.Note{Code: codes.AuthorizerNotBound, Text: authorizerNote(e)}
	case omitted(n):
		note = report.Note{Code: codes.EmptyRequestField, Text: fmt.Sprintf("request has no %s here: the server omits fields that are empty strings.", n.Missing)}
	case n.Error != "" && fromNamespaceMetadata(n):
		note = report.Note{Code: codes.NamespaceMetadata, Text: "namespaceObject.metadata declares UID, but the value is under uid. Its timestamps are declared as timestamps, but are strings. None of these fields can be used."}
	case null == "oldObject":
		note = report.Note{Code: codes.NullOldObject, Text: "Only updates and deletions have an old object."}
	case null == "object":
		note = report.Note{Code: codes.NullObject, Text: "A deletion has only oldObject."}
	case null == "params":
		note = report.Note{Code: codes.NullParams, Text: "No param is bound to the policy here."}
	case x.phase == report.Mutating && setByStorage(n):
		note = report.Note{Code: codes.SetByStorage, Text: fmt.Sprintf("The server sets metadata.%s of a new object after the mutating phase: only validating policies and webhooks see it.", n.Missing)}
	default:
		return note, false
	}
	return note, true
}

// setByStorage says that a part reads a field that an object gets only when it
// is stored.
func setByStorage(n *node) bool {
	if !slices.Contains([]string{"name", "uid", "creationTimestamp"}, n.Missing) || len(n.children) == 0 {
		return false
	}
	metadata := n.children[0]
	return metadata.Kind == "select" && metadata.Name == "metadata" && metadata.children[0].Kind == "variable" && metadata.children[0].Name == "object"
}

func authorizerNote(e *report.Evaluation) string {
	if e.List == report.AuditAnnotationsList {
		return "The server declares authorizer for audit annotations but gives it no value, so it always fails here."
	}
	return "Message expressions have no authorizer. A variable that uses it works only if a validation reads it first. Here the server falls back to the plain message."
}

// omitted says that a part reads a field of the request that is left out when
// it is empty.
func omitted(n *node) bool {
	if n.Missing == "" || len(n.children) == 0 || n.children[0].Kind != "variable" || n.children[0].Name != "request" {
		return false
	}
	return slices.Contains([]string{"subResource", "requestSubResource", "name", "namespace"}, n.Missing)
}

func fromNamespaceMetadata(n *node) bool {
	for _, child := range n.children {
		inner := child
		if n.Missing != "UID" && child.Kind == "select" && strings.HasSuffix(child.Name, "Timestamp") && len(child.children) > 0 {
			inner = child.children[0]
		}
		if inner.Kind == "select" && inner.Name == "metadata" && inner.children[0].Name == "namespaceObject" && (n.Missing == "UID" || inner != child) {
			return true
		}
	}
	return false
}

// falseBeatsError notes a match condition that failed without any effect.
func falseBeatsError(step *report.Step) {
	isFalse, isError := false, false
	for _, c := range step.Conditions {
		isFalse = isFalse || c.Error == "" && c.Result == false
		isError = isError || c.Error != ""
	}
	if isFalse && isError {
		step.Notes = append(step.Notes, report.Note{Code: codes.FalseBeatsError, Text: "A match condition failed, but another one is false. False decides, in any order."})
	}
}

// Costs from which an expression is worth a note, and the share from which a
// part of it is named.
const (
	costlyShare = 100 // of the limit of a call
	namedShare  = 10  // of the expression
	namedParts  = 3
)

// costly names the parts that an expensive expression spends most on.
func costly(e *report.Evaluation, root *node) {
	if e.Cost < eval.PerCallLimit/costlyShare {
		return
	}
	var parts []*node
	root.walk(func(n *node) {
		if n.Cost*namedShare >= e.Cost {
			parts = append(parts, n)
		}
	})
	slices.SortStableFunc(parts, func(a, b *node) int { return int(b.Cost - a.Cost) })
	var list []string
	source := []rune(e.Expression)
	for _, n := range parts[:min(len(parts), namedParts)] {
		runs := ""
		if n.Count > 1 {
			runs = fmt.Sprintf(" in %d runs", n.Count)
		}
		list = append(list, fmt.Sprintf("%s costs %d%s", shortened(source[n.Start:n.End]), n.Cost, runs))
	}
	if len(list) > 0 {
		e.Notes = append(e.Notes, report.Note{Code: codes.CostlyExpression,
			Text: fmt.Sprintf("This costs %d of the %d that one call may cost: %s.", e.Cost, eval.PerCallLimit, strings.Join(list, "; "))})
	}
}

// longPart is the length in runes from which a part is shortened.
const longPart = 40

func shortened(source []rune) string {
	text := strings.Join(strings.Fields(string(source)), " ")
	if runes := []rune(text); len(runes) > longPart {
		return string(runes[:longPart]) + "…"
	}
	return text
}
