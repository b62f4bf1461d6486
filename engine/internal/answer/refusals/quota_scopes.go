package refusals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
)

// scopesOf are the scopes of a quota, as kubectl writes them.
func scopesOf(quota map[string]any) (out []string) {
	spec := untyped.Sub(quota, "spec")
	list, _ := spec["scopes"].([]any)
	for _, scope := range list {
		out = append(out, fmt.Sprint(scope))
	}
	for _, s := range untyped.Items(untyped.Sub(spec, "scopeSelector")["matchExpressions"]) {
		said := text(s, "scopeName") + " " + text(s, "operator")
		if values, _ := s["values"].([]any); len(values) > 0 {
			said += fmt.Sprintf(" %v", values)
		}
		out = append(out, said)
	}
	return out
}

// inScope says why a quota with scopes counts the object, and offers to leave the scope of a priority class.
func (r *refusal) inScope(quota objecttext.Object) {
	scopes := scopesOf(quota.Value)
	if len(scopes) == 0 {
		return
	}
	r.diag.Detail += fmt.Sprintf(" It counts only objects in its scope, %s", strings.Join(scopes, " and "))
	class := text(r.finalSpec(), "priorityClassName")
	if class == "" || !slices.ContainsFunc(scopes, func(s string) bool { return strings.HasPrefix(s, "PriorityClass") }) {
		r.diag.Detail += "."
		return
	}
	r.diag.Detail += fmt.Sprintf(", and the Pod has priorityClassName %s.", class)
	r.withoutClass(class)
}

// withoutClass offers to leave the scope of a priority class.
func (r *refusal) withoutClass(class string) {
	r.offer(r.sent.Fix("Remove priorityClassName "+class, func(object map[string]any) {
		spec, _ := specOf(object)
		delete(spec, "priorityClassName")
		delete(spec, "priority") // which the class sets
	})...)
}

// scopeText is a scope as Go prints it: {PriorityClass In [high higher]}.
var scopeText = &lazy.Regexp{Text: `\{(\w+) (\w+) \[([^\]]*)\]\}`}

// uncovered says that the server's configuration wants a quota for what the request asks for, and adds one.
func (r *refusal) uncovered(texts []string) bool {
	_, at := specOf(r.sent.Value)
	r.at(at)
	var hard, used, scopes []string
	what := "these scopes"
	for _, m := range scopeText.FindAllStringSubmatch(texts[0], -1) {
		scope := fmt.Sprintf("{scopeName: %s, operator: %s", m[1], m[2])
		if m[3] != "" {
			scope += ", values: [" + strings.Join(strings.Fields(m[3]), ", ") + "]"
		}
		scopes = append(scopes, scope+"}")
	}
	if names := texts[1]; names != "" {
		what = names
		for name := range strings.SplitSeq(names, ",") {
			hard, used = append(hard, name+": '100'"), append(used, name+": '0'")
		}
	} else {
		hard, used = []string{"pods: '100'"}, []string{"pods: '0'"}
	}
	r.diag.Detail = fmt.Sprintf("The server's AdmissionConfiguration (ResourceQuota, limitedResources) limits %s to namespaces with a ResourceQuota for it, and no quota of namespace %s covers it. Such a configuration often keeps system priority classes in kube-system. Add a quota, or do without.", what, r.Initial.Namespace)
	selector := ""
	if len(scopes) > 0 {
		selector = "  scopeSelector: {matchExpressions: [" + strings.Join(scopes, ", ") + "]}\n"
	}
	fix := compile.AddToCluster(r.Scenario.Cluster, "Add a ResourceQuota that covers it", fmt.Sprintf(
		"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: covered, namespace: %s}\nspec:\n  hard: {%s}\n%sstatus: {hard: {%[2]s}, used: {%[4]s}}\n",
		r.Initial.Namespace, strings.Join(hard, ", "), selector, strings.Join(used, ", ")))
	fix.Draft = true // the amounts are examples
	r.offer(fix)
	if class := text(r.finalSpec(), "priorityClassName"); class != "" && len(scopes) > 0 {
		r.withoutClass(class)
	}
	return true
}
