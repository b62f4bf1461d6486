package refusals

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/report"
)

// including are the comparisons that a value of its own passes, by those that it does not pass.
var including = map[string]string{"_>_": ">=", "_<_": "<="}

// unchanged explains a rule that compares a value with the one before, and denies an update of metadata or status only.
func (r *refusal) unchanged() bool {
	if !r.ofStatusOnly() {
		return false // it may want a change of the value together with another one
	}
	for i := range r.step.Validations {
		v := &r.step.Validations[i]
		n := v.DecisiveNode()
		if v.Result != false || n == nil || len(n.Children) != 2 {
			continue
		}
		left, right := &n.Children[0], &n.Children[1]
		field, old := operand(v, left), operand(v, right)
		if strings.HasPrefix(field, "oldSelf") {
			field, old = old, field
		}
		below, ofSelf := strings.CutPrefix(field, "self")
		if !ofSelf || old != "oldSelf"+below || left.Cut || right.Cut || !reflect.DeepEqual(left.Value, right.Value) {
			continue
		}
		r.diag.Text, r.diag.Span, r.diag.Path = v.Text, v.Span, v.Path
		r.diag.Summary = fmt.Sprintf("the rule denies an update that leaves %s as it is", cmp.Or(v.Name+below, "the object"))
		r.diag.Detail = "The update changes only metadata or the status. A rule that reads oldSelf runs then, too, so it must allow the unchanged value."
		sign := including[n.Name]
		for _, d := range r.Parsed(v.Text) {
			if sign == "" || v.Span.Start < d.Span.Start || d.Span.End < v.Span.End {
				continue
			}
			if source := rewrite.In(d, r.plain(v.Text), v.Path); source != nil {
				r.offer(source.Fix("Allow the unchanged value: "+sign, rewrite.Replace(left.End, right.Start, " "+sign+" ")))
			}
		}
		return true
	}
	return false
}

// ofStatusOnly reports whether the update leaves everything but metadata and status as it is.
func (r *refusal) ofStatusOnly() bool {
	rest := func(object map[string]any) map[string]any {
		out := maps.Clone(object)
		delete(out, "metadata")
		delete(out, "status")
		return out
	}
	a := &r.Chain.Attributes
	return a.OldObject != nil && reflect.DeepEqual(rest(a.Object), rest(a.OldObject))
}

// operand is the text of a part of a rule.
func operand(v *report.Validation, n *report.Node) string {
	if runes := []rune(v.Expression); 0 <= n.Start && n.Start < n.End && n.End <= len(runes) {
		return string(runes[n.Start:n.End])
	}
	return ""
}

// plain is the text that holds a definition.
func (r *refusal) plain(text diag.Text) string {
	if text == diag.Policies {
		return r.Scenario.Policies
	}
	return r.Scenario.Cluster
}
