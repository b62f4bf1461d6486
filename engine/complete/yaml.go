package complete

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/catalog"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/engine/typed"
)

// yaml completes a key or a value of a manifest.
func (q *query) yaml() Result {
	c := q.cursor
	prefix, suffix := keyPrefix(c.before), keySuffix(c.after)
	t := q.typeOfDocument()
	for _, step := range c.path {
		t = stepInto(t, step)
	}
	switch {
	case c.isKey && len(c.path) == 0:
		return q.result(prefix, suffix, q.topKeys(t))
	case t == nil:
		return q.result(prefix, suffix, q.knownValues(nil))
	case t.Kind == catalog.Struct && (c.isKey || c.before == prefix && c.after == suffix && !c.quoted):
		return q.result(prefix, suffix, q.keys(t))
	case c.isKey && len(c.siblings) > 0:
		return q.result(prefix, suffix, nil) // of a map: any key will do
	}
	return q.result(prefix, suffix, q.knownValues(t))
}

// keyPrefix is the part of a key or value before the cursor that an item
// replaces: all of it, since labels such as apps/v1 are more than a word.
func keyPrefix(before string) string {
	return before[strings.LastIndexAny(before, " \t\n")+1:]
}

func keySuffix(after string) string {
	if i := strings.IndexAny(after, " \t\n"); i >= 0 {
		return after[:i]
	}
	return after
}

// typeOfDocument is the type of the kind that the document is of.
func (q *query) typeOfDocument() *catalog.Type {
	doc := q.cursor.document(false)
	apiVersion, _ := doc["apiVersion"].(string)
	kind, _ := doc["kind"].(string)
	if apiVersion == "preadmit.dev/v1" && kind == "WebhookResponse" {
		return webhookResponse()
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	t, _ := q.catalog.TypeOf(gv.WithKind(kind))
	return t
}

func stepInto(t *catalog.Type, step any) *catalog.Type {
	if t == nil {
		return nil
	}
	switch s := step.(type) {
	case string:
		if t.Kind == catalog.Struct && t.Field(s) != nil {
			return t.Field(s).Type
		}
		if t.Kind == catalog.Map {
			return t.Elem
		}
	case int:
		if t.Kind == catalog.List {
			return t.Elem
		}
	}
	return nil
}

// topKeys lists what a manifest begins with.
func (q *query) topKeys(t *catalog.Type) []Item {
	if t != nil {
		return q.keys(t)
	}
	var items []Item
	for i, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if slices.Contains(q.cursor.siblings, key) {
			continue
		}
		items = append(items, Item{Label: key, Kind: FieldItem, Apply: key + ":" + afterKey(i > 1), Boost: fieldBoost - i})
	}
	if len(q.cursor.siblings) == 0 {
		items = append(items, q.snippets()...)
	}
	return items
}

func afterKey(nested bool) string {
	if nested {
		return ""
	}
	return " "
}

// keys lists the fields of a struct that are not there yet. Status is the
// server's.
func (q *query) keys(t *catalog.Type) []Item {
	var items []Item
	for i, f := range t.Fields() {
		if slices.Contains(q.cursor.siblings, f.Name) || len(q.cursor.path) == 0 && f.Name == "status" {
			continue
		}
		nested := f.Type.Kind == catalog.Struct || f.Type.Kind == catalog.Map || f.Type.Kind == catalog.List
		apply := f.Name + ":" + afterKey(nested)
		if isExpressionKey(f.Name) && strings.HasPrefix(t.ID, "admissionregistration/") {
			apply = f.Name + ": >-\n" + q.blockIndent() + "${}"
		}
		if strings.HasPrefix(q.src[q.offset:], ":") {
			apply = f.Name
		}
		items = append(items, Item{
			Label: f.Name, Kind: FieldItem, Detail: describeField(f), Doc: q.fieldDoc(t, f),
			Apply: apply, Boost: max(fieldBoost-i, -50),
		})
	}
	return items
}

// blockIndent is the white space that a block scalar below the cursor's key
// needs beyond the indentation of its line, where the dashes of lists stand.
func (q *query) blockIndent() string {
	line := q.src[strings.LastIndexByte(q.src[:q.offset], '\n')+1 : q.offset]
	dashes := strings.TrimLeft(line, " ")
	return strings.Repeat(" ", len(dashes)-len(strings.TrimLeft(dashes, "- "))+2)
}

func isExpressionKey(name string) bool {
	return name == "expression" || name == "messageExpression" || name == "valueExpression"
}

// knownValues lists the values that a field takes.
func (q *query) knownValues(t *catalog.Type) []Item {
	values, detail := q.namesFor(t)
	if t != nil && len(values) == 0 {
		values = t.Enum
		if t.Kind == catalog.Boolean {
			values = []string{"true", "false"}
		}
	}
	var items []Item
	for i, v := range values {
		apply := v
		if needsQuotes(v) && !q.cursor.quoted {
			apply = `"` + v + `"`
		}
		items = append(items, Item{Label: v, Kind: ValueItem, Detail: detail, Apply: apply, Boost: max(fieldBoost-i, -50)})
	}
	return items
}

// needsQuotes tells whether a plain scalar would not be this text.
func needsQuotes(v string) bool { return v == "" || strings.HasPrefix(v, "*") }

// namesFor lists values that other things decide: the kinds there are, the
// resources of a group, the policies in the text.
func (q *query) namesFor(t *catalog.Type) (values []string, detail string) {
	path := q.cursor.path
	last, before := lastKeys(path)
	doc := q.cursor.document(false)
	switch {
	case before == "paramRef" && last == "name":
		return q.paramNames(doc), "param"
	case before == "paramRef" && last == "namespace":
		return q.clusterNames(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}), "namespace"
	}
	switch last {
	case "reason":
		if text(doc["kind"]) == "ValidatingAdmissionPolicy" {
			return reasons, "reason"
		}
	case "kind":
		return q.kindNames(parentOf(doc, path)), "kind"
	case "apiVersion":
		return q.apiVersions(parentOf(doc, path)), "API version"
	case "apiGroups":
		return append(q.groups(), "*"), "API group"
	case "apiVersions":
		return append(q.versions(rulesAround(doc, path)), "*"), "version"
	case "resources":
		rule := rulesAround(doc, path)
		return append(q.resources(texts(rule["apiGroups"]), texts(rule["apiVersions"])), "*"), "resource"
	case "policyName":
		return q.policyNames(strings.TrimSuffix(text(doc["kind"]), "Binding")), "policy"
	case "operations":
		all := append(slices.Clone(operations), "*")
		if text(doc["kind"]) == "MutatingAdmissionPolicy" {
			// Mutating policies do not run on DELETE (semantics §0.2).
			all = slices.DeleteFunc(all, func(s string) bool { return s == "DELETE" })
		}
		return all, "operation"
	}
	return nil, ""
}

// reasons are those of install.Reasons, which a test compares.
var reasons = []string{"Invalid", "Forbidden", "RequestEntityTooLarge"}

// lastKeys are the last two keys of a path.
func lastKeys(path []any) (last, before string) {
	for _, step := range path {
		if s, ok := step.(string); ok {
			last, before = s, last
		}
	}
	return last, before
}

// parentOf is the mapping that the last key of a path stands in.
func parentOf(doc map[string]any, path []any) map[string]any {
	var at any = doc
	for _, step := range path[:max(len(path)-1, 0)] {
		at = child(at, step)
	}
	m, _ := at.(map[string]any)
	return m
}

// rulesAround is the rule that the list at the path belongs to.
func rulesAround(doc map[string]any, path []any) map[string]any {
	var at any = doc
	var rule map[string]any
	for _, step := range path {
		at = child(at, step)
		if m, ok := at.(map[string]any); ok {
			rule = m
		}
	}
	return rule
}

func child(at, step any) any {
	switch s := step.(type) {
	case string:
		m, _ := at.(map[string]any)
		return m[s]
	case int:
		if l, _ := at.([]any); s < len(l) {
			return l[s]
		}
	}
	return nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func texts(v any) []string {
	var out []string
	l, _ := v.([]any)
	for _, item := range l {
		if s, ok := item.(string); ok && s != "" || item == "" {
			out = append(out, s)
		}
	}
	return out
}

// kindNames lists the kinds of the API version beside the cursor; of all of
// them when there is none.
func (q *query) kindNames(beside map[string]any) []string {
	version := text(beside["apiVersion"])
	var out []string
	for _, r := range q.kinds() {
		if version == "" || r.GVK.GroupVersion().String() == version {
			out = append(out, r.GVK.Kind)
		}
	}
	return distinct(out)
}

// kinds lists all kinds; among the policies, those of policies first.
func (q *query) kinds() []catalog.Resource {
	all := q.catalog.Kinds()
	if q.text == diag.Policies {
		slices.SortStableFunc(all, func(a, b catalog.Resource) int {
			switch first, second := a.GVK.Group == registration, b.GVK.Group == registration; {
			case first == second:
				return 0
			case first:
				return -1
			}
			return 1
		})
	}
	return all
}

func (q *query) apiVersions(beside map[string]any) []string {
	kind := text(beside["kind"])
	var out []string
	for _, r := range q.kinds() {
		if kind == "" || r.GVK.Kind == kind {
			out = append(out, r.GVK.GroupVersion().String())
		}
	}
	return distinct(out)
}

func (q *query) groups() []string {
	var out []string
	for _, r := range q.catalog.Kinds() {
		out = append(out, r.GVR.Group)
	}
	return distinct(out)
}

func (q *query) versions(rule map[string]any) []string {
	groups := texts(rule["apiGroups"])
	var out []string
	for _, r := range q.catalog.Kinds() {
		if len(groups) == 0 || slices.Contains(groups, r.GVR.Group) {
			out = append(out, r.GVR.Version)
		}
	}
	return distinct(out)
}

// resources lists resources and their subresources; no groups or versions, or
// wildcards among them, mean any.
func (q *query) resources(groups, versions []string) []string {
	any := func(list []string) bool { return len(list) == 0 || slices.Contains(list, "*") }
	var main, subs []string
	for _, r := range q.catalog.Kinds() {
		if !any(groups) && !slices.Contains(groups, r.GVR.Group) || !any(versions) && !slices.Contains(versions, r.GVR.Version) {
			continue
		}
		main = append(main, r.GVR.Resource)
		for sub := range r.Subresources {
			subs = append(subs, r.GVR.Resource+"/"+sub)
		}
	}
	slices.Sort(subs)
	return distinct(append(main, subs...))
}

// policyNames lists the policies of a kind in the policies text.
func (q *query) policyNames(kind string) []string {
	docs, _ := scenario.ParseDocuments(diag.Policies, q.scenario.Policies)
	var out []string
	for _, d := range docs {
		if d.Kind == kind && d.Name != "" {
			out = append(out, d.Name)
		}
	}
	return distinct(out)
}

// paramNames lists the objects of the cluster text that a binding can name: of
// the paramKind of its policy.
func (q *query) paramNames(binding map[string]any) []string {
	spec, _ := binding["spec"].(map[string]any)
	policies, _ := scenario.ParseDocuments(diag.Policies, q.scenario.Policies)
	for _, d := range policies {
		if d.Name != text(spec["policyName"]) || d.Kind+"Binding" != text(binding["kind"]) {
			continue
		}
		if gvk, ok := typed.ParamKind(d.Value); ok {
			return q.clusterNames(gvk)
		}
	}
	return nil
}

// clusterNames lists the objects of a kind in the cluster text.
func (q *query) clusterNames(gvk schema.GroupVersionKind) []string {
	var out []string
	for _, object := range q.clusterObjects(gvk) {
		metadata, _ := object["metadata"].(map[string]any)
		out = append(out, text(metadata["name"]))
	}
	return distinct(out)
}

func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
