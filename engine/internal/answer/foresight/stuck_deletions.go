package foresight

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxLingering bounds the objects that are tried for one endpoint.
const maxLingering = 40

// stuckObjects finds denials that keep an object from being deleted: of the garbage collector that removes a
// finalizer, and of the namespace controller that deletes what is in a namespace. A policy that denies the same
// object to everybody, whatever is requested, does what it says, and is not reported.
func (f *foresight) stuckObjects(s *subject) {
	blocks := func(d diag.Diagnostic) bool {
		return d.Code == codes.PolicyBlocksControlPlane && d.Document == s.document.Kind+"/"+s.document.Name
	}
	if s.validating == nil || !s.denies() || f.assumes(s) || slices.ContainsFunc(f.found, blocks) {
		return
	}
	reported := map[string]bool{}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if reported[e.Operation] || !s.source.CanLinger(e) || f.dear {
			continue
		}
		if l := f.lingering(s, e); l != nil {
			reported[e.Operation] = f.reportStuck(s, l)
		}
	}
}

// lingering is a request at an endpoint that a policy denies, which keeps an object from being deleted; nil if none is
// found. The smallest object of a kind is one that nothing protects. A policy that is about what is in the object
// denies the controller some objects: that is reported for the smallest one of a kind that always has a finalizer.
// One that is about users or demands a change denies it all that it matches.
func (f *foresight) lingering(s *subject, e foresee.Endpoint) (found *foresee.Lingering) {
	known := map[string][]*report.Step{} // the answers by request: most fields change nothing of it
	quick := func(r *foresee.Request) []*report.Step {
		key := r.Key()
		if known[key] == nil {
			known[key] = f.quick(s, r)
		}
		return known[key]
	}
	byUser := s.decidesByUser()
	var first *foresee.Lingering  // of those that are all denied
	var always *foresee.Lingering // the smallest object of a kind that always has a finalizer
	states := s.source.States(e)
	states = states[:min(len(states), maxLingering)]
	for i, state := range states {
		l, ok := s.source.Lingering(e, state)
		if !ok {
			continue
		}
		deletes := l.Unchanged == nil
		if i == 0 && !deletes {
			first = l
			if e.Finalized() && denied(quick(l.Request)) {
				always = l
			}
		}
		switch {
		case !denied(quick(l.Request)):
			first = nil
			if !deletes && found != nil && !byUser {
				return nil
			}
		case deletes && i == 0, !deletes && slices.ContainsFunc(quick(l.Unchanged), admits):
			return l
		case found == nil && l.Other != nil && !denied(quick(l.Other)):
			if found = l; deletes || byUser {
				return l
			}
		}
	}
	if found == nil && always != nil && first == nil {
		return always
	}
	if found != nil || first == nil {
		return found
	}
	for _, state := range states {
		if r, ok := s.source.Request(e, state); ok {
			if r.User = first.User; !denied(quick(r)) {
				return first // the policy admits changes, and denies every update without one
			}
		}
	}
	return nil
}

// decidesByUser reports whether no validation reads the object: match conditions say which objects it protects, and the
// user decides.
func (s *subject) decidesByUser() bool {
	reads := func(c *eval.Compiled) bool {
		if c == nil || c.AST == nil {
			return true
		}
		return len(ast.MatchDescendants(ast.NavigateAST(c.AST.NativeRep()), func(e ast.NavigableExpr) bool {
			return e.Kind() == ast.IdentKind && slices.Contains([]string{"object", "oldObject", "variables"}, e.AsIdent())
		})) > 0
	}
	return !slices.ContainsFunc(s.validating.Expressions(), reads)
}

// reportStuck adds what the answer to the request says about the object that stays.
func (f *foresight) reportStuck(s *subject, l *foresee.Lingering) bool {
	full, text, ok := f.confirm(s, l.Request)
	if !ok {
		return false
	}
	if at := deciding(full); at == nil || at.Error != "" {
		return false // another finding
	}
	i := slices.IndexFunc(full.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.KeepsObject && d.Text == s.document.Text })
	if i < 0 {
		return false
	}
	d := full.Diagnostics[i]
	d.Accepted, d.Example, d.Document = true, text, s.document.Kind+"/"+s.document.Name
	f.found = append(f.found, d)
	f.addStops(s, []stoppedRequest{{System: foresee.System{Component: strings.TrimPrefix(l.User.Name, "system:serviceaccount:kube-system:"), What: lingers[l.Operation]}}})
	return true
}

// lingers say what is stopped, by the operation.
var lingers = map[string]string{"UPDATE": "the removal of finalizers", "DELETE": "the deletion of what is in a namespace"}
