package assumptions

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxRights is how many rights are offered to be given, one by one.
const maxRights = 3

// roles are the rights that a cluster gives, where the texts have no roles.
func (a *assumed) roles(checks []report.Authorization, step int) {
	entry := a.entry("no permissions except those of the default roles", "the scenario's cluster has no roles, and an expression calls the authorizer", step)
	for _, c := range checks {
		if c.Allowed || c.User == "" || len(entry.Fixes) == maxRights {
			continue
		}
		a.fix(entry, "Let "+c.User+" "+c.Verb+" "+asked(c), rights(c))
	}
}

// GrantRight is the repair that gives a user the right that a check asks for.
func GrantRight(cluster string, c report.Authorization) diag.Fix {
	return compile.AddToCluster(cluster, "Let "+c.User+" "+c.Verb+" "+asked(c), rights(c))
}

// asked is what a check asks about, as kubectl auth can-i takes it.
func asked(c report.Authorization) string {
	if c.Path != "" {
		return c.Path
	}
	out := c.Resource
	if c.APIGroup != "" {
		out += "." + c.APIGroup
	}
	if c.SubResource != "" {
		out += "/" + c.SubResource
	}
	if c.Namespace != "" {
		out += " in " + c.Namespace
	}
	return out
}

// rights are a role that grants what a check asks for, and its binding.
func rights(c report.Authorization) string {
	rule := fmt.Sprintf("- nonResourceURLs: [%q]\n", c.Path)
	if c.Path == "" {
		resource := c.Resource
		if c.SubResource != "" {
			resource += "/" + c.SubResource
		}
		rule = fmt.Sprintf("- apiGroups: [%q]\n  resources: [%q]\n", c.APIGroup, resource)
		if (c.Verb == "bind" || c.Resource == "signers") && c.Name != "" {
			rule += fmt.Sprintf("  resourceNames: [%q]\n", c.Name) // one may bind or sign everything otherwise
		}
	}
	name := strings.ToLower(strings.Trim(c.Verb+"-"+strings.Map(nameRune, c.Resource+c.Path), "-"))
	return roleOf(c, name, rule+fmt.Sprintf("  verbs: [%q]\n", c.Verb))
}

// GrantRules is the repair that gives the user of a check the permissions of rules, where the check is.
func GrantRules(cluster string, c report.Authorization, rules string) diag.Fix {
	name := "granted-to-" + strings.ToLower(strings.Map(nameRune, c.User[strings.LastIndex(c.User, ":")+1:]))
	return compile.AddToCluster(cluster, "Give "+c.User+" the permissions that the text lists", roleOf(c, name, rules))
}

// roleOf is a role with rules, and its binding to the user of a check.
func roleOf(c report.Authorization, name, rules string) string {
	role, binding, namespace := "ClusterRole", "ClusterRoleBinding", ""
	if c.Namespace != "" {
		role, binding, namespace = "Role", "RoleBinding", "  namespace: "+c.Namespace+"\n"
	}
	subject := fmt.Sprintf("- {kind: User, name: %q, apiGroup: rbac.authorization.k8s.io}\n", c.User)
	if of, account, err := serviceaccount.SplitUsername(c.User); err == nil {
		subject = fmt.Sprintf("- {kind: ServiceAccount, name: %s, namespace: %s}\n", account, of)
	}
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + role + "\nmetadata:\n  name: " + name + "\n" + namespace +
		"rules:\n" + rules +
		"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: " + binding + "\nmetadata:\n  name: " + name + "\n" + namespace +
		"subjects:\n" + subject + "roleRef: {kind: " + role + ", name: " + name + ", apiGroup: rbac.authorization.k8s.io}\n"
}

// nameRune keeps what a name of an object may have.
func nameRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
		return r
	}
	return '-'
}

// param is an object that a binding asks for in vain.
func (a *assumed) param(e *evaluate.Evaluation, m run.MissingParam, step int, terminates bool) {
	what := m.Kind.Kind + " " + m.Name
	if m.Name == "" {
		what = m.Kind.Kind
		if selector := metav1.FormatLabelSelector(m.Selector); selector != "<none>" {
			what += " with labels " + selector
		}
	}
	if m.Namespace != "" {
		what += " in namespace " + m.Namespace
	}
	if a.leftOut(m.Kind.Kind + "/" + m.Name) {
		a.entry("there is no "+what, "the server rejects the one in the scenario's cluster, and a paramRef names it", step)
		return
	}
	entry := a.entry("there is no "+what, "the scenario's cluster does not have it, and a paramRef names it", step)
	if terminates {
		return // the server creates nothing in a namespace that is being deleted
	}
	metadata := map[string]any{"name": m.Name}
	if m.Name == "" {
		set, ok := selected(m.Selector)
		if !ok {
			return
		}
		metadata["name"] = "params"
		if len(set) > 0 {
			metadata["labels"] = set
		}
	}
	if m.Namespace != "" {
		metadata["namespace"] = m.Namespace
	}
	text, fill, err := paramDocument(e, m.Kind, metadata, m.Step)
	if err != nil {
		return // such maps can be written
	}
	a.fix(entry, "Add "+what, text)
	if added := &entry.Fixes[len(entry.Fixes)-1]; fill.End > fill.Start {
		// The edit may begin with a separator.
		before := strings.Index(added.Edits[0].New, text)
		added.Draft, added.Fill = true, &diag.Span{Start: before + fill.Start, End: before + fill.End}
	}
}

// selected are labels that a selector selects; false where there is no telling.
func selected(s *metav1.LabelSelector) (map[string]string, bool) {
	out := map[string]string{}
	for key, value := range s.MatchLabels {
		out[key] = value
	}
	for _, e := range s.MatchExpressions {
		switch {
		case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
			out[e.Key] = e.Values[0]
		case e.Operator == metav1.LabelSelectorOpExists:
			out[e.Key] = ""
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	return out, err == nil && selector.Matches(labels.Set(out))
}

// nameUser is the fix that writes the user into a request that has room for one: an
// AdmissionReview or an AdmissionRequest without userInfo.
func nameUser(text string, r *report.Request) (diag.Fix, bool) {
	docs, problems := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || diag.HasErrors(problems) {
		return diag.Fix{}, false
	}
	d, path := docs[0], ""
	if d.Value["kind"] == "AdmissionReview" {
		path = "request"
	} else if d.Value["kind"] != nil && d.Value["apiVersion"] != nil {
		return diag.Fix{}, false // an object
	}
	if d.Has(strings.TrimPrefix(path+".userInfo", ".")) {
		return diag.Fix{}, false
	}
	at := d.Span.Start
	if path != "" {
		at = d.Locate(path).Start
	}
	groups := make([]string, len(r.Groups))
	for i, g := range r.Groups {
		groups[i] = fmt.Sprintf("%q", g)
	}
	entry := fmt.Sprintf("\"userInfo\": {\"username\": %q, \"groups\": [%s]}", r.User, strings.Join(groups, ", "))
	line := strings.LastIndexByte(text[:at], '\n') + 1
	switch {
	case at < len(text) && text[at] == '{':
		at, entry = at+1, entry+", "
	case strings.Trim(text[line:at], " ") == "":
		entry = strings.Replace(entry, `"userInfo"`, "userInfo", 1) + "\n" + text[line:at]
	default:
		return diag.Fix{}, false
	}
	return diag.Fix{Title: "Name the user " + r.User + " in the request", Edits: []diag.Edit{{Text: diag.Request, Span: diag.Span{Start: at, End: at}, New: entry}}}, true
}

// leftOut reports whether the server would reject a document of the scenario, so that it
// does not exist.
func (a *assumed) leftOut(document string) bool {
	return slices.ContainsFunc(a.report.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Text != diag.Request && d.Document == document && (d.Code == codes.Undecodable || d.Code == codes.InvalidObject || d.Code == codes.UnknownKind)
	})
}
