// Package assumptions says what the answer to a request rests on although no text says it, and which
// namespaces and params are missing.
package assumptions

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// What an expression looks at, as report.Evaluation.Asked names it.
const (
	askedUser      = "request.userInfo"
	askedOperation = "request.operation"
	askedOldObject = "oldObject"
	askedNamespace = "namespaceObject"
)

// List lists what the steps of the report rest on although no text says it.
// What no expression looked at and no selector decided on is no assumption. The
// fixes add to the texts.
func List(e *evaluate.Evaluation) []report.Assumption {
	a := assumed{places: map[string]int{}, report: e.Report, request: e.Scenario.Request, settings: e.Scenario.Options.Request, cluster: e.Scenario.Cluster}
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		a.selectors(s, i)
		a.expressions(e, s, i)
		if s.Called && !s.Simulated && s.Status == report.Evaluated {
			a.answer(s.Webhook, missingService(e, s.Address), i)
		}
	}
	if e.Chain != nil {
		for _, o := range e.Chain.AssumedObjects {
			a.object(o)
		}
		for _, m := range e.Chain.MissingParams {
			a.param(e, m, e.Chain.Index(m.Step), terminates(e, m.Namespace))
		}
	}
	if e.Form.MadeUpScaled {
		a.entry("a Deployment is scaled", "a Scale does not say whose it is", -1)
	}
	a.addresses(e.Report)
	return slices.DeleteFunc(a.list, func(entry report.Assumption) bool {
		return slices.ContainsFunc(e.Report.Diagnostics, func(d diag.Diagnostic) bool {
			return d.Code == codes.MissingParam && d.Summary == entry.What // a problem, where it is repaired
		})
	})
}

type assumed struct {
	report  *report.Report
	request string
	// settings are those of a request that is a plain object.
	settings *scenario.RequestSettings
	cluster  string
	list     []report.Assumption
	places   map[string]int // of the list, by what is assumed
}

// terminates reports whether a namespace is being deleted, so that nothing can be created in it.
func terminates(e *evaluate.Evaluation, namespace string) bool {
	object, _, _ := e.Cluster.Namespace(namespace)
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["deletionTimestamp"] != nil
}

func (a *assumed) selectors(s *report.Step, step int) {
	for _, m := range []*report.Match{s.Match, s.BindingMatch} {
		if m == nil {
			continue
		}
		for _, t := range m.Tests {
			if t.Assumed {
				a.namespace(a.report.Request.Namespace, "a namespaceSelector reads its labels", step, t)
			}
		}
		if m.Matched || !a.operationOpen() || s.Status != report.NotMatched {
			continue
		}
		if i := slices.IndexFunc(m.Tests, func(t report.MatchTest) bool { return t.Kind == "rule" && t.Failed == "operations" }); i >= 0 {
			a.operation("a rule wants "+m.Tests[i].Wants, step, m.Tests[i].Wants)
		}
	}
}

// bare reports whether the request is an object, which says nothing of who does
// what with it.
func (a *assumed) bare() bool { return a.report.Request.Form == string(request.Object) }

// operationOpen reports whether nothing says what is done with the object.
func (a *assumed) operationOpen() bool {
	return a.bare() && a.report.Request.SubResource == "" && (a.settings == nil || a.settings.Operation == "")
}

// expressions are those of a step: what they looked at. Messages and annotations
// decide nothing.
func (a *assumed) expressions(e *evaluate.Evaluation, s *report.Step, step int) {
	var user, operation, oldObject, namespace bool
	s.Deciding(func(ev *report.Evaluation) {
		for _, name := range ev.Asked {
			user = user || name == askedUser
			operation = operation || name == askedOperation
			oldObject = oldObject || name == askedOldObject
			namespace = namespace || name == askedNamespace
		}
	})
	if namespace {
		if name := a.report.Request.Namespace; e.Cluster.Assumed(name) {
			a.namespace(name, "an expression reads namespaceObject", step, report.MatchTest{})
		}
	}
	if a.operationOpen() {
		switch {
		case operation:
			a.operation("an expression reads request.operation", step, "UPDATE")
		case oldObject:
			a.operation("an expression reads oldObject", step, "UPDATE")
		}
	}
	byRBAC := len(s.Authorizations) > 0 && rbac.Mode(e.Scenario.Options.Authorizer) == rbac.RBAC && s.OfPolicy()
	if e.Form.MadeUpUser {
		switch {
		case user:
			a.user("an expression reads request.userInfo", step)
		case byRBAC && ofUser(s.Authorizations, a.report.Request.User):
			a.user("an expression checks what the user may do", step)
		}
	}
	if byRBAC && !e.Rules.Given() {
		a.roles(s.Authorizations, step)
	}
}

func ofUser(list []report.Authorization, name string) bool {
	return slices.ContainsFunc(list, func(c report.Authorization) bool { return c.User == name })
}

// object is one that the request refers to.
func (a *assumed) object(o run.Assumed) {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + o.Name
	}
	entry := a.entry(o.Kind+" "+name+" without "+o.Without, cmp.Or(o.Why, "the Pod names it")+", and the scenario's cluster does not have it", -1)
	a.fix(entry, "Add "+o.Kind+" "+name, o.Document)
}

// addresses are those of a Service that asks for both families, which an API server with one range of
// addresses (--service-cluster-ip-range) rejects. A headless Service without a selector gets both anyway.
func (a *assumed) addresses(r *report.Report) {
	spec, _ := r.Object["spec"].(map[string]any)
	families, _ := spec["ipFamilies"].([]any)
	if !r.Outcome.Allowed || r.Request.Operation != "CREATE" || r.Object["apiVersion"] != "v1" || r.Object["kind"] != "Service" ||
		len(families) < 2 || spec["clusterIP"] == "None" && spec["selector"] == nil {
		return
	}
	a.entry("the cluster has IPv4 and IPv6 addresses", "the Service asks for both, and a cluster with one family rejects it", -1)
}

// namespace is a Namespace whose labels a selector or an expression asked for.
func (a *assumed) namespace(name, who string, step int, t report.MatchTest) {
	entry := a.entry("Namespace "+name+" with no label but kubernetes.io/metadata.name", "the scenario's cluster does not have it, and "+who, step)
	a.fix(entry, "Add Namespace "+name, namespaceDocument(name))
	if key, value, ok := strings.Cut(t.Wants, "="); ok && !t.Matched {
		a.fix(entry, "Add Namespace "+name+" with label "+t.Wants, namespaceDocument(name)+fmt.Sprintf("  labels:\n    %s: %q\n", key, value))
	}
}

// operation is that of a request of which only the object is given; others are those
// that would be looked at differently. An object that is deleted is another matter
// than one that is written, so it is offered only where a rule wants nothing else.
func (a *assumed) operation(who string, step int, others string) {
	now := a.report.Request.Operation
	entry := a.entry("the operation is "+now, "the request is a plain object, and "+who, step)
	for _, other := range []string{"UPDATE", "DELETE"} {
		if strings.Contains(others, other) && other != now {
			a.say(entry, "Make it "+findings.Article(other), diag.RequestChange{Operation: other})
		}
	}
	a.say(entry, "Set the operation to "+now, diag.RequestChange{Operation: now})
}

// say adds the fix that says something about the request besides its object.
func (a *assumed) say(entry *report.Assumption, title string, change diag.RequestChange) {
	if !slices.ContainsFunc(entry.Fixes, func(f diag.Fix) bool { return f.Title == title }) {
		entry.Fixes = append(entry.Fixes, diag.Fix{Title: title, Edits: []diag.Edit{}, Request: &change})
	}
}

// user is who asks, where the request does not say.
func (a *assumed) user(who string, step int) {
	r := a.report.Request
	entry := a.entry(fmt.Sprintf("the user is %s, in the group %s", r.User, strings.Join(r.Groups, ", ")), "the request names no user, and "+who, step)
	if a.bare() {
		a.say(entry, "Set the user to "+r.User, diag.RequestChange{User: r.User, Groups: r.Groups})
	} else if fix, ok := nameUser(a.request, r); ok && len(entry.Fixes) == 0 {
		entry.Fixes = []diag.Fix{fix}
	}
}

// answerHead is how a WebhookResponse begins, up to its name.
const answerHead = "apiVersion: " + webhook.ResponseAPIVersion + "\nkind: " + webhook.ResponseKind + "\nmetadata:\n  name: "

// answer is what a webhook says that nothing answers for.
func (a *assumed) answer(name, noService string, step int) {
	entry := a.entry("webhook "+name+" allows the request unchanged", "the scenario's cluster has no WebhookResponse for it"+noService, step)
	a.fix(entry, "Add a WebhookResponse", answerHead+name+"\nspec:\n  allowed: true\n")
}

// missingService says that a cluster with Namespaces lacks the Service of a webhook's address.
func missingService(e *evaluate.Evaluation, address string) string {
	to, err := url.Parse(address)
	if err != nil || !e.Cluster.ListsNamespaces() {
		return ""
	}
	host, ofService := strings.CutSuffix(to.Hostname(), ".svc")
	name, namespace, _ := strings.Cut(host, ".")
	if _, exists := e.Cluster.Get(schema.GroupKind{Kind: "Service"}, namespace, name); !ofService || exists {
		return ""
	}
	return fmt.Sprintf(", nor its Service %s/%s, without which the call fails", namespace, name)
}

// entry finds or adds an assumption, and notes that a step rests on it.
func (a *assumed) entry(what, why string, step int) *report.Assumption {
	i, known := a.places[what]
	if !known {
		i = len(a.list)
		a.places[what] = i
		a.list = append(a.list, report.Assumption{What: what, Why: why})
	}
	if entry := &a.list[i]; step >= 0 && !slices.Contains(entry.Steps, step) {
		entry.Steps = append(entry.Steps, step)
	}
	return &a.list[i]
}

// fix adds a document to the end of the cluster text.
func (a *assumed) fix(entry *report.Assumption, title, document string) {
	if slices.ContainsFunc(entry.Fixes, func(f diag.Fix) bool { return f.Title == title }) {
		return
	}
	entry.Fixes = append(entry.Fixes, compile.AddToCluster(a.cluster, title, document))
}
