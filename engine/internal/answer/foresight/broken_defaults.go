package foresight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// brokenDefaults finds rules of a CustomResourceDefinition that deny an object because of the defaults of the fields that
// they read: with none of them in the object, the rule is false.
func (f *foresight) brokenDefaults(s *subject) {
	if s.definition == nil {
		return
	}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if e.Operation != "CREATE" {
			continue
		}
		r, ok := s.source.Request(e, foresee.State{})
		if !ok {
			return
		}
		s.definition.EachRule(func(node *rules.Validator) {
			if slices.Contains(node.Fields, rules.AnyItem) {
				return
			}
			for i := range node.Rules {
				names := readOfSelf(node.Rules[i].Compiled)
				if q := withoutFields(r, node.Fields, names); len(names) > 0 && q != nil && f.allDefaulted(q, node.Fields, names) {
					f.reportBrokenDefaults(s, q, s.definition.RulePath(node, i, "rule"), node.Rules[i].Rule, names)
				}
			}
		})
	}
}

// readOfSelf are the fields of self that a rule reads; none for a rule that reads the old value, or self as a whole.
func readOfSelf(c *eval.Compiled) []string {
	if c == nil || c.AST == nil {
		return nil
	}
	var names []string
	whole := false
	ast.MatchDescendants(ast.NavigateAST(c.AST.NativeRep()), func(e ast.NavigableExpr) bool {
		if e.Kind() != ast.IdentKind || !strings.HasSuffix(e.AsIdent(), "elf") {
			return false
		}
		parent, ok := e.Parent()
		if e.AsIdent() != "self" || !ok || parent.Kind() != ast.SelectKind {
			whole = true
			return false
		}
		if name := parent.AsSelect().FieldName(); !slices.Contains(names, name) {
			names = append(names, name)
		}
		return false
	})
	if whole {
		return nil
	}
	return names
}

// withoutFields is the request with an object at a path that lacks some fields; nil if something else is at the path.
func withoutFields(r *foresee.Request, path, names []string) *foresee.Request {
	out := *r
	out.Object, _ = untyped.Copy(r.Object).(map[string]any)
	at := out.Object
	for _, step := range path {
		if at[step] == nil {
			at[step] = map[string]any{}
		}
		next, ok := at[step].(map[string]any)
		if !ok {
			return nil
		}
		at = next
	}
	for _, name := range names {
		delete(at, name)
	}
	return &out
}

// allDefaulted reports whether the server sets all of some fields that the object lacks.
func (f *foresight) allDefaulted(r *foresee.Request, path, names []string) bool {
	var value any = f.Catalog.Default(r.Kind, r.Object)
	for _, step := range path {
		value = mapOf(value)[step]
	}
	return !slices.ContainsFunc(names, func(name string) bool { return mapOf(value)[name] == nil })
}

func (f *foresight) reportBrokenDefaults(s *subject, r *foresee.Request, path, rule string, names []string) {
	full, text, ok := f.confirm(s, r)
	if !ok || full.Outcome.Allowed {
		return
	}
	broken := false
	for _, step := range steps(full) {
		step.Evaluations(func(e *report.Evaluation) {
			broken = broken || e.Expression == rule && e.Error == "" && e.Result == false
		})
	}
	if !broken {
		return
	}
	d := s.document
	f.found = append(f.found, diag.Diagnostic{Code: codes.ValidationNeverTrue, Severity: diag.Warning, Accepted: true, Text: d.Text, Span: d.Locate(path), Path: path, Document: d.Kind + "/" + d.Name, Example: text,
		Summary: "this rule is false for the defaults of " + strings.Join(names, " and "),
		Detail:  fmt.Sprintf("Preadmit evaluated CREATE %s without these fields: the server sets them, and then denies the object. Change a default or the rule.", r.Resource.Resource)})
}
