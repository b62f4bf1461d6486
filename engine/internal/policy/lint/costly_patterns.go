package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	celcost "github.com/google/cel-go/common"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// largestData is how many bytes the data of a ConfigMap or Secret may have.
const largestData = 1 << 20

// costlyPatterns finds patterns so long that to match them with one value of a ConfigMap or Secret exceeds the cost
// limit of an expression where the value is long. A policy that asks for the size of values knows.
func costlyPatterns(p *policy) {
	holdsData := func(w *outcomes.World) bool {
		return w.Resource != nil && w.Resource.GVR.Group == "" && (w.Resource.GVR.Resource == "configmaps" || w.Resource.GVR.Resource == "secrets")
	}
	if p.webhook || !slices.ContainsFunc(p.worlds(nil), holdsData) || p.anyPart(func(n *values.Node) bool { return n.Kind == values.Call && n.Name == "size" }) {
		return
	}
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || n.Name != "matches" || len(n.Children) != 2 || n.Children[0].Kind != values.Index || p.said(p.document, e.path) {
			return false
		}
		pattern, ok := literalText(n.Children[1])
		at := of(n.Children[0].Children[0])
		if !ok || at == nil || strings.Join(at.steps, ".") != "object.data" {
			return false
		}
		bytes := celconfig.PerCallLimit / math.Ceil(float64(len(pattern))*celcost.RegexStringLengthCostFactor) / celcost.StringTraversalCostFactor
		if bytes >= largestData {
			return false
		}
		out := p.report(p.document, codes.CostLimit, diag.Warning, e.path, fmt.Sprintf("a value of %d kB or more exceeds the cost limit of the expression", int(math.Ceil(bytes/1000))),
			"The cost of matches() is the length of the text times that of the pattern. The server then denies the object whatever is in it, or admits it unchecked with failurePolicy Ignore. Match several shorter patterns in validations of their own.")
		p.within(out, p.document, e.path, n.Start, n.End)
		return true
	})
}
