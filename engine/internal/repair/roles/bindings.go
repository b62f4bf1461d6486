package roles

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/scenario"
)

// missingRole finds the role that a binding probably means: of the other kind, with a similar name,
// or in another namespace.
func (c *Cluster) missingRole(doc *scenario.Document) []diag.Fix {
	kind, name := text(doc, "roleRef.kind"), text(doc, "roleRef.name")
	namespace := inNamespace(doc)
	cluster := doc.Kind == "ClusterRoleBinding"
	var here, there, elsewhere []string // role names of the same kind, of the other kind, and namespaces that have the role
	for _, d := range c.documents {
		switch {
		case d.Kind == "Role" && cluster:
		case d.Kind == "Role" && inNamespace(d) != namespace:
			if kind == "Role" && d.Name == name {
				elsewhere = append(elsewhere, inNamespace(d))
			}
		case d.Kind == kind:
			here = append(here, d.Name)
		case d.Kind == "Role" || d.Kind == "ClusterRole":
			there = append(there, d.Name)
		}
	}
	if kind == "ClusterRole" {
		here = append(here, everywhere...)
	} else {
		there = append(there, everywhere...)
	}
	other := map[string]string{"Role": "ClusterRole", "ClusterRole": "Role"}[kind]
	for _, role := range there {
		if role == name && other != "" {
			return written(doc, "roleRef.kind", other)
		}
	}
	if best, ok := nearest(here, name); ok {
		return written(doc, "roleRef.name", best)
	}
	if len(elsewhere) == 1 {
		if !doc.Has("metadata.namespace") {
			edit, ok := doc.Insert("metadata", "namespace", elsewhere[0])
			return diag.OneEdit("Add namespace: "+elsewhere[0], edit, ok)
		}
		return written(doc, "metadata.namespace", elsewhere[0])
	}
	return nil
}

// inNamespace returns an object's namespace, or kubectl's default.
func inNamespace(doc *scenario.Document) string {
	if doc.Namespace == "" {
		return "default"
	}
	return doc.Namespace
}

// subjectKinds maps other words for subjects to their kinds.
var subjectKinds = map[string]string{"user": "User", "users": "User", "group": "Group", "groups": "Group", "sa": "ServiceAccount", "serviceaccount": "ServiceAccount", "serviceaccounts": "ServiceAccount",
	"service-account": "ServiceAccount", "service account": "ServiceAccount"}

// refused repairs what the server rejects in a role or binding.
func (c *Cluster) refused(doc *scenario.Document, d *diag.Diagnostic) []diag.Fix {
	path := fieldpath.Parse(d.Path)
	required := strings.Contains(d.Summary, "Required value")
	add := func(value string, draft bool) []diag.Fix {
		edit, ok := doc.Put(path.Parent().String(), path.Last(), value)
		if !ok {
			return nil
		}
		return []diag.Fix{{Title: fmt.Sprintf("Add %s: %s", path.Last(), value), Edits: []diag.Edit{edit}, Draft: draft}}
	}
	if path[0].Name() == "roleRef" && !doc.Has("roleRef") {
		for _, name := range []string{"role", "roleref", "roleReference", "ref"} {
			if edit, ok := doc.Rename(name, "roleRef"); ok {
				return []diag.Fix{{Title: "Change to roleRef", Edits: []diag.Edit{edit}}}
			}
		}
		return nil
	}
	got := text(doc, d.Path)
	if required && len(path) == 2 && path[0].Name() == "roleRef" && !doc.Has(d.Path) {
		last := path.Last()
		if edit, ok := doc.Rename("roleRef.role"+strings.ToUpper(last[:1])+last[1:], last); ok {
			return []diag.Fix{{Title: "Change to " + last, Edits: []diag.Edit{edit}}}
		}
	}
	switch {
	case path.Last() == "kind" && len(path) == 3 && path[0].Name() == "subjects":
		if got == "" {
			return subjectKind(doc, path)
		}
		if kind := subjectKinds[strings.ToLower(got)]; kind != "" {
			return written(doc, d.Path, kind)
		}
		if best := suggest.Supported(d.Summary, got); best != "" {
			return written(doc, d.Path, best)
		}
	case path.Last() == "kind":
		if best := suggest.Supported(d.Summary, got); best != "" {
			return written(doc, d.Path, best)
		}
	case path.Last() == "apiGroup" && text(doc, path.Parent().Child("kind").String()) == "ServiceAccount":
		edit, ok := doc.Remove(d.Path)
		return diag.OneEdit("Remove apiGroup", edit, ok)
	case path.Last() == "apiGroup":
		return written(doc, d.Path, rbacv1.GroupName)
	case required && path.Last() == "namespace":
		return add("default", true)
	case required && path.Last() == "verbs":
		return add("[get, list, watch]", true)
	case required && path.Last() == "apiGroups":
		if groups := c.groupsOf(texts(doc, path.Parent().Child("resources"))); len(groups) > 0 {
			return add(inList(groups[:1]), false)
		}
	case path.Last() == "nonResourceURLs" && doc.Kind == "Role":
		return written(doc, "kind", "ClusterRole")
	}
	return nil
}

// subjectKind adds a subject's missing kind, derived from its other fields. Only a ServiceAccount
// has a namespace, and only users and groups have an API group. Among users and groups, the
// server's own names decide.
func subjectKind(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	subject := path.Parent()
	name := text(doc, subject.Child("name").String())
	kinds := []string{rbacv1.UserKind, rbacv1.GroupKind}
	switch {
	case text(doc, subject.Child("namespace").String()) != "":
		kinds = []string{rbacv1.ServiceAccountKind}
	case strings.HasPrefix(name, "system:serviceaccounts"), strings.HasPrefix(name, "system:") && strings.HasSuffix(name, "authenticated"), name == "system:masters":
		kinds = []string{rbacv1.GroupKind}
	case strings.HasPrefix(name, "system:serviceaccount:"):
		kinds = []string{rbacv1.UserKind}
	case text(doc, subject.Child("apiGroup").String()) == "":
		kinds = append(kinds, rbacv1.ServiceAccountKind)
	}
	var fixes []diag.Fix
	for _, kind := range kinds {
		edit, ok := doc.Put(subject.String(), path.Last(), kind)
		if doc.Has(path.String()) {
			edit, ok = doc.Rewrite(path.String(), kind)
		}
		if ok {
			fixes = append(fixes, diag.Fix{Title: "Add kind: " + kind, Edits: []diag.Edit{edit}})
		}
	}
	return fixes
}
