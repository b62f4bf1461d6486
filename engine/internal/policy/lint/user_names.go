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

// userNames finds names of groups that are compared with the user's name, names of users that are compared with groups,
// and comparisons of all groups of a user with some that leave out the one in which everybody is.
func userNames(p *policy) {
	for _, e := range p.expressions() {
		if e.read == nil || p.said(p.document, e.path) {
			continue
		}
		for _, n := range e.read.Nodes() {
			if summary, detail := p.wrongName(n); summary != "" {
				out := p.report(p.document, codes.NeverEqual, diag.Warning, e.path, summary, detail)
				p.within(out, p.document, e.path, n.Start, n.End)
				break
			}
		}
	}
}

// wrongName says what is wrong with a test of the user; empty for nothing.
func (p *policy) wrongName(n *values.Node) (summary, detail string) {
	if isLoop(n, "all") && isUserInfo(n.Children[0], "groups") {
		return p.someGroups(n.Children[2])
	}
	if isLoop(n, "exists") && isUserInfo(n.Children[0], "groups") {
		return wrongNames(p.namesTested(n.Children[2], func(side *values.Node) bool { return isIdent(side, n.Children[1].Name) }), true)
	}
	if n.Kind == values.Call && n.Name == operators.In && len(n.Children) == 2 && isUserInfo(n.Children[1], "groups") {
		if name, ok := literalText(n.Children[0]); ok {
			return wrongNames([]string{name}, true)
		}
	}
	if n.Kind == values.Call && n.Name == operators.Equals && len(n.Children) == 2 && isUserInfo(n.Children[0], "groups") {
		return p.someGroups(n)
	}
	return wrongNames(p.namesTested(n, func(side *values.Node) bool { return isUserInfo(side, "username") }), false)
}

func isIdent(n *values.Node, name string) bool { return n.Kind == values.Ident && n.Name == name }

// namesTested are the texts with which a part compares what is on its left side; those with an asterisk are beginnings.
func (p *policy) namesTested(n *values.Node, left func(*values.Node) bool) []string {
	if n.Kind != values.Call || len(n.Children) != 2 || !left(n.Children[0]) {
		return nil
	}
	right, end := n.Children[1], ""
	switch {
	case n.Name == "startsWith" && n.Member:
		end = "*"
	case n.Name != operators.Equals && n.Name != operators.NotEquals && n.Name != operators.In:
		return nil
	}
	if v, ok := p.variableOf(right); ok && v.read != nil {
		right = v.read.Root()
	}
	list := []*values.Node{right}
	if right.Kind == values.List {
		list = right.Children
	}
	var out []string
	for _, item := range list {
		if text, ok := literalText(item); ok {
			out = append(out, text+end)
		}
	}
	return out
}

// wrongNames says of the first name that is none of a group, or none of a user, what it is.
func wrongNames(list []string, groups bool) (summary, detail string) {
	for _, name := range list {
		of, begins := strings.CutSuffix(name, "*")
		switch {
		case groups && isUserName(of):
			return of + " is the name of a user, and no group", "Compare it with request.userInfo.username."
		case groups && !begins && strings.HasPrefix(of, serviceaccount.ServiceAccountGroupPrefix) && strings.Contains(strings.TrimPrefix(of, serviceaccount.ServiceAccountGroupPrefix), ":"):
			return of + " is no group: those of service accounts are system:serviceaccounts:NAMESPACE", "One service account is the user system:serviceaccount:NAMESPACE:NAME."
		case !groups && isGroupName(of):
			return of + " is a group, and no user has this name", "Test it with 'GROUP' in request.userInfo.groups. A service account is the user system:serviceaccount:NAMESPACE:NAME."
		case !groups && !begins && strings.HasPrefix(of, serviceaccount.ServiceAccountUsernamePrefix) && strings.Count(of, ":") != 3:
			return "no service account is named " + of, "Their names are system:serviceaccount:NAMESPACE:NAME."
		}
	}
	return "", ""
}

// isGroupName reports whether a name, or the beginning of one, is that of a group of Kubernetes.
func isGroupName(name string) bool {
	return slices.Contains([]string{user.SystemPrivilegedGroup, user.NodesGroup, user.MonitoringGroup, user.AllAuthenticated, user.AllUnauthenticated, "system:bootstrappers", "kubeadm:cluster-admins"}, name) ||
		strings.HasPrefix(name, serviceaccount.AllServiceAccountsGroup)
}

// isUserName reports whether a name, or the beginning of one, is that of a user of Kubernetes.
func isUserName(name string) bool {
	return slices.Contains([]string{user.APIServerUser, user.KubeProxy, user.KubeControllerManager, user.KubeScheduler, user.Anonymous}, name) ||
		strings.HasPrefix(name, serviceaccount.ServiceAccountUsernamePrefix) || strings.HasPrefix(name, "system:node:")
}

// someGroups says of a part that compares each group of a user with some that one of them never is among these.
func (p *policy) someGroups(n *values.Node) (summary, detail string) {
	if n.Kind != values.Call || len(n.Children) != 2 || n.Name != operators.Equals && n.Name != operators.In {
		return "", ""
	}
	right := n.Children[1]
	if v, ok := p.variableOf(right); ok && v.read != nil {
		right = v.read.Root()
	}
	list := []*values.Node{right}
	if right.Kind == values.List {
		list = right.Children
	}
	if len(list) == 0 {
		return "", ""
	}
	for _, item := range list {
		if name, ok := literalText(item); !ok || name == user.AllAuthenticated || name == user.AllUnauthenticated {
			return "", ""
		}
	}
	return "this is never true: every user is in system:authenticated or system:unauthenticated, too", "Use exists() to ask for one group."
}
