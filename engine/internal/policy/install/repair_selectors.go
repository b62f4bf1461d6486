package install

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
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
func (m mender) selectorNames(path fieldpath.Path) []diag.Fix {
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
		return fixed(title, m.rename(path.String(), name), m.rewrite(path.String(), with))
	case m.Has(holder.String()):
		return m.moved(title, m.remove(path.String()), m.insert(holder.String(), name, with))
	case holder.Last() == "matchResources":
		return fixed(title, m.rename(path.String(), "matchResources"), m.rewrite(path.String(), "{"+name+": "+with+"}"))
	}
	return nil
}

// selecting is what has the selectors that count for a part of a document: the matchConstraints
// of a policy, the matchResources of a binding, or a webhook.
func (m mender) selecting(part fieldpath.Path) fieldpath.Path {
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
func (m mender) groupVersion(path fieldpath.Path) []diag.Fix {
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
	return fixed(bothOfRule, m.rename(path.String(), "apiVersions"), m.rewrite(path.String(), "["+version+"]"), m.insert(rule.String(), "apiGroups", "["+group+"]"))
}

// listOfWebhooks returns a list under spec, which most kinds have and configurations of
// webhooks have not, the name that it has there.
func (m mender) listOfWebhooks(path fieldpath.Path) []diag.Fix {
	list, isList := m.value(path.String()).([]any)
	configuration := m.Kind == ValidatingWebhookConfiguration || m.Kind == MutatingWebhookConfiguration
	isMapping := func(item any) bool { _, ok := item.(map[string]any); return ok }
	if !configuration || len(path) != 1 || path.Last() != "spec" || m.Has("webhooks") || !isList || len(list) == 0 || !slices.ContainsFunc(list, isMapping) {
		return nil
	}
	return fixed("Change to webhooks", m.rename("spec", "webhooks"))
}

// toBinding moves a field of a policy that belongs to its binding there, where the policy has
// one binding and that has no such field.
func (m mender) toBinding(path fieldpath.Path) []diag.Fix {
	name := path.Last()
	mutating := m.Kind == MutatingAdmissionPolicy
	if len(path) != 2 || path[0].Name() != "spec" || m.Kind != ValidatingAdmissionPolicy && !mutating ||
		name != "paramRef" && name != "matchResources" && (name != "validationActions" || mutating) {
		return nil
	}
	var of []*scenario.Document
	for _, d := range m.in.documents {
		if d.Kind == m.Kind+"Binding" && (mender{d, m.in}).text("spec.policyName") == m.Name {
			of = append(of, d)
		}
	}
	text, ok := m.Field(path.String())
	if len(of) != 1 || of[0].Has("spec."+name) || !ok || of[0].Brackets("spec") && strings.Contains(text, "\n") {
		return nil
	}
	_, value, _ := strings.Cut(text, ":")
	return fixed("Move "+name+" to the binding "+of[0].Name, m.remove(path.String()), mender{of[0], m.in}.insert("spec", name, strings.TrimPrefix(value, " ")))
}

// anyOfLabels moves a label with a list of values from matchLabels, which compares one value, to
// matchExpressions, with the operator that one of them is enough for.
func (m mender) anyOfLabels(w mismatch) []diag.Fix {
	labels := w.path.Parent()
	list, ok := w.got.([]any)
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
	expression := "[{key: " + scenario.Scalar(w.path.Last()) + ", operator: In, values: [" + strings.Join(values, ", ") + "]}]"
	const title = "Use matchExpressions with the operator In"
	if all, _ := m.value(labels.String()).(map[string]any); len(all) == 1 {
		return fixed(title, m.rename(labels.String(), "matchExpressions"), m.rewrite(labels.String(), expression))
	}
	return m.moved(title, m.remove(w.path.String()), m.insert(selector, "matchExpressions", expression))
}
