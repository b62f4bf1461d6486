package noeffect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// customRules reports rules and defaults of the definition that had no effect, because the object or
// the old object does not have the field that they belong to, and nulls that the server drops.
func (r *Run) customRules() {
	if r.Definition == nil || r.Document == nil || r.Final.Object == nil {
		return
	}
	for i := range r.Definition.Spec.Versions {
		if r.Definition.Spec.Versions[i].Name != r.Initial.Resource.Version {
			continue
		}
		schema := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		value, _ := fieldpath.Parse(schema).Get(r.Document.Value)
		node, _ := value.(map[string]any)
		r.nulls(schema, node)
		if node != nil && r.Initial.SubResource == "" && r.Report.Outcome.Allowed {
			r.node(ruleNode{path: schema, node: node, object: r.Final.Object, old: r.Final.OldObject})
		}
	}
}

// ruleNode is a node of the schema with its values in the object and the old object.
type ruleNode struct {
	path, field string // the field is empty for the root
	node        map[string]any
	object, old any
}

// node looks at the properties of a node that the object or the old object has.
func (r *Run) node(n ruleNode) {
	properties, _ := n.node["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		child, _ := properties[name].(map[string]any)
		if child == nil {
			continue
		}
		below := ruleNode{path: fieldpath.Parse(n.path).Child("properties").Key(name).String(), field: strings.TrimPrefix(n.field+"."+name, "."), node: child, object: untyped.At[any](n.object, name), old: untyped.At[any](n.old, name)}
		if n.object != nil && below.object == nil {
			r.defaults(below)
		}
		switch {
		case r.Final.OldObject != nil && n.object != nil && n.old != nil && (below.object == nil) != (below.old == nil):
			r.changed(n, below, name)
		case below.object == nil && below.old == nil && n.field == "" && name != "status" && name != "metadata":
			r.absent(n, below, name)
		case below.object != nil:
			r.transitions(below)
			r.node(below)
		}
	}
}

// absent reports a field of the object's first level that has rules in it and is missing.
func (r *Run) absent(parent, n ruleNode, name string) {
	count := countRules(n.node)
	required := untyped.Strings(parent.node["required"])
	if count == 0 || slices.Contains(required, name) {
		return
	}
	var edit diag.Edit
	var ok bool
	if _, has := parent.node["required"]; has {
		edit, ok = r.Document.Append(parent.path+".required", len(required), name)
	} else {
		edit, ok = r.Document.Insert(parent.path, "required", "["+name+"]")
	}
	what := "the rule below it was"
	if count > 1 {
		what = fmt.Sprintf("the %d rules below it were", count)
	}
	r.add(r.Document, codes.RuleWithoutValue, n.path, r.Document.LocateKey(n.path),
		fmt.Sprintf("the object has no %s, so %s not evaluated", n.field, what),
		"A rule is evaluated only where its field has a value. Make the field required if the rules must hold for every object.",
		fix("Make "+name+" required", edit, ok))
}

func countRules(node map[string]any) int {
	rules, _ := node["x-kubernetes-validations"].([]any)
	count := len(rules)
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := node[key].(map[string]any); ok {
			count += countRules(below)
		}
	}
	properties, _ := node["properties"].(map[string]any)
	for _, value := range properties {
		if below, ok := value.(map[string]any); ok {
			count += countRules(below)
		}
	}
	return count
}

var readsOldSelf = lazy.Regexp{Text: `\boldSelf\b`}

// transitionRules are the rules of a node that read oldSelf, by their index.
func transitionRules(node map[string]any) map[int]map[string]any {
	rules, _ := node["x-kubernetes-validations"].([]any)
	out := map[int]map[string]any{}
	for i, value := range rules {
		rule, _ := value.(map[string]any)
		text, _ := rule["rule"].(string)
		if readsOldSelf.MatchString(text) && rule["optionalOldSelf"] != true {
			out[i] = rule
		}
	}
	return out
}

// changed reports rules about the value before of a field that an update adds or removes.
func (r *Run) changed(parent, n ruleNode, name string) {
	rules := transitionRules(n.node)
	for _, i := range slices.Sorted(maps.Keys(rules)) {
		path := fieldpath.Parse(n.path).Child("x-kubernetes-validations").Index(i).Child("rule").String()
		text, _ := rules[i]["rule"].(string)
		what := "removes"
		if n.object != nil {
			what = "adds"
		}
		asked := func(title, rule, message string) diag.Fix {
			item := "{rule: " + scenario.Quoted(rule) + ", message: " + scenario.Scalar(message) + "}"
			edit, ok := r.addRule(parent, item)
			return fix(title, edit, ok)
		}
		once := asked("Forbid removing it: add a rule to its parent", fmt.Sprintf("!has(oldSelf.%s) || has(self.%s)", name, name), name+" cannot be removed")
		never := asked("Forbid adding and removing it: add a rule to its parent", fmt.Sprintf("has(oldSelf.%s) == has(self.%s)", name, name), name+" cannot be added or removed")
		fixes := []diag.Fix{never, once}
		if n.object != nil {
			fixes = fixes[:1]
		}
		r.add(r.Document, codes.RuleWithoutValue, path, r.Document.Locate(path),
			fmt.Sprintf("the update %s %s, so the rule %s was not evaluated", what, n.field, text),
			"A rule that reads oldSelf is evaluated only where there is a value before and after. A rule of the parent sees the field come and go.", fixes...)
	}
}

func (r *Run) addRule(n ruleNode, item string) (diag.Edit, bool) {
	rules, has := n.node["x-kubernetes-validations"].([]any)
	if !has {
		return r.Document.Insert(n.path, "x-kubernetes-validations", "["+item+"]")
	}
	return r.Document.Append(n.path+".x-kubernetes-validations", len(rules), item)
}

// transitions reports rules that were not evaluated on creation although a part of them does
// not need the value before.
func (r *Run) transitions(n ruleNode) {
	if r.Final.OldObject != nil {
		return
	}
	rules := transitionRules(n.node)
	for _, i := range slices.Sorted(maps.Keys(rules)) {
		text, _ := rules[i]["rule"].(string)
		at := fieldpath.Parse(n.path).Child("x-kubernetes-validations").Index(i)
		path := at.Child("rule").String()
		written, ok := optionalOldSelf(text)
		if !ok {
			continue // it is about the change alone
		}
		f := diag.Fix{Title: "Evaluate it on creation as well: optionalOldSelf"}
		if source := r.source(r.Document, path); source != nil {
			rewritten := source.Fix(f.Title, source.Differences(written)...)
			if edit, ok := r.Document.Insert(at.String(), "optionalOldSelf", "true"); ok {
				f.Edits = append(rewritten.Edits, edit)
			}
		}
		r.add(r.Document, codes.RuleWithoutValue, path, r.Document.Locate(path),
			"the rule was not evaluated: it reads oldSelf, and a new object has no old value",
			"With optionalOldSelf: true the server evaluates it on creation, too, and oldSelf is an optional value. Or move what does not need oldSelf to a second rule.", f)
	}
}
