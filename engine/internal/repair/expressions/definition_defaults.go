package expressions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	kubeobject "github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// explained explains what only the documentation of definitions says: approvals, unknown fields, the keys of lists
// and defaults of objects. It reports whether the problem is one of these.
func explained(d *diag.Diagnostic, doc *scenario.Document, path fieldpath.Path, required bool) bool {
	switch last := path.Last(); {
	case last == approval && required:
		approved(d, doc)
	case path.String() == "spec.preserveUnknownFields":
		unknownFields(d, doc)
	case last == "default" && strings.Contains(d.Summary, "x-kubernetes-list-map-keys"):
		requiredKeys(d, doc, path)
	default:
		return required && incompleteDefault(d, doc, path)
	}
	return true
}

// incompleteDefault explains a default of an object that lacks a field which its schema requires, and offers to
// complete it, not to require the field, and to leave the default out. It reports whether the path is in a default.
func incompleteDefault(d *diag.Diagnostic, doc *scenario.Document, path fieldpath.Path) bool {
	at := slices.IndexFunc(path, func(s fieldpath.Step) bool { return s.Name() == "default" })
	if at < 1 || path[at-1].Name() == "properties" || len(path) == at+1 {
		return false
	}
	around, inner := path[:at], path[at+1:]
	for _, step := range inner.Parent() { // the schema of the object that lacks the field
		if around = around.Child("properties").Key(step.Name()); step.IsIndex() {
			around = around.Parent().Parent().Child("items")
		}
	}
	name := inner.Last()
	value, _ := around.Child("properties").Key(name).Get(doc.Value)
	property, _ := value.(map[string]any)
	of := strings.Join(propertyNames(path[:at]), ".")
	d.Detail = fmt.Sprintf("The default of %s has no %s, and the schema requires it. A default must be complete: the server does not fill in the defaults of its fields first.", of, inner)
	whole, _ := objecttext.In(doc, "")
	if own, has := property["default"]; has {
		d.Fixes = whole.Fix(fmt.Sprintf("Add %s: %v to the default", name, own), func(object map[string]any) {
			path.Set(object, kubeobject.Copy(own))
		})
	}
	d.Fixes = append(d.Fixes, whole.Fix("Do not require "+name, func(object map[string]any) {
		value, _ := around.Get(object)
		schema, _ := value.(map[string]any)
		required, _ := schema["required"].([]any)
		if left := slices.DeleteFunc(slices.Clone(required), func(r any) bool { return r == name }); len(left) > 0 {
			schema["required"] = left
		} else {
			delete(schema, "required")
		}
	})...)
	d.Fixes = append(d.Fixes, whole.Fix("Remove the default", func(object map[string]any) { path[:at+1].Remove(object) })...)
	return true
}

// requiredKeys requires the fields by whose values the items of a list are found.
func requiredKeys(d *diag.Diagnostic, doc *scenario.Document, path fieldpath.Path) {
	items := path.Parent().Parent().Parent() // of properties[key].default
	value, _ := items.Get(doc.Value)
	schema, _ := value.(map[string]any)
	listed, _ := items.Parent().Child("x-kubernetes-list-map-keys").Get(doc.Value)
	keys, _ := listed.([]any)
	required, _ := schema["required"].([]any)
	properties := kubeobject.Sub(schema, "properties")
	all := slices.Clone(required)
	var added []string
	for _, key := range keys {
		name, _ := key.(string)
		if _, defaults := kubeobject.Sub(properties, name)["default"]; !defaults && !slices.Contains(required, key) {
			all, added = append(all, key), append(added, name)
		}
	}
	d.Detail = "The values of these fields identify an item, so each item must have them. Require the fields, or give them a default."
	whole, _ := objecttext.In(doc, "")
	d.Fixes = whole.Fix("Require "+strings.Join(added, " and "), func(object map[string]any) { items.Child("required").Set(object, all) })
}

// unknownFields explains the field of v1beta1 with which all unknown fields are kept.
func unknownFields(d *diag.Diagnostic, doc *scenario.Document) {
	d.Detail = "apiextensions.k8s.io/v1beta1 kept unknown fields by this field, with true as its default. v1 drops what the schema does not have. A definition that was created as v1beta1 has true in storage: a manifest must say false, as leaving the field out changes nothing."
	d.Fixes = written(doc, "spec.preserveUnknownFields", "false")
	whole, _ := objecttext.In(doc, "")
	d.Fixes = append(d.Fixes, whole.Fix("Keep unknown fields by each version's schema instead", func(object map[string]any) {
		spec := kubeobject.Sub(object, "spec")
		spec["preserveUnknownFields"] = false
		for _, version := range kubeobject.Items(spec["versions"]) {
			if schema := kubeobject.Sub(version, "schema", "openAPIV3Schema"); schema != nil {
				schema[preserve] = true
			}
		}
	})...)
	for i := range d.Fixes {
		d.Fixes[i].Choice = true // what to do with unknown fields is not known
	}
}

// approval is the annotation that definitions of Kubernetes' own groups need.
const approval = "api-approved.kubernetes.io"

// approved adds the annotation that a definition of a protected group needs.
func approved(d *diag.Diagnostic, doc *scenario.Document) {
	d.Detail = "Groups that end with k8s.io and kubernetes.io belong to Kubernetes. Their definitions name the pull request that approved them, or say that none did. Another group needs no annotation."
	whole, _ := objecttext.In(doc, "")
	d.Fixes = whole.Fix("Say that nobody approved it", func(object map[string]any) {
		kubeobject.Child(kubeobject.Child(object, "metadata"), "annotations")[approval] = "unapproved, experimental-only"
	})
}
