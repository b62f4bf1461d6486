package documents

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// guesses tell by the fields that expressions read for which resource they are
// written; the first that fits counts.
var guesses = []struct{ field, group, resource string }{
	{"spec.template.spec", "apps", "deployments"},
	{"spec.replicas", "apps", "deployments"},
	{"spec.jobTemplate", "batch", "cronjobs"},
	{"spec.containers", "''", "pods"},
	{"spec.initContainers", "''", "pods"},
	{"spec.volumes", "''", "pods"},
	{"spec.hostNetwork", "''", "pods"},
	{"spec.hostPID", "''", "pods"},
	{"spec.securityContext", "''", "pods"},
	{"spec.serviceAccountName", "''", "pods"},
	{"spec.nodeName", "''", "pods"},
	{"spec.tolerations", "''", "pods"},
	{"spec.ports", "''", "services"},
	{"spec.clusterIP", "''", "services"},
	{"spec.rules", "networking.k8s.io", "ingresses"},
	{"spec.ingressClassName", "networking.k8s.io", "ingresses"},
	{"spec.storageClassName", "''", "persistentvolumeclaims"},
	{"object.data", "''", "configmaps"},
}

// written is what the policy's expressions seem to be for.
func (m Document) written() (group, version, resource string) {
	text := m.Source()[m.Span.Start:m.Span.End]
	text = strings.ReplaceAll(text, "?", "")
	for _, g := range guesses {
		if strings.Contains(text, g.field) {
			return g.group, "v1", g.resource
		}
	}
	return "'*'", "'*'", "'*'"
}

// rules is a list with one rule for what the expressions seem to be for.
func (m Document) rules(brackets bool) []string {
	group, version, resource := m.written()
	if brackets {
		return []string{"[{apiGroups: [" + group + "], apiVersions: [" + version + "], operations: [CREATE, UPDATE], resources: [" + resource + "]}]"}
	}
	return []string{"\n- apiGroups: [" + group + "]\n  apiVersions: [" + version + "]\n  operations: [CREATE, UPDATE]\n  resources: [" + resource + "]"}
}

// matchConstraints writes the requests that a policy is for.
func (m Document) matchConstraints(path string) []diag.Fix {
	if fixes := m.rulesBeside(path); fixes != nil {
		return fixes
	}
	parent := fieldpath.Parse(path).Parent().String()
	if m.Brackets(parent) {
		return m.add(path, []string{"{resourceRules: " + m.rules(true)[0] + "}"}, false)
	}
	rules := "\nresourceRules:" + m.rules(false)[0]
	return m.add(path, []string{strings.ReplaceAll(rules, "\n", "\n  ")}, false)
}

// rulesBeside takes the rules and selectors into matchConstraints that stand beside it, where
// it is left empty.
func (m Document) rulesBeside(path string) []diag.Fix {
	spec := fieldpath.Parse(path).Parent()
	if !m.Has(path) || m.value(path) != nil || m.Brackets(spec.String()) || m.IsJSON() {
		return nil
	}
	text, title := "", ""
	var removed []Edit
	for _, name := range []string{"resourceRules", "excludeResourceRules", "namespaceSelector", "objectSelector", "matchPolicy"} {
		field, ok := m.Field(spec.Child(name).String())
		if !ok || !m.Has(spec.Child(name).String()) {
			continue
		}
		text += "\n  " + strings.ReplaceAll(field, "\n", "\n  ")
		title = strings.TrimPrefix(title+", "+name, ", ")
		removed = append(removed, m.ToRemove(spec.Child(name).String()))
	}
	if text == "" {
		return nil
	}
	return Fix("Move "+title+" to "+path, append(removed, m.set(path, text))...)
}

// groupOf are the groups of common resources, for a rule that has none.
func (m Document) groupOf(resources []any) (group, version string) {
	group, version = "''", "v1"
	for i, r := range resources {
		name, _ := r.(string)
		name, _, _ = strings.Cut(name, "/")
		g, v, ok := m.in.builtin(name)
		if !ok {
			return "'*'", "'*'"
		}
		if i > 0 && scenario.Scalar(g) != group {
			return "'*'", "'*'"
		}
		group, version = scenario.Scalar(g), v
	}
	return group, version
}

// ruleValues completes a rule by what the rest of it has.
func (m Document) ruleValues(steps fieldpath.Path) []string {
	rule := steps.Parent()
	resources, _ := m.value(rule.Child("resources").String()).([]any)
	groups, _ := m.value(rule.Child("apiGroups").String()).([]any)
	switch steps.Last() {
	case "apiGroups":
		if len(resources) > 0 {
			group, _ := m.groupOf(resources)
			return []string{"[" + group + "]"}
		}
		return []string{"['*']"}
	case "apiVersions":
		if slices.Contains(groups, any("*")) || slices.Contains(resources, any("*")) {
			return []string{"['*']"}
		}
		_, version := m.groupOf(resources)
		if len(resources) == 0 {
			version = "v1"
		}
		return []string{"[" + version + "]"}
	}
	_, _, resource := m.written()
	return []string{"[" + resource + "]"}
}

// builtin is the group and the version of a built-in resource, by its plural.
func (in *Set) builtin(resource string) (group, version string, ok bool) {
	for _, r := range in.Resources {
		if r.GVR.Resource == resource && r.Builtin && r.Served {
			return r.GVR.Group, r.GVR.Version, true
		}
	}
	return "", "", false
}

// swappedVersion swaps the groups and the versions of a rule, where a group is empty
// among the versions and a version among the groups.
func (m Document) swappedVersion(item fieldpath.Path) []diag.Fix {
	list := item.Parent()
	groups, versions := list.Parent().Child("apiGroups").String(), list.String()
	if list.Last() != "apiVersions" {
		return nil
	}
	named, _ := m.value(groups).([]any)
	for _, g := range named {
		if name, ok := g.(string); !ok || !IsVersion(name) {
			return nil
		}
	}
	group, ok := m.Shifted(groups, 0)
	version, also := m.Shifted(versions, 0)
	if !ok || !also || len(named) == 0 {
		return nil
	}
	return Fix("Swap apiGroups and apiVersions", m.ToRewrite(groups, version), m.ToRewrite(versions, group))
}
