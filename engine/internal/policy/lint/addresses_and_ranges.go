package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// rangeFields are fields of the API that hold address ranges, addressFields those that hold one address.
var (
	rangeFields   = []string{"loadBalancerSourceRanges", "cidr", "podCIDR", "podCIDRs"}
	addressFields = []string{"loadBalancerIP", "clusterIP", "clusterIPs", "externalIPs", "podIP", "hostIP"}
)

// rangesAsAddresses finds isIP() of a field with address ranges, and isCIDR() of one with an address: both are false for
// all valid values.
func rangesAsAddresses(p *policy) {
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || len(n.Children) != 1 || n.Name != "isIP" && n.Name != "isCIDR" || p.said(p.document, e.path) {
			return false
		}
		at := of(n.Children[0])
		if at == nil || at.steps[0] != "object" && at.steps[0] != "oldObject" || at.steps[1] != "spec" && at.steps[1] != "status" {
			return false
		}
		named := slices.DeleteFunc(slices.Clone(at.steps), func(step string) bool { return step == "*" })
		field := named[len(named)-1]
		fields, what, other := rangeFields, "a range such as 10.0.0.0/8", "isCIDR"
		if n.Name == "isCIDR" {
			fields, what, other = addressFields, "an address such as 10.0.0.1", "isIP"
		}
		if !slices.Contains(fields, field) || !slices.ContainsFunc(p.targets(p.match.ResourceRules), func(t target) bool { return t.resource != nil && t.resource.Builtin }) {
			return false
		}
		out := p.report(p.document, codes.WrongOperandType, diag.Warning, e.path, n.Name+"() is false for every valid "+field+": it is "+what, other+"() tests for it.")
		p.within(out, p.document, e.path, n.Start, n.End)
		if out.Code != "" {
			out.Fixes = p.rewritten(p.document, e.path, n.Start, n.Start+len(n.Name), other)
		}
		return true
	})
}
