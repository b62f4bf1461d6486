package main

import (
	"go/ast"
	"slices"
)

// This file says which code has no rule of the server: it writes what the report says
// about a decision, and neither verdict nor object nor message nor cost depend on it. No
// mutant is made of it. The rule looks at what is written and called, and not at single
// places.

// reportFields are the fields that say why: those of report.Step that no answer of the server
// comes from, and what they are collected in.
var reportFields = []string{
	"Reason", "Notes", "Match", "BindingMatch", "MatchedKind", "MatchedResource", "Text", "Span", "Path", "Address", "Simulated", "Called",
	"Before", "After", "Diff", "OfPolicy", "Authorizations", "Explanation", "Assumed", "reason", "notes", "hidden", "idle", "why",
}

// reportCalls are the functions that do nothing else, and those that count what Preadmit
// itself may take.
var reportCalls = []string{"Note", "NotSimulated", "Enter", "Locate", "DescribeConditions", "AddBudget", "noteMissing", "noteCalled", "noteRetries", "nothing", "Work", "Make", "Check", "charge"}

// onlyReports reports whether a statement only writes what the report says.
func onlyReports(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && slices.Contains(reportCalls, calledName(call))
	case *ast.AssignStmt:
		return !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return !isReported(e) })
	case *ast.IfStmt:
		// What begins the if may do more: only its condition and body are left out.
		return (s.Else == nil || onlyReports(s.Else)) && blockOnlyReports(s.Body)
	case *ast.BlockStmt:
		return blockOnlyReports(s)
	}
	return false
}

// isReported reports whether a value is one of the fields that say why, or in one.
func isReported(e ast.Expr) bool {
	field, ok := e.(*ast.SelectorExpr)
	return ok && (slices.Contains(reportFields, field.Sel.Name) || isReported(field.X))
}

func blockOnlyReports(b *ast.BlockStmt) bool {
	return len(b.List) > 0 && !slices.ContainsFunc(b.List, func(s ast.Stmt) bool { return !onlyReports(s) })
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
