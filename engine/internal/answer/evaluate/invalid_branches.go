package evaluate

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// alternative is a branch of a schema's oneOf or anyOf: the fields that an object must have, and may not have.
type alternative struct{ needs, forbids []string }

// alternatives are the branches that say only which fields there are; none where one says more.
func alternatives(node map[string]any) (out []alternative) {
	branches := untyped.Items(node["oneOf"])
	if len(branches) == 0 {
		branches = untyped.Items(node["anyOf"])
	}
	for _, branch := range branches {
		a := alternative{needs: untyped.Strings(branch["required"])}
		not := untyped.Sub(branch, "not")
		for _, of := range append(untyped.Items(not["anyOf"]), not) {
			if names := untyped.Strings(of["required"]); len(names) == 1 { // several together are forbidden, one of them is not
				a.forbids = append(a.forbids, names...)
			}
		}
		if len(a.needs)+len(a.forbids) == 0 {
			return nil
		}
		out = append(out, a)
	}
	return out
}

func (a alternative) String() string {
	said := strings.Join(a.needs, " and ")
	if len(a.forbids) > 0 {
		said = strings.TrimSpace(said + " without " + strings.Join(a.forbids, " and "))
	}
	return said
}

// branches says which fields the branches of a schema allow together, and offers what leads to one of them.
func (e *Evaluation) branches(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	definition, at, node := e.schemaOf(e.Chain.Attributes.Resource, path)
	all := alternatives(node)
	object := fieldpath.As[map[string]any](path.Get(sent.Value))
	if !ok || len(all) == 0 || object == nil {
		return
	}
	var said []string
	for _, a := range all {
		said = append(said, a.String())
	}
	d.Detail = "The definition allows " + strings.Join(said, ", or ") + "."
	if e.filledIn(d, all, path, object, definition, at) {
		return
	}
	fulfilled := 0
	for _, a := range all {
		if missing, surplus := a.differs(object); len(missing)+len(surplus) == 0 {
			fulfilled++
		}
	}
	if fulfilled > 1 {
		d.Detail += " The object fits more than one of them, and may fit only one."
	}
	for _, a := range all {
		missing, surplus := a.differs(object)
		if fulfilled > 1 { // what makes the others fit as well is too much
			for _, other := range all {
				for _, name := range other.needs {
					if !slices.Contains(a.needs, name) && !slices.Contains(surplus, name) && object[name] != nil {
						surplus = append(surplus, name)
					}
				}
			}
		}
		switch {
		case len(missing) == 0 && len(surplus) > 0:
			d.Fixes = append(d.Fixes, sent.Fix("Remove "+strings.Join(surplus, " and "), func(whole map[string]any) {
				for _, name := range surplus {
					path.Child(name).Remove(whole)
				}
			})...)
		case len(missing) > 0 && len(surplus) == 0 && fulfilled == 0:
			fixes := sent.Fix("Add "+strings.Join(missing, " and "), func(whole map[string]any) {
				for _, name := range missing {
					path.Child(name).Set(whole, exampleOf(untyped.Sub(node, "properties", name)["type"]))
				}
			})
			for i := range fixes {
				fixes[i].Draft = true // the values are examples
			}
			d.Fixes = append(d.Fixes, fixes...)
		}
	}
}

// filledIn says which of the fields of the branches the object has only by a default of the schema, and offers to
// remove those defaults.
func (e *Evaluation) filledIn(d *diag.Diagnostic, all []alternative, path fieldpath.Path, sent map[string]any, definition objecttext.Object, at fieldpath.Path) bool {
	complete := fieldpath.As[map[string]any](path.Get(e.Chain.Attributes.Object))
	var filled []string
	for _, a := range all {
		for _, name := range slices.Concat(a.needs, a.forbids) {
			if sent[name] == nil && complete[name] != nil && !slices.Contains(filled, name) {
				filled = append(filled, name)
			}
		}
	}
	if len(filled) == 0 || definition.Document == nil {
		return false
	}
	names := strings.Join(filled, " and ")
	d.Detail += fmt.Sprintf(" The request has no %s: the schema's default fills it in before this check, and a field that is filled in counts as present, even if it is empty.", names)
	place := at.Child("properties", filled[0], "default").String()
	d.Related = append(d.Related, diag.Related{Text: definition.Document.Text, Span: definition.Document.Locate(place), Path: place, Summary: "the default"})
	d.Fixes = append(d.Fixes, definition.Fix("Remove the default of "+names+" in the definition", func(object map[string]any) {
		for _, name := range filled {
			at.Child("properties", name, "default").Remove(object)
		}
	})...)
	return true
}

// differs are the fields that an object lacks for a branch, and those that it may not have.
func (a alternative) differs(object map[string]any) (missing, surplus []string) {
	for _, name := range a.needs {
		if _, has := object[name]; !has {
			missing = append(missing, name)
		}
	}
	for _, name := range a.forbids {
		if _, has := object[name]; has {
			surplus = append(surplus, name)
		}
	}
	return missing, surplus
}

// exampleOf is a value of a schema's type.
func exampleOf(kind any) any {
	switch kind {
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	case "integer", "number":
		return int64(1)
	case "boolean":
		return true
	}
	return "example"
}

// identifying are fields that tell two items with the same key apart, so that the definition may use them as keys.
func (e *Evaluation) identifying(d *diag.Diagnostic, list fieldpath.Path, first, second map[string]any) {
	definition, at, node := e.schemaOf(e.Chain.Attributes.Resource, list)
	keys, _ := node["x-kubernetes-list-map-keys"].([]any)
	items := untyped.Sub(node, "items")
	for _, name := range untyped.Strings(items["required"]) {
		if slices.Contains(keys, any(name)) || first[name] == nil || shown(first[name]) == shown(second[name]) {
			continue
		}
		d.Detail += fmt.Sprintf(" The definition identifies items by %v: x-kubernetes-list-map-keys.", keys)
		d.Fixes = append(d.Fixes, definition.Fix("Identify items also by "+name+" in the definition", func(object map[string]any) {
			at.Child("x-kubernetes-list-map-keys").Set(object, append(slices.Clone(keys), name))
		})...)
		return
	}
}
