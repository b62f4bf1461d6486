package request

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// selecting are the kinds whose selector must match their Pods' labels. The server writes a Job's.
var selecting = []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "DaemonSet"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "ReplicaSet"}}

// selectors reports a workload's selector that does not match its Pods' labels. The server rejects
// that in a built-in kind's API validation.
func (r *Request) selectors() []diag.Diagnostic {
	kind := r.Kind.GroupKind()
	job := kind == schema.GroupKind{Group: "batch", Kind: "Job"}
	if r.SubResource != "" || !slices.Contains(selecting, kind) && !job {
		return nil
	}
	spec, _ := r.Object["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	given, _ := spec["selector"].(map[string]any)
	if template == nil || len(given) == 0 || job && spec["manualSelector"] != true {
		return nil
	}
	var typed metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given, &typed); err != nil {
		return nil // rejected for that
	}
	selector, err := metav1.LabelSelectorAsSelector(&typed)
	if err != nil || selector.Empty() {
		return nil
	}
	set := labels.Set{}
	metadata, _ := template["metadata"].(map[string]any)
	of, _ := metadata["labels"].(map[string]any)
	for key, value := range of {
		set[key], _ = value.(string)
	}
	if selector.Matches(set) {
		return nil
	}
	at := fieldpath.Join(r.ObjectPath, "spec.selector")
	return []diag.Diagnostic{{Code: codes.SelectorMismatch, Severity: diag.Warning, Text: diag.Request, Span: r.Document().LocateKey(at), Path: at,
		Summary: fmt.Sprintf("the selector does not fit the labels of the Pods: %s", metav1.FormatLabelSelector(&typed)),
		Detail:  "The server rejects the object: spec.template.metadata.labels: `selector` does not match template `labels`.",
		Fixes:   r.fittingLabels(typed.MatchLabels, set)}}
}

// fittingLabels set the Pods' labels to the selector's, or the reverse. The one that agrees with
// the object's own labels is most likely right. Otherwise it is the selector, which is immutable.
func (r *Request) fittingLabels(wanted map[string]string, set labels.Set) []diag.Fix {
	inSelector := fieldpath.Parse(fieldpath.Join(r.ObjectPath, "spec.selector.matchLabels"))
	metadata := fieldpath.Parse(fieldpath.Join(r.ObjectPath, "spec.template.metadata"))
	inTemplate := metadata.Child("labels")
	label, choose := diag.Fix{}, diag.Fix{}
	own, _ := r.Object["metadata"].(map[string]any)
	ownLabels, _ := own["labels"].(map[string]any)
	asTemplate, canLabel, canSelect := 0, true, true
	var labelled, selected []string
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		want, have := wanted[key], set[key]
		if want == have && set.Has(key) {
			continue
		}
		if ownLabels[key] == have && set.Has(key) {
			asTemplate++
		}
		labelled = append(labelled, key+": "+want)
		edit, ok := r.Document().Put(inTemplate.String(), key, strconv.Quote(want))
		label.Edits, canLabel = append(label.Edits, edit), canLabel && ok
		selected = append(selected, key+": "+have)
		edit, ok = r.Document().Rewrite(inSelector.Key(key).String(), strconv.Quote(have))
		choose.Edits, canSelect = append(choose.Edits, edit), canSelect && ok && set.Has(key)
	}
	if len(labelled) == 0 {
		return nil // the selector's expressions do not match
	}
	if !r.Document().Has(inTemplate.String()) {
		label.Edits, canLabel = r.newLabels(metadata, wanted)
	}
	label.Title = "Label the Pods with " + strings.Join(labelled, ", ")
	choose.Title = "Select " + strings.Join(selected, ", ")
	var fixes []diag.Fix
	if canLabel {
		fixes = append(fixes, label)
	}
	if canSelect {
		fixes = append(fixes, choose)
	}
	if asTemplate > 0 && r.Operation != Update { // an update cannot change the selector
		slices.Reverse(fixes)
	}
	return fixes
}

// newLabels gives a template without labels the required ones.
func (r *Request) newLabels(metadata fieldpath.Path, wanted map[string]string) ([]diag.Edit, bool) {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		pairs = append(pairs, key+": "+strconv.Quote(wanted[key]))
	}
	parent, name, value := metadata.String(), "labels", "{"+strings.Join(pairs, ", ")+"}"
	if !r.Document().Has(parent) {
		parent, name, value = metadata.Parent().String(), "metadata", "{labels: "+value+"}"
	}
	edit, ok := r.Document().Put(parent, name, value)
	return []diag.Edit{edit}, ok
}
