package bootstrap

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// decision is an answer that may have to stay open, because labels decide that
// no text gives.
type decision int

const (
	no decision = iota
	unsure
	yes
)

// both is yes if both are, and no if one is.
func both(a, b decision) decision { return min(a, b) }

// labels are those of an object. complete says that it has no others.
type labels struct {
	known    map[string]string
	complete bool
}

// selects applies a selector. A label that is not known is taken to be missing
// where one must be set to be selected; where one must be set to be left out,
// the answer stays open.
func (l labels) selects(s *metav1.LabelSelector) decision {
	if s == nil {
		return no
	}
	for key, want := range s.MatchLabels {
		if l.known[key] != want {
			return no
		}
	}
	out := yes
	for _, e := range s.MatchExpressions {
		value, has := l.known[e.Key]
		listed := slices.Contains(e.Values, value)
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			if !has || !listed {
				return no
			}
		case metav1.LabelSelectorOpExists:
			if !has {
				return no
			}
		case metav1.LabelSelectorOpNotIn:
			if has && listed {
				return no
			}
			out = both(out, l.absent(has))
		case metav1.LabelSelectorOpDoesNotExist:
			if has {
				return no
			}
			out = both(out, l.absent(false))
		}
	}
	return out
}

// absent says how sure it is that a label which is not known is missing.
func (l labels) absent(has bool) decision {
	if has || l.complete {
		return yes
	}
	return unsure
}

// with has more labels.
func (l labels) with(more map[string]string) labels {
	known := maps.Clone(l.known)
	if known == nil {
		known = map[string]string{}
	}
	maps.Copy(known, more)
	return labels{known, l.complete}
}

// empty reports whether a selector selects everything.
func empty(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

// optIn reports whether a selector wants a label to be there.
func optIn(s *metav1.LabelSelector) bool {
	if s == nil {
		return true // it selects nothing
	}
	return len(s.MatchLabels) > 0 || slices.ContainsFunc(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool {
		return e.Operator == metav1.LabelSelectorOpIn || e.Operator == metav1.LabelSelectorOpExists
	})
}
