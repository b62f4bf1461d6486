package lint

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// accountsWithoutGroup reports a match condition that excludes a group in which all service accounts are that another
// condition demands.
func (p *policy) accountsWithoutGroup() bool {
	for i, c := range p.conditions {
		if c.read == nil || p.said(p.document, c.path) {
			continue
		}
		root := c.read.Root()
		if root.Kind != values.Call || root.Name != "!_" {
			continue
		}
		group := p.groupTested(root.Children[0])
		for j, other := range p.conditions {
			if i == j || group == "" || other.read == nil {
				continue
			}
			accounts := p.accountsDemanded(other.read.Root())
			if len(accounts) == 0 || slices.ContainsFunc(accounts, func(name string) bool { return !inGroup(name, group) }) {
				continue
			}
			p.report(p.document, codes.ConditionNeverTrue, diag.Warning, c.path, "this condition is never true together with "+ordinal("condition", j),
				"Each service account that it demands is in the group "+group+". "+p.webhookWords(neverMatches))
			return true
		}
	}
	return false
}

// groupTested is the group for which a part tests the user; empty for other parts.
func (p *policy) groupTested(n *values.Node) string {
	if n.Kind != values.Call || n.Name != operators.In || len(n.Children) != 2 || !isUserInfo(n.Children[1], "groups") {
		return ""
	}
	group, _ := literalText(n.Children[0])
	return group
}

// isUserInfo reports whether a part is a field of request.userInfo.
func isUserInfo(n *values.Node, field string) bool {
	return fieldOf(n) == field && n.Kind == values.Select && fieldOf(n.Children[0]) == "userInfo" && n.Children[0].Kind == values.Select &&
		n.Children[0].Children[0].Kind == values.Ident && n.Children[0].Children[0].Name == "request"
}

// accountsDemanded are the names, or beginnings of names, of the users for which a condition may be true; none if it
// may be true for others.
func (p *policy) accountsDemanded(root *values.Node) []string {
	var out []string
	for _, part := range operands(root, "_||_") {
		if part.Kind != values.Call || len(part.Children) != 2 || !isUserInfo(part.Children[0], "username") {
			return nil
		}
		texts := part.Children[1:]
		switch {
		case part.Name == operators.In && part.Children[1].Kind == values.List:
			texts = part.Children[1].Children
		case part.Name != operators.Equals && part.Name != "startsWith":
			return nil
		}
		for _, n := range texts {
			text, ok := literalText(n)
			if !ok {
				return nil
			}
			out = append(out, text)
		}
	}
	return out
}

// inGroup reports whether all users whose name is or begins with a text are service accounts in a group.
func inGroup(name, group string) bool {
	rest, isAccount := strings.CutPrefix(name, serviceaccount.ServiceAccountUsernamePrefix)
	namespace, _, closed := strings.Cut(rest, ":")
	return isAccount && (group == serviceaccount.AllServiceAccountsGroup || group == user.AllAuthenticated || closed && group == serviceaccount.ServiceAccountGroupPrefix+namespace)
}
