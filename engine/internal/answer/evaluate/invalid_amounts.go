package evaluate

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
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
	if _, own := limit.Get(sent.Value); !own {
		d.Detail += " The request sets no limit: a LimitRange of the namespace has it as its default."
	}
	d.Fixes = sent.Fix(fmt.Sprintf("Lower the request to %v", most), func(object map[string]any) { request.Set(object, most) })
	d.Fixes = append(d.Fixes, sent.Fix(fmt.Sprintf("Raise the limit to %v", asked), func(object map[string]any) { limit.Set(object, asked) })...)
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
