package completion

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// namesFor lists values that other things decide: the kinds there are, the
// resources of a group, the policies in the text.
func (q *query) namesFor(t *catalog.Type) (values []string, detail string) {
	path := q.cursor.path
	last, before := lastKeys(path)
	doc := q.cursor.document(false)
	switch {
	case before == "paramRef" && last == "name":
		return q.paramNames(doc), "param"
	case before == "paramRef" && last == "namespace", before == "metadata" && last == "namespace":
		return q.clusterNames(namespaces), "namespace"
	case before == "metadata" && last == "name" && isWebhookResponse(doc):
		return q.unanswered(), "webhook"
	case before == "matchLabels":
		return labelValues(q.selected(), last), q.selectedWord()
	case before == "matchExpressions" && last == "key":
		return labelNames(q.selected()), q.selectedWord()
	case before == "matchExpressions" && last == "values":
		return labelValues(q.selected(), text(rulesAround(doc, path)["key"])), q.selectedWord()
	case last == "serviceAccountName":
		return q.clusterNames(schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}), "ServiceAccount"
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
		return append(q.resources(untyped.Strings(rule, "apiGroups"), untyped.Strings(rule, "apiVersions")), "*"), "resource"
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

var namespaces = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// isWebhookResponse reports whether a document says what a webhook answers.
func isWebhookResponse(doc map[string]any) bool {
	return text(doc["apiVersion"]) == "preadmit.dev/v1" && text(doc["kind"]) == "WebhookResponse"
}

// unanswered lists the webhooks of the scenario, those first that have no answer
// yet.
func (q *query) unanswered() []string {
	answered := map[string]bool{}
	docs, _ := scenario.ParseDocuments(diag.Cluster, q.scenario.Cluster)
	for _, d := range docs {
		if isWebhookResponse(d.Value) {
			answered[d.Name] = true
		}
	}
	var open, others []string
	policies, _ := scenario.ParseDocuments(diag.Policies, q.scenario.Policies)
	for _, d := range policies {
		list, _ := d.Value["webhooks"].([]any)
		for _, item := range list {
			hook, _ := item.(map[string]any)
			switch name := text(hook["name"]); {
			case name == "":
			case answered[name]:
				others = append(others, name)
			default:
				open = append(open, name)
			}
		}
	}
	return distinct(append(open, others...))
}

func (q *query) within(field string) bool {
	return slices.ContainsFunc(q.cursor.path, func(s fieldpath.Step) bool { return !s.IsIndex() && s.Name() == field })
}

// selected are the objects whose labels a policy's selector at the cursor asks for: the
// Namespaces of the cluster, or the object of the request.
func (q *query) selected() []map[string]any {
	switch {
	case q.within("namespaceSelector"):
		return q.clusterObjects(namespaces)
	case q.within("objectSelector"):
		return []map[string]any{q.requestObject()}
	}
	return nil
}

func (q *query) selectedWord() string {
	if q.within("objectSelector") {
		return "label of the request's object"
	}
	return "label of a Namespace"
}

// metadataLabels are the labels of an object.
func metadataLabels(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	return labels
}

// labelNames lists the names of the objects' labels.
func labelNames(objects []map[string]any) []string {
	var out []string
	for _, object := range objects {
		out = append(out, slices.Sorted(maps.Keys(metadataLabels(object)))...)
	}
	return distinct(out)
}

func labelValues(objects []map[string]any, label string) []string {
	var out []string
	for _, object := range objects {
		if value := text(metadataLabels(object)[label]); value != "" {
			out = append(out, value)
		}
	}
	return distinct(out)
}

// reasons are those of install.Reasons, which a test compares.
var reasons = []string{"Invalid", "Forbidden", "RequestEntityTooLarge"}

// lastKeys are the last two keys of a path.
func lastKeys(path fieldpath.Path) (last, before string) {
	for _, step := range path {
		if !step.IsIndex() {
			last, before = step.Name(), last
		}
	}
	return last, before
}

// parentOf is the mapping that the last key of a path is in.
func parentOf(doc map[string]any, path fieldpath.Path) map[string]any {
	m := fieldpath.As[map[string]any](path.Parent().Get(doc))
	return m
}

// rulesAround is the rule that the list at the path belongs to.
func rulesAround(doc map[string]any, path fieldpath.Path) map[string]any {
	var rule map[string]any
	for i := range path {
		at, _ := path[:i+1].Get(doc)
		if m, ok := at.(map[string]any); ok {
			rule = m
		}
	}
	return rule
}

func text(v any) string {
	s, _ := v.(string)
	return s
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
	groups := untyped.Strings(rule, "apiGroups")
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
		if gvk, ok := model.ParamKind(d.Value); ok {
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
