package bootstrap

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// nameLabel is on every namespace, with its name.
const nameLabel = "kubernetes.io/metadata.name"

// exempt is the repair that leaves namespaces out.
func exempt(h *webhook.Facts, namespaces ...string) []diag.Fix {
	if h.Document == nil {
		return nil
	}
	title := "Exclude namespace " + strings.Join(namespaces, ", ")
	if len(namespaces) > 1 {
		title = "Exclude namespaces " + strings.Join(namespaces, ", ")
	}
	at := fieldpath.Parse(h.Path)
	selector := at.Child("namespaceSelector")
	expressions := selector.Child("matchExpressions")
	leftOut := "{key: " + nameLabel + ", operator: NotIn, values: [" + strings.Join(namespaces, ", ") + "]}"
	edit, ok := widened(h, expressions, namespaces)
	switch {
	case ok:
	case h.Document.Has(expressions.String()):
		edit, ok = h.Document.Append(expressions.String(), len(h.Match.NamespaceSelector.MatchExpressions), leftOut)
	case h.Document.Has(selector.String()):
		if edit, ok = h.Document.Insert(selector.String(), "matchExpressions", "["+leftOut+"]"); !ok {
			edit, ok = h.Document.Rewrite(selector.String(), "{matchExpressions: ["+leftOut+"]}")
		}
	default:
		edit, ok = h.Document.Insert(at.String(), "namespaceSelector", "{matchExpressions: ["+leftOut+"]}")
	}
	if !ok {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{edit}}}
}

// widened adds namespaces to the expression that leaves out some already.
func widened(h *webhook.Facts, expressions fieldpath.Path, namespaces []string) (diag.Edit, bool) {
	if h.Match.NamespaceSelector == nil {
		return diag.Edit{}, false
	}
	for i, e := range h.Match.NamespaceSelector.MatchExpressions {
		values := expressions.Index(i).Child("values").String()
		if e.Key != nameLabel || e.Operator != metav1.LabelSelectorOpNotIn || !h.Document.Has(values) {
			continue
		}
		all := slices.Clone(e.Values)
		for _, n := range namespaces {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
		if h.Document.Brackets(values) {
			return h.Document.Rewrite(values, "["+strings.Join(all, ", ")+"]")
		}
		return h.Document.Append(values, len(e.Values), all[len(e.Values):]...)
	}
	return diag.Edit{}, false
}

// set is the repair that gives a field of a webhook another value.
func set(h *webhook.Facts, name, value string) []diag.Fix {
	if h.Document == nil {
		return nil
	}
	edit, ok := h.Document.Put(h.Path, name, value)
	return one("Change to "+name+": "+value, ok, edit)
}

// unlessCondition is the repair that adds a match condition.
func unlessCondition(h *webhook.Facts, title, name, expression string) []diag.Fix {
	if h.Document == nil {
		return nil
	}
	condition := "{name: " + name + `, expression: "` + expression + `"}`
	at := fieldpath.Parse(h.Path)
	path := at.Child("matchConditions")
	edit, ok := h.Document.Insert(at.String(), "matchConditions", "["+condition+"]")
	if h.Document.Has(path.String()) {
		edit, ok = h.Document.Append(path.String(), len(h.Conditions), condition)
	}
	return one(title, ok, edit)
}

// one is a repair, if its edits could be made.
func one(title string, ok bool, edits ...diag.Edit) []diag.Fix {
	if !ok {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: edits}}
}

// without is the repair that takes a field or an item out of a webhook.
func without(h *webhook.Facts, title, path string) []diag.Fix {
	if h.Document == nil {
		return nil
	}
	edit, ok := h.Document.Remove(path)
	return one(title, ok, edit)
}
