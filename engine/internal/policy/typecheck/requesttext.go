package typecheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// This file finds texts that parts of request are compared with and never are: a kind in place
// of a resource, a group with its version, the name of a ServiceAccount without its prefix.

// ofRequest is the path of fields that is read of request; empty for other parts.
func ofRequest(e ast.Expr) string {
	path, ok := strings.CutPrefix(plainPath(e), "request.")
	if !ok {
		return ""
	}
	return path
}

// plainPath is a variable with the fields that are read of it, such as object.kind; empty for
// anything else.
func plainPath(e ast.Expr) string {
	path := ""
	for e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly() {
		path = "." + e.AsSelect().FieldName() + path
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind {
		return ""
	}
	return e.AsIdent() + path
}

// requestText reports a text that a part of request, or the kind of the object, is compared with and
// never is, and says so.
func (a *analysis) requestText(field, literal ast.Expr, text string) bool {
	whole, path := plainPath(field), ofRequest(field)
	best, detail := "", ""
	switch cmp.Or(path, whole) {
	case "kind.kind", "requestKind.kind", "object.kind", "oldObject.kind":
		best, detail = a.meant(text, "", func(r catalog.Resource) string { return r.GVK.Kind }), "Kinds are singular and begin with a capital letter."
	case "resource.resource", "requestResource.resource":
		best, detail = a.meant(text, catalog.ShortNames[text], func(r catalog.Resource) string { return r.GVR.Resource }), "Resources are plural and in lower case."
	case "kind.group", "resource.group", "requestKind.group", "requestResource.group":
		if group, version, slash := strings.Cut(text, "/"); slash && version != "" {
			best, detail = group, "A group is written without its version."
		}
	case "userInfo.username":
		best, detail = accountMeant(text), "The user name of a ServiceAccount is system:serviceaccount:NAMESPACE:NAME."
	case "userInfo.groups":
		if slices.Contains([]string{"masters", "authenticated", "unauthenticated", "nodes", "serviceaccounts"}, text) || strings.HasPrefix(text, "serviceaccounts:") {
			best, detail = "system:"+text, "The server's own groups begin with system:."
		}
	}
	if best == "" || best == text {
		return false
	}
	start, end := a.place(literal.ID())
	f := finding{code: codes.NeverEqual, start: start, end: end, summary: fmt.Sprintf("%s is never %q", whole, text),
		detail: fmt.Sprintf("Did you mean %q? %s", best, detail), replacement: a.requote(start, end, best)}
	// A cluster's administrators choose the names of users and groups, except those that begin with system:.
	if strings.HasPrefix(path, "userInfo") {
		f.info, f.summary = !strings.HasPrefix(text, "system:"), fmt.Sprintf("%s is hardly %q", whole, text)
	}
	a.add(f)
	return true
}

// dryRunOption reports that the dryRun of the options, which is a list, is compared with a truth
// value: request.dryRun is one.
func (a *analysis) dryRunOption(field, literal ast.Expr) {
	if _, truth := literal.AsLiteral().(types.Bool); !truth || ofRequest(field) != "options.dryRun" {
		return
	}
	const option = "request.options.dryRun"
	start, _ := a.place(field.AsSelect().Operand().AsSelect().Operand().ID())
	_, end := a.place(field.ID())
	if start >= end || a.source.Slice(start, end) != option {
		return
	}
	a.add(finding{code: codes.NeverEqual, start: start, end: end, summary: option + " is a list and never equal to true or false",
		detail: "Did you mean request.dryRun? The options have dryRun: [All] for a dry run, and otherwise no such field.", replacement: "request.dryRun"})
}

// meant is what a kind's objects are called, by of, where a word stands for one and is none itself; otherwise best.
func (a *analysis) meant(word, best string, of func(catalog.Resource) string) string {
	for _, r := range a.catalog.Kinds() {
		if of(r) == word {
			return ""
		}
		if strings.EqualFold(r.GVK.Kind, word) || strings.EqualFold(r.GVR.Resource, word) {
			best = of(r)
		}
	}
	return best
}

// accountMeant is the user name of a ServiceAccount that is written without its prefix, or with
// a slash in it; empty for other names.
func accountMeant(name string) string {
	for _, prefix := range []string{"system:serviceaccount:", "system:serviceaccounts:", "serviceaccount:", "system:serviceaccount/", "serviceaccount/"} {
		rest, ok := strings.CutPrefix(strings.ToLower(name), prefix)
		if !ok {
			continue
		}
		if account := strings.ReplaceAll(rest, "/", ":"); strings.Count(account, ":") == 1 && !strings.HasPrefix(account, ":") && !strings.HasSuffix(account, ":") {
			return "system:serviceaccount:" + account
		}
	}
	return ""
}
