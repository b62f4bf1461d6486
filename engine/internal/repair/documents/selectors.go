package documents

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// namesOfNamespaces are fields in which others name namespaces, and the operator of a
// selector that does what each says.
var namesOfNamespaces = map[string]string{
	"matchNames": "In", "matchNamespaces": "In", "names": "In", "namespaces": "In", "namespace": "In", "name": "In", "namespaceNames": "In", "includedNamespaces": "In", "includeNamespaces": "In",
	"excludeNamespaces": "NotIn", "excludedNamespaces": "NotIn", "ignoreNamespaces": "NotIn", "ignoredNamespaces": "NotIn", "excludeNames": "NotIn",
}

// selectorNames selects namespaces by their names, which neither a selector nor what it
// belongs to has a field for: the server gives each a label with its name.
func (m Document) selectorNames(path fieldpath.Path) []diag.Fix {
	parent := path.Parent()
	operator := namesOfNamespaces[path.Last()]
	holder := m.selecting(parent)
	beside := len(holder) > 0 && parent.Last() != "namespaceSelector"
	switch {
	case operator == "" || m.IsJSON() || parent.Last() == "clientConfig" || parent.Last() == "service":
		return nil
	case parent.Last() == "namespaceSelector" && m.Has(parent.Child("matchExpressions").String()):
		return nil
	case beside && (m.Has(holder.Child("namespaceSelector").String()) || !strings.Contains(strings.ToLower(path.Last()), "namespace")):
		return nil
	case parent.Last() != "namespaceSelector" && !beside:
		return nil
	}
	var values []string
	switch value := m.value(path.String()).(type) {
	case string:
		values = []string{scenario.Scalar(value)}
	case []any:
		for _, item := range value {
			text, ok := item.(string)
			if !ok {
				return nil
			}
			values = append(values, scenario.Scalar(text))
		}
	}
	if len(values) == 0 {
		return nil
	}
	name, with := "matchExpressions", "[{key: kubernetes.io/metadata.name, operator: "+operator+", values: ["+strings.Join(values, ", ")+"]}]"
	if beside {
		name, with = "namespaceSelector", "{matchExpressions: "+with+"}"
	}
	const title = "Select them by their name label"
	switch {
	case !beside || holder.String() == parent.String():
		return Fix(title, m.ToRename(path.String(), name), m.ToRewrite(path.String(), with))
	case m.Has(holder.String()):
		return m.moved(title, m.ToRemove(path.String()), m.ToInsert(holder.String(), name, with))
	case holder.Last() == "matchResources":
		return Fix(title, m.ToRename(path.String(), "matchResources"), m.ToRewrite(path.String(), "{"+name+": "+with+"}"))
	}
	return nil
}

// selecting is what has the selectors that count for a part of a document: the matchConstraints
// of a policy, the matchResources of a binding, or a webhook.
func (m Document) selecting(part fieldpath.Path) fieldpath.Path {
	for ; len(part) > 0; part = part.Parent() {
		switch last := part.Last(); {
		case last == "matchResources" || last == "matchConstraints" || len(part) == 2 && part[0].Name() == "webhooks":
			return part
		case len(part) == 1 && last == "spec" && strings.HasSuffix(m.Kind, "AdmissionPolicyBinding"):
			return part.Child("matchResources")
		case len(part) == 1 && last == "spec" && strings.HasSuffix(m.Kind, "AdmissionPolicy"):
			return part.Child("matchConstraints")
		}
	}
	return nil
}

const bothOfRule = "Write apiGroups and apiVersions"

// groupVersion writes the group and version of a rule, which it has one list each for, in those.
func (m Document) groupVersion(path fieldpath.Path) []diag.Fix {
	rule := path.Parent()
	text := m.text(path.String())
	if list, ok := m.value(path.String()).([]any); ok && len(list) == 1 {
		text, _ = list[0].(string)
	}
	group, version, both := strings.Cut(text, "/")
	if !both || path.Last() != "apiVersion" && path.Last() != "groupVersion" || m.Has(rule.Child("apiVersions").String()) || m.Has(rule.Child("apiGroups").String()) ||
		!strings.HasSuffix(strings.ToLower(rule.Parent().Last()), "rules") {
		return nil
	}
	return Fix(bothOfRule, m.ToRename(path.String(), "apiVersions"), m.ToRewrite(path.String(), "["+version+"]"), m.ToInsert(rule.String(), "apiGroups", "["+group+"]"))
}

// listOfWebhooks returns a list under spec, which most kinds have and configurations of
// webhooks have not, the name that it has there.
func (m Document) listOfWebhooks(path fieldpath.Path) []diag.Fix {
	list, isList := m.value(path.String()).([]any)
	webhooks := m.Kind == configuration.ValidatingWebhookConfiguration || m.Kind == configuration.MutatingWebhookConfiguration
	isMapping := func(item any) bool { _, ok := item.(map[string]any); return ok }
	if !webhooks || len(path) != 1 || path.Last() != "spec" || m.Has("webhooks") || !isList || len(list) == 0 || !slices.ContainsFunc(list, isMapping) {
		return nil
	}
	return Fix("Change to webhooks", m.ToRename("spec", "webhooks"))
}

// MoveToBinding moves a field of a policy that belongs to its binding there, where the policy has
// one binding and that has no such field.
func (m Document) MoveToBinding(path fieldpath.Path) []diag.Fix {
	name := path.Last()
	mutating := m.Kind == configuration.MutatingAdmissionPolicy
	if len(path) != 2 || path[0].Name() != "spec" || m.Kind != configuration.ValidatingAdmissionPolicy && !mutating ||
		name != "paramRef" && name != "matchResources" && (name != "validationActions" || mutating) {
		return nil
	}
	var of []*scenario.Document
	for _, d := range m.in.Documents {
		if d.Kind == m.Kind+"Binding" && (Document{d, m.in}).text("spec.policyName") == m.Name {
			of = append(of, d)
		}
	}
	text, ok := m.Field(path.String())
	if len(of) != 1 || of[0].Has("spec."+name) || !ok || of[0].Brackets("spec") && strings.Contains(text, "\n") {
		return nil
	}
	_, value, _ := strings.Cut(text, ":")
	return Fix("Move "+name+" to the binding "+of[0].Name, m.ToRemove(path.String()), Document{of[0], m.in}.ToInsert("spec", name, strings.TrimPrefix(value, " ")))
}

// anyOfLabels moves a label with a list of values from matchLabels, which compares one value, to
// matchExpressions, with the operator that one of them is enough for.
func (m Document) anyOfLabels(w gotype.Mismatch) []diag.Fix {
	labels := w.Path.Parent()
	list, ok := w.Got.([]any)
	selector := labels.Parent().String()
	if !ok || len(list) == 0 || labels.Last() != "matchLabels" || m.IsJSON() || m.Has(labels.Parent().Child("matchExpressions").String()) {
		return nil
	}
	var values []string
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil
		}
		values = append(values, scenario.Scalar(text))
	}
	expression := "[{key: " + scenario.Scalar(w.Path.Last()) + ", operator: In, values: [" + strings.Join(values, ", ") + "]}]"
	const title = "Use matchExpressions with the operator In"
	if all, _ := m.value(labels.String()).(map[string]any); len(all) == 1 {
		return Fix(title, m.ToRename(labels.String(), "matchExpressions"), m.ToRewrite(labels.String(), expression))
	}
	return m.moved(title, m.ToRemove(w.Path.String()), m.ToInsert(selector, "matchExpressions", expression))
}
