package noeffect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// nulls reports the fields of a custom resource that the request sets to null and that are not nullable: the server
// drops them.
func (r *Run) nulls(schema string, node map[string]any) {
	var fields, places []string
	var walk func(node map[string]any, at fieldpath.Path, value any, field fieldpath.Path)
	walk = func(node map[string]any, at fieldpath.Path, value any, field fieldpath.Path) {
		if list, ok := value.([]any); ok {
			for i, item := range list {
				walk(untyped.Sub(node, "items"), at.Child("items"), item, field.Index(i))
			}
			return
		}
		object, _ := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			child, place := untyped.Sub(node, "properties", name), at.Child("properties").Key(name)
			if child == nil {
				child, place = untyped.Sub(node, "additionalProperties"), at.Child("additionalProperties")
			}
			switch below := field.Child(name); {
			case child == nil:
			case object[name] != nil:
				walk(child, place, object[name], below)
			case child["nullable"] != true && child["default"] == nil && !defaulted(child) && !slices.Contains(places, place.String()):
				fields, places = append(fields, below.String()), append(places, place.String())
			}
		}
	}
	walk(node, fieldpath.Parse(schema), r.Report.Sent, nil)
	if len(fields) == 0 {
		return
	}
	nullable := diag.Fix{Title: "Add nullable: true to " + strings.Join(fields, ", ") + " in the definition", Choice: true}
	for _, place := range places {
		if edit, ok := r.Document.Insert(place, "nullable", "true"); ok {
			nullable.Edits = append(nullable.Edits, edit)
		}
	}
	r.add(r.Document, codes.NullDropped, places[0], r.Document.LocateKey(places[0]), "the server drops null: the request sets "+strings.Join(fields, ", ")+" to null",
		"The schema does not have nullable: true there, so the field counts as missing, also for required and for rules. Releases before 1.20 rejected the object.", nullable)
}

// defaulted reports whether an object has required fields, and a default for each.
func defaulted(node map[string]any) bool {
	required := untyped.Strings(node["required"])
	return len(required) > 0 && !slices.ContainsFunc(required, func(name string) bool { return untyped.Sub(node, "properties", name)["default"] == nil })
}

// defaults reports defaults of required fields below a field that the object does not have: the server applies a
// default only where what is around it is there.
func (r *Run) defaults(n ruleNode) {
	if !defaulted(n.node) || n.node["default"] != nil {
		return
	}
	required := untyped.Strings(n.node["required"])
	complete := map[string]any{} // the server does not fill in the defaults of a default
	for _, name := range required {
		complete[name] = untyped.Sub(n.node, "properties", name)["default"]
	}
	value, err := json.Marshal(complete)
	if err != nil {
		return // it was read from YAML
	}
	edit, ok := r.Document.Insert(n.path, "default", string(value))
	path := fieldpath.Parse(n.path).Child("properties").Key(required[0]).Child("default").String()
	f := fix("Add default: "+string(value)+" to "+n.field, edit, ok)
	f.Choice = true
	r.add(r.Document, codes.DefaultNotApplied, path, r.Document.Locate(path), fmt.Sprintf("the default is not applied: the object has no %s", n.field),
		"The server applies a default only where the field around it is there. A default of "+n.field+" would be applied.", f)
}
