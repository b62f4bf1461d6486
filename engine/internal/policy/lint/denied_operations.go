package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// deniedOperations finds validations that demand one operation and more of the object, where the rules match another
// operation, too: they deny each request of that one. What is meant is a guard: operation != X || ….
func deniedOperations(p *policy) {
	if p.webhook || p.deniesNothing() {
		return
	}
	for _, v := range p.validations {
		if v.read == nil || p.said(p.document, v.path) {
			continue
		}
		list := operands(v.read.Root(), operators.LogicalAnd)
		for i, part := range list {
			demanded := p.demandedOperations(part)
			others := slices.Delete(slices.Clone(list), i, i+1)
			if len(demanded) == 0 || !slices.ContainsFunc(others, p.readsObject) {
				continue
			}
			if operation := p.otherOperation(demanded); operation != "" {
				p.reportDeniedOperation(v, part, list, demanded, operation)
				break
			}
		}
	}
}

// demandedOperations are the operations for which a part is true; none for a part that is about something else.
func (p *policy) demandedOperations(n *values.Node) []string {
	if v, ok := p.variableOf(n); ok && v.read != nil {
		n = v.read.Root()
	}
	if n.Kind != values.Call || len(n.Children) != 2 || fieldOf(n.Children[0]) != "operation" || !isRequest(n.Children[0].Children[0]) {
		return nil
	}
	list := n.Children[1:]
	switch {
	case n.Name == operators.In && n.Children[1].Kind == values.List:
		list = n.Children[1].Children
	case n.Name != operators.Equals:
		return nil
	}
	var out []string
	for _, item := range list {
		operation, ok := literalText(item)
		if !ok || !slices.Contains(operations, operation) {
			return nil
		}
		out = append(out, operation)
	}
	return out
}

func isRequest(n *values.Node) bool { return n.Kind == values.Ident && n.Name == "request" }

// otherOperation is an operation that reaches the validations and is none of some, of which one reaches them, too;
// empty for none. That a policy denies deletions may be meant.
func (p *policy) otherOperation(some []string) string {
	reaches := func(operation string) bool {
		found := false
		for _, w := range p.worlds(nil) {
			if w.Operation == operation {
				p.explore([]*outcomes.World{w}, func(r *outcomes.Run) bool {
					found = found || holdAll(r, p.conditions)
					return !found
				})
			}
		}
		return found
	}
	if !slices.ContainsFunc(some, reaches) {
		return ""
	}
	for _, operation := range []string{"CREATE", "UPDATE"} {
		if !slices.Contains(some, operation) && reaches(operation) {
			return operation
		}
	}
	return ""
}

// neverTrueFor begins what is said of a validation that is never true for an operation.
const neverTrueFor = "this validation is never true for "

func (p *policy) reportDeniedOperation(v validation, part *values.Node, list []*values.Node, demanded []string, operation string) {
	out := p.report(p.document, codes.ValidationNeverTrue, diag.Warning, v.path, neverTrueFor+operation+": it demands the operation "+strings.Join(demanded, " or "),
		fmt.Sprintf("So the policy denies each %s. To test the rest only for %s, admit the other operations first.", operation, strings.Join(demanded, " and ")))
	p.within(out, p.document, v.path, part.Start, part.End)
	if out.Code == "" || part != list[0] || part.Kind != values.Call {
		return
	}
	source, root := []rune(v.text), v.read.Root()
	test, rest := string(source[part.Start:part.End]), strings.TrimSpace(string(source[list[1].Start:root.End]))
	guard := "!(" + test + ")"
	if part.Name == operators.Equals {
		guard = string(source[part.Children[0].Start:part.Children[0].End]) + " != " + string(source[part.Children[1].Start:part.Children[1].End])
	}
	out.Fixes = p.rewritten(p.document, v.path, root.Start, root.End, guard+" || ("+rest+")")
}
