package foresight

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// stopped is a request of the cluster that a policy denies.
type stoppedRequest struct {
	foresee.System
	text    string // the request
	message string // of the policy
	// own says that the policy denies what is special about a Pod of the control plane.
	own bool
	// asks says that the policy admits the same request from another user.
	asks bool
	// amiss says that the policy cannot mean it: an expression fails for this request alone, or it admits the request from
	// an administrator of before kubeadm 1.29.
	amiss string
	at    *report.Evaluation // the expression that decides
}

// clusterRequests finds what a policy denies of the requests that a healthy cluster makes by itself.
// Webhooks are looked at without a request (bootstrap): they may deny anything.
func (f *foresight) clusterRequests(s *subject) {
	if s.hook != nil || s.definition != nil || !s.denies() || f.assumes(s) {
		return
	}
	var list []stoppedRequest
	for _, q := range f.system {
		if f.dear {
			return // an evaluation takes too long to be repeated
		}
		if s.mutating != nil && q.Operation == "DELETE" || !s.mayMatch(&q.Request) || !denied(f.quick(s, &q.Request)) {
			continue
		}
		full, text, ok := f.confirm(s, &q.Request)
		if !ok || !denied(steps(full)) {
			continue
		}
		one := stoppedRequest{System: q, text: text, message: full.Outcome.Message, at: deciding(full)}
		one.own = !q.Pod || !denied(f.quick(s, q.Ordinary(f.Catalog)))
		one.amiss = f.amiss(s, &one)
		if one.at != nil && one.at.Error != "" && one.amiss == "" && (!one.own || f.failureFound(s, one.at)) {
			continue // the expression fails for any such object, which is another finding
		}
		list = append(list, one)
	}
	if !s.wild() { // rules that name the resource may mean what is about every Pod
		list = slices.DeleteFunc(list, func(one stoppedRequest) bool { return one.rank() > 0 })
	}
	asked := f.stoppedControllers(s)
	list = append(slices.DeleteFunc(list, func(one stoppedRequest) bool { return slices.ContainsFunc(asked, one.same) }), asked...)
	if len(list) > 0 {
		f.addStops(s, list)
		f.found = append(f.found, f.blocks(s, list))
	}
}

// amiss says why a policy that denies a request surely does not mean to; empty where it may.
func (f *foresight) amiss(s *subject, one *stoppedRequest) string {
	if master := one.AsMaster(); master != nil && !denied(f.quick(s, master)) {
		return "Since kubeadm 1.29, the group of admin.conf is kubeadm:cluster-admins and no longer system:masters, for which the policy admits the request."
	}
	found := func(d diag.Diagnostic) bool { return one.at != nil && d.Text == one.at.Text && d.Path == one.at.Path }
	if one.Pod && one.at != nil && one.at.Error != "" && !slices.ContainsFunc(f.found, found) {
		same := func(ev *report.Evaluation) bool { return ev.Path == one.at.Path }
		if full, _, ok := f.confirm(s, one.Ordinary(f.Catalog)); ok && !slices.ContainsFunc(failures(steps(full)), same) {
			return "The expression fails for this Pod, and not for an ordinary one: " + one.at.Error + "."
		}
	}
	return ""
}

// mayMatch reports whether a rule names the operation and the resource of a request, of any group and version: equivalent
// resources share their name.
func (s *subject) mayMatch(r *foresee.Request) bool {
	return slices.ContainsFunc(s.rules, func(rule v1.RuleWithOperations) bool {
		return (slices.Contains(rule.Operations, v1.OperationAll) || slices.Contains(rule.Operations, v1.OperationType(r.Operation))) &&
			slices.ContainsFunc(rule.Resources, func(name string) bool {
				name, _, _ = strings.Cut(name, "/")
				return name == "*" || name == r.Resource.Resource
			})
	})
}

// failureFound reports whether it is found that an expression of a policy reads a field that a kind does not have, or an
// object that is null: the cause, whose repair also helps the cluster.
func (f *foresight) failureFound(s *subject, at *report.Evaluation) bool {
	return slices.ContainsFunc(f.found, func(d diag.Diagnostic) bool {
		return (d.Code == codes.FailsForKind || d.Code == codes.FailsWhenNull) && d.Path == at.Path && d.Document == s.document.Kind+"/"+s.document.Name
	})
}

// same reports whether another request is the same one of the same component, about another object.
func (r *stoppedRequest) same(other stoppedRequest) bool {
	return r.What == other.What && r.Component == other.Component
}

// rank orders denied requests: first those that are surely not meant, then Pods of the control
// plane and what an administrator does with kubeadm, which may be.
func (r *stoppedRequest) rank() int {
	switch {
	case r.amiss != "", !r.Pod && strings.HasPrefix(r.User.Name, "system:"):
		return 0
	case r.own:
		return 1
	}
	return 2
}

// denied reports whether a policy denies the request.
func denied(steps []*report.Step) bool {
	return slices.ContainsFunc(steps, func(s *report.Step) bool { return s.OfPolicy() && s.Verdict == report.Deny })
}

// deciding is the expression for which a policy denies a request; nil for none.
func deciding(full *report.Report) *report.Evaluation {
	for _, s := range steps(full) {
		if !s.OfPolicy() || s.Verdict != report.Deny {
			continue
		}
		for i := range s.Validations {
			if s.Validations[i].Decision == report.Deny {
				return &s.Validations[i].Evaluation
			}
		}
		if failed := failures([]*report.Step{s}); len(failed) > 0 {
			return failed[0]
		}
	}
	return nil
}

// blocks is the diagnostic about a policy that denies requests of the cluster.
func (f *foresight) blocks(s *subject, list []stoppedRequest) diag.Diagnostic {
	slices.SortStableFunc(list, func(a, b stoppedRequest) int { return a.rank() - b.rank() })
	first := list[0]
	var names []string
	for _, one := range list {
		if !slices.Contains(names, one.What) && one.rank() == first.rank() {
			names = append(names, one.What)
		}
	}
	const shown = 4
	what := strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		what += fmt.Sprintf(", and %d more", more)
	}
	d := diag.Diagnostic{Code: codes.PolicyBlocksControlPlane, Severity: diag.Warning, Accepted: true, Document: s.document.Kind + "/" + s.document.Name,
		Summary: "the policy denies what the cluster depends on: " + what, Example: first.text,
		Detail: fmt.Sprintf("Preadmit evaluated %s (%s). The server answers: %s. %s", requestOf(&first.Request), first.Component, strings.TrimSuffix(first.message, "."), first.Then)}
	if first.amiss != "" {
		d.Detail += " " + first.amiss
	}
	d.Text, d.Span, d.Path = s.document.Text, s.document.Locate(s.rulesPath), s.rulesPath
	if first.at != nil {
		d.Text, d.Span, d.Path = first.at.Text, first.at.Span, first.at.Path
	}
	switch {
	case !slices.ContainsFunc(list, func(one stoppedRequest) bool { return !one.asks }):
		d.Summary = "the policy denies controllers and nodes what it admits from other users: " + what
	case !first.own:
		d.Summary = "the policy applies to the control plane, too, and denies " + what
	}
	d.Fixes = s.exempt(list)
	return d
}

func requestOf(r *foresee.Request) string {
	resource := r.Resource.Resource
	if r.SubResource != "" {
		resource += "/" + r.SubResource
	}
	return r.Operation + " " + resource + " as " + r.User.Name
}

// exemption is an expression that is true for some users of the system.
type exemption struct {
	of         func(*user.DefaultInfo) bool
	expression string
}

// exemptions are the users of the system, with the expressions that are true for them.
var exemptions = []exemption{
	{func(u *user.DefaultInfo) bool { return slices.Contains(u.Groups, "system:nodes") }, "'system:nodes' in request.userInfo.groups"},
	{func(u *user.DefaultInfo) bool {
		return slices.Contains(u.Groups, "system:serviceaccounts:kube-system")
	}, "'system:serviceaccounts:kube-system' in request.userInfo.groups"},
	{func(u *user.DefaultInfo) bool { return strings.HasPrefix(u.Name, "system:kube-") }, "request.userInfo.username.startsWith('system:kube-')"},
	{func(u *user.DefaultInfo) bool { return slices.Contains(u.Groups, "kubeadm:cluster-admins") }, "'kubeadm:cluster-admins' in request.userInfo.groups"},
	{func(u *user.DefaultInfo) bool { return slices.Contains(u.Groups, "system:bootstrappers") }, "'system:bootstrappers' in request.userInfo.groups"},
	{func(u *user.DefaultInfo) bool { return u.Name == "system:apiserver" }, "request.userInfo.username == 'system:apiserver'"},
}

// exemption is an expression that is false for the denied requests: it leaves out kube-system,
// if they are all there, otherwise the users of the system who send them.
func (s *subject) exemption(list []stoppedRequest) (expression, what string) {
	namespace := "request.namespace == 'kube-system'"
	if s.wild() {
		namespace = "has(request.namespace) && " + namespace
	}
	inSystem := func(one stoppedRequest) bool { return one.Namespace == "kube-system" }
	outside := slices.ContainsFunc(list, func(one stoppedRequest) bool { return !inSystem(one) })
	if !outside && !s.namesSystem() {
		return "!(" + namespace + ")", "kube-system"
	}
	var clauses []string
	for _, one := range list {
		i := slices.IndexFunc(exemptions, func(e exemption) bool { return e.of(one.User) })
		clause := namespace
		if i >= 0 {
			clause = exemptions[i].expression
		} else if !inSystem(one) || s.namesSystem() {
			return "", ""
		}
		if !slices.Contains(clauses, clause) {
			clauses = append(clauses, clause)
		}
	}
	return "!(" + strings.Join(clauses, " || ") + ")", "the users who send these requests"
}

// namesSystem reports whether a selector names kube-system: the policy is about it.
func (s *subject) namesSystem() bool {
	return slices.ContainsFunc(s.source.Namespaces, func(l *metav1.LabelSelector) bool {
		return l != nil && (l.MatchLabels[corev1.LabelMetadataName] == metav1.NamespaceSystem || slices.ContainsFunc(l.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
			return r.Operator == metav1.LabelSelectorOpIn && slices.Contains(r.Values, metav1.NamespaceSystem)
		}))
	})
}

// exempt is the repair that leaves the denied requests out with a match condition.
func (s *subject) exempt(list []stoppedRequest) []diag.Fix {
	condition, what := s.exemption(list)
	if condition == "" {
		return nil
	}
	title := "Leave out " + what + " with a match condition"
	item := `{name: not-the-control-plane, expression: "` + condition + `"}`
	edit, ok := s.document.Insert("spec", "matchConditions", "["+item+"]")
	if s.document.Has("spec.matchConditions") {
		n := 0
		if s.validating != nil {
			n = len(s.validating.Conditions)
		} else {
			n = len(s.mutating.Conditions)
		}
		edit, ok = s.document.Append("spec.matchConditions", n, item)
	}
	if !ok {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{edit}}}
}

// wild reports whether a rule matches resources that are in no namespace, perhaps.
func (s *subject) wild() bool {
	return slices.ContainsFunc(s.rules, func(r v1.RuleWithOperations) bool {
		return slices.ContainsFunc(r.Resources, func(name string) bool { return strings.HasPrefix(name, "*") })
	})
}

// addStops adds to the graph what a policy stops: an edge from the policy to each component whose
// requests it denies.
func (f *foresight) addStops(s *subject, list []stoppedRequest) {
	if f.stops == nil {
		f.stops = &report.Graph{Nodes: []report.GraphNode{}, Edges: []report.GraphEdge{}}
	}
	policy := f.node(report.GraphNode{ID: s.document.Kind + "/" + s.document.Name, Kind: "policy", Label: s.document.Name,
		Text: s.document.Text, Span: s.document.Locate("metadata.name")})
	for _, one := range list {
		component := f.node(report.GraphNode{ID: "component/" + one.Component, Kind: "component", Label: one.Component})
		i := slices.IndexFunc(f.stops.Edges, func(e report.GraphEdge) bool { return e.From == policy && e.To == component })
		switch {
		case i < 0:
			f.stops.Edges = append(f.stops.Edges, report.GraphEdge{From: policy, To: component, Kind: "stops", Label: one.What})
		case !slices.Contains(strings.Split(f.stops.Edges[i].Label, "\n"), one.What):
			f.stops.Edges[i].Label += "\n" + one.What
		}
	}
}

// node adds a node to the graph, once, and returns its ID.
func (f *foresight) node(n report.GraphNode) string {
	if !slices.ContainsFunc(f.stops.Nodes, func(o report.GraphNode) bool { return o.ID == n.ID }) {
		f.stops.Nodes = append(f.stops.Nodes, n)
	}
	return n.ID
}
