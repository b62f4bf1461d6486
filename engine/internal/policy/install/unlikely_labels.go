package install

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// nearLabels looks for labels of a selector that no namespace of the cluster has, where one has
// nearly the same: env=production for env=prod, environment=prod for env=prod. Which of the two is
// meant is the reader's choice.
func (p *plausible) nearLabels(d *scenario.Document, at fieldpath.Path, s *metav1.LabelSelector) {
	m := p.in.texts.Of(d)
	for _, key := range sortedKeys(s.MatchLabels) {
		path := at.Child("matchLabels").Key(key).String()
		p.nearLabel(d, path, key, s.MatchLabels[key], p.rewriteText(d, path), func(to string) documents.Edit { return m.ToRename(path, to) })
	}
	for i, e := range s.MatchExpressions {
		if e.Operator != metav1.LabelSelectorOpIn || len(e.Values) != 1 {
			continue
		}
		of := at.Child("matchExpressions").Index(i)
		p.nearLabel(d, of.String(), e.Key, e.Values[0], p.rewriteText(d, of.Child("values").Index(0).String()), p.rewriteText(d, of.Child("key").String()))
	}
}

// rewriteText writes a text in the place of a value.
func (p *plausible) rewriteText(d *scenario.Document, path string) func(to string) documents.Edit {
	return func(to string) documents.Edit { return p.in.texts.Of(d).ToRewrite(path, scenario.Scalar(to)) }
}

// nearLabel reports one label of a selector. value and name write another value, and another key.
func (p *plausible) nearLabel(d *scenario.Document, path, key, want string, value, name func(to string) documents.Edit) {
	if len(p.labels[key][want]) > 0 || want == "" {
		return
	}
	nearKey, nearValue := key, want
	if of := p.labels[key]; of != nil {
		nearValue = onlyNear(sortedKeys(of), want)
	} else {
		var keys []string
		for _, other := range sortedKeys(p.labels) {
			if len(p.labels[other][want]) > 0 {
				keys = append(keys, other)
			}
		}
		nearKey = onlyNear(keys, key)
	}
	if nearKey == "" || nearValue == "" {
		return
	}
	edit := value(nearValue)
	if nearKey != key {
		edit = name(nearKey)
	}
	out := p.in.report(d, codes.UnlikelySelector, diag.Warning, d.Locate(path), fmt.Sprintf("no Namespace in the cluster text has the label %s=%s", key, want),
		fmt.Sprintf("Did you mean %s=%s, which one of them has?", nearKey, nearValue))
	out.Path, out.Fixes = path, documents.Fix(fmt.Sprintf("Select %s=%s", nearKey, nearValue), edit)
	for _, ns := range p.labels[nearKey][nearValue] {
		of, at := p.in.texts.Of(ns), fieldpath.New("metadata", "labels").Key(nearKey).String()
		relabel := of.ToRewrite(at, scenario.Scalar(want))
		if nearKey != key {
			relabel = of.ToRename(at, key)
		}
		out.Fixes = append(out.Fixes, documents.Fix(fmt.Sprintf("Label namespace %s with %s=%s", ns.Name, key, want), relabel)...)
	}
}

// onlyNear is the one of some words that another one stands for: it begins with it (prod and
// production), it is the same in other capitals or behind a prefix (example.com/env), or it is
// misspelled. Words that only end otherwise, as team-a and team-b, are not near.
func onlyNear(words []string, got string) string {
	found := ""
	for _, word := range words {
		if !isNear(word, got) {
			continue
		}
		if found != "" {
			return ""
		}
		found = word
	}
	return found
}

func isNear(word, got string) bool {
	a, b := strings.ToLower(word), strings.ToLower(got)
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, begins := strings.CutPrefix(b, a)
	switch {
	case a == b:
		return word != got
	case len(a) < 3 || strings.ContainsAny(a+b, "0123456789"):
		return false
	case begins:
		return strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz") == ""
	case strings.HasSuffix(b, "/"+a):
		return true
	}
	_, near := suggest.Of([]string{a}, b)
	return near && len(a) > 4 && a[len(a)-1] == b[len(b)-1]
}
