package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// aboveLimit explains a container's request that is above its limit.
func (e *Evaluation) aboveLimit(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, ok := e.Sent()
	name := texts[1]
	request := fieldpath.Parse(cause.Field).Child(name)
	limit := request.Parent().Parent().Child("limits", name)
	asked, _ := request.Get(sent.Value)
	most, _ := limit.Get(e.Chain.Attributes.Object)
	if !ok || asked == nil || most == nil {
		return
	}
	d.Path = sent.Path(request.String())
	d.Span = sent.Document.Locate(d.Path)
	d.Detail = fmt.Sprintf("The container requests %v of %s, and its limit is %v. A request is what the node reserves, and cannot be above the limit.", asked, name, most)
	lower := sent.Fix(fmt.Sprintf("Lower the request to %v", most), func(object map[string]any) { request.Set(object, most) })
	higher := func(title string) []diag.Fix {
		return sent.Fix(fmt.Sprintf("%s the limit to %v", title, asked), func(object map[string]any) { limit.Set(object, asked) })
	}
	if _, own := limit.Get(sent.Value); own {
		d.Fixes = append(lower, higher("Raise")...)
		return
	}
	d.Detail += " The request sets no limit: a LimitRange of the namespace has it as its default."
	d.Fixes = append(higher("Set"), lower...)
}

// shrinks explains that a claim keeps its size.
func (e *Evaluation) shrinks(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, _ := e.Sent()
	path := fieldpath.Parse(cause.Field)
	old, had := path.Get(e.Chain.Attributes.OldObject)
	if !had {
		return
	}
	d.Detail = fmt.Sprintf("A volume can grow, and never shrinks. The claim has %v. For a smaller one, create another claim and copy the data.", old)
	d.Fixes = sent.Fix("Put the old value back", func(object map[string]any) { path.Set(object, old) })
}

// scopedAmounts names the amounts that a quota with its scopes cannot count, and offers to leave them out.
func (e *Evaluation) scopedAmounts(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, ok := e.Sent()
	amounts := untyped.Sub(sent.Value, "spec", "hard")
	if !ok || e.Registered == nil || e.Once {
		return
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		alone, _ := untyped.Copy(sent.Value).(map[string]any)
		untyped.Sub(alone, "spec")["hard"] = map[string]any{name: amounts[name]}
		if slices.ContainsFunc(e.causes(alone), func(c metav1.StatusCause) bool { return c.Message == cause.Message }) {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) == 0 {
		return
	}
	names := strings.Join(wrong, " and ")
	at := fieldpath.New("spec", "hard", wrong[0])
	d.Path = sent.Path(at.String())
	d.Span = sent.Document.LocateKey(d.Path)
	d.Detail = fmt.Sprintf("A quota with such a scope cannot count %s. Limit it by a quota without scopes.", names)
	d.Fixes = sent.Fix("Remove "+names, func(object map[string]any) {
		for _, name := range wrong {
			delete(untyped.Sub(object, "spec", "hard"), name)
		}
	})
}
