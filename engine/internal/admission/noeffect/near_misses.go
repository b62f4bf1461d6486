package noeffect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// bypasses are subresources that change what a rule about their resource checks.
var bypasses = map[string]string{
	"ephemeralcontainers": "A debug container is added through it.",
	"resize":              "The resources of running containers are changed through it.",
	"scale":               "The number of replicas is changed through it.",
	"eviction":            "A Pod is deleted through it.",
	"binding":             "A Pod is bound to a node through it.",
}

// nearlyMatches reports a rule that misses the request by one field: a subresource that goes
// past it, or, where no policy ran, an operation or a group.
func (r *Run) nearlyMatches(s *report.Step, doc *scenario.Document) {
	if s.Status != report.NotMatched || s.Match == nil || s.Match.Matched {
		return
	}
	r.otherNamespace(s, doc)
	paths := map[string]bool{}
	for _, t := range s.Match.Tests {
		if t.Kind == "rule" && t.Resource == "" && t.Path != "" && !t.Matched {
			paths[t.Path] = true
		}
	}
	for _, t := range s.Match.Tests {
		if paths[t.Path] {
			delete(paths, t.Path)
			if r.nearly(s, doc, t.Path) {
				return
			}
		}
	}
}

// nearly reports one rule, if a repair makes it match.
func (r *Run) nearly(s *report.Step, doc *scenario.Document, path string) bool {
	rule := fieldpath.As[map[string]any](fieldpath.Parse(path).Get(doc.Value))
	a := r.Initial
	wanted := a.Resource.Resource
	if a.SubResource != "" {
		wanted += "/" + a.SubResource
	}
	missing := map[string]string{}
	for _, f := range []struct {
		field, value string
	}{{"operations", a.Operation}, {"apiGroups", a.Resource.Group}, {"apiVersions", a.Resource.Version}} {
		if list := untyped.Strings(rule, f.field); !slices.Contains(list, "*") && !slices.Contains(list, f.value) {
			missing[f.field] = f.value
		}
	}
	resources := untyped.Strings(rule, "resources")
	parent := slices.Contains(resources, a.Resource.Resource) || slices.Contains(resources, "*")
	if !covers(resources, a.Resource.Resource, a.SubResource) {
		missing["resources"] = wanted
	}
	why := ""
	switch {
	case len(missing) == 1 && missing["resources"] != "" && parent && bypasses[a.SubResource] != "":
		why = bypasses[a.SubResource] + fmt.Sprintf(" A rule for %s does not match its subresources.", a.Resource.Resource)
	case a.SubResource == "scale" && missing["apiGroups"] != "" && slices.Contains(untyped.Strings(rule, "apiGroups"), "autoscaling") && missing["operations"]+missing["apiVersions"] == "":
		why = "scale is a subresource of each workload, in the workload's group. Only the kind Scale is of autoscaling."
	case !r.Report.Outcome.Allowed || r.Report.PolicyRan() || len(missing) != 1:
		return false
	case missing["operations"] != "" && r.readsOperation(doc):
		why = fmt.Sprintf("The rule lists %s.", strings.Join(untyped.Strings(rule, "operations"), ", "))
	case missing["resources"] != "" && parent && a.SubResource != "status":
		why = fmt.Sprintf("A rule for %s does not match its subresources.", a.Resource.Resource)
	default:
		return false
	}
	f := diag.Fix{}
	var added []string
	for _, field := range []string{"operations", "apiGroups", "resources"} {
		text, ok := missing[field]
		if !ok {
			continue
		}
		item := text
		if item == "" {
			item = `""`
		}
		edit, ok := doc.Append(path+"."+field, len(untyped.Strings(rule, field)), item)
		if !ok {
			return false
		}
		f.Edits, added = append(f.Edits, edit), append(added, item)
	}
	f.Title = "Add " + strings.Join(added, " and ") + " to the rule"
	field := fieldOf(missing)
	r.add(doc, codes.NearlyMatches, path+"."+field, doc.Locate(path+"."+field),
		fmt.Sprintf("the rule does not match %s %s", a.Operation, wanted), why, f)
	return true
}

// fieldOf is the field that is said not to match: the first in the order of the API.
func fieldOf(missing map[string]string) string {
	for _, field := range []string{"operations", "apiGroups", "apiVersions"} {
		if _, ok := missing[field]; ok {
			return field
		}
	}
	return "resources"
}

// covers reports whether a list of resources names a resource or subresource.
func covers(list []string, resource, sub string) bool {
	for _, name := range list {
		own, ownSub, _ := strings.Cut(name, "/")
		if name == "*/*" || (own == "*" || own == resource) && (ownSub == sub || ownSub == "*" && sub != "") {
			return true
		}
	}
	return false
}

// readsOperation reports whether adding the operation to the rules is what the author of a
// policy may want: a DELETE has no object, so the policy must speak of it.
func (r *Run) readsOperation(doc *scenario.Document) bool {
	switch r.Initial.Operation {
	case "CREATE", "UPDATE":
		return true
	case "DELETE":
		text := r.Plain[doc.Text][doc.Span.Start:doc.Span.End]
		return strings.Contains(text, "DELETE") || strings.Contains(text, "oldObject")
	}
	return false
}

// otherNamespace reports a webhook that would change the object if its Namespace had other labels, where nothing
// else ran: one that injects something is missed.
func (r *Run) otherNamespace(s *report.Step, doc *scenario.Document) {
	if s.Kind != "MutatingWebhookConfiguration" || !r.Report.Outcome.Allowed || r.Report.PolicyRan() || r.Namespace == nil {
		return
	}
	for _, t := range s.Match.Tests {
		if t.Kind != "namespaceSelector" || t.Matched || t.Error != "" || t.Assumed || !r.ruleFits(doc, fieldpath.Parse(t.Path).Parent()) {
			continue
		}
		selector := fieldpath.As[map[string]any](fieldpath.Parse(t.Path).Get(doc.Value))
		var fixes []diag.Fix
		for _, d := range r.Parsed(diag.Cluster) {
			if namespace, ok := objecttext.In(d, ""); ok && d.Kind == "Namespace" && d.Name == r.Initial.Namespace {
				fixes = namespace.Fix("Give namespace "+d.Name+" the labels that it selects", func(object map[string]any) {
					label(untyped.Child(untyped.Child(object, "metadata"), "labels"), selector)
				})
			}
		}
		if len(fixes) > 0 {
			r.add(doc, codes.NearlyMatches, t.Path, doc.LocateKey(t.Path), "webhook "+s.Webhook+" is not called: namespace "+r.Initial.Namespace+" does not have the labels that its namespaceSelector wants",
				"The labels of the Namespace decide, not those of the object: "+s.Reason+".", fixes...)
		}
		return
	}
}

// ruleFits reports whether a rule of a webhook is for the request.
func (r *Run) ruleFits(doc *scenario.Document, webhook fieldpath.Path) bool {
	value, _ := webhook.Child("rules").Get(doc.Value)
	a := r.Initial
	return slices.ContainsFunc(untyped.Items(value), func(rule map[string]any) bool {
		has := func(field, value string) bool {
			list := untyped.Strings(rule, field)
			return slices.Contains(list, "*") || slices.Contains(list, value)
		}
		return has("operations", a.Operation) && has("apiGroups", a.Resource.Group) && has("apiVersions", a.Resource.Version) && covers(untyped.Strings(rule, "resources"), a.Resource.Resource, a.SubResource)
	})
}

// label changes labels so that a selector selects them.
func label(labels, selector map[string]any) {
	maps.Copy(labels, untyped.Sub(selector, "matchLabels"))
	for _, e := range untyped.Items(selector["matchExpressions"]) {
		key, _ := e["key"].(string)
		values, _ := e["values"].([]any)
		is, has := labels[key]
		switch e["operator"] {
		case "In":
			if len(values) > 0 && !slices.Contains(values, is) {
				labels[key] = values[0]
			}
		case "NotIn":
			if slices.Contains(values, is) {
				delete(labels, key)
			}
		case "Exists":
			if !has {
				labels[key] = ""
			}
		case "DoesNotExist":
			delete(labels, key)
		}
	}
}
