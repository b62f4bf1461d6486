package requesttext

import (
	"slices"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
)

// GroupsOf returns the groups that the server gives an impersonated user, in addition to the given
// ones: every user is in one of two groups, and a service account is in those of its namespace where
// no group is given (k8s.io/apiserver/pkg/endpoints/filters/impersonation.go).
func GroupsOf(name string, given []string) []string {
	if namespace, _, err := serviceaccount.SplitUsername(name); err == nil && len(given) == 0 {
		given = serviceaccount.MakeGroupNames(namespace)
	}
	everyone := user.AllAuthenticated
	if name == user.Anonymous {
		everyone = user.AllUnauthenticated
	}
	if !slices.Contains(given, everyone) {
		given = append(slices.Clone(given), everyone)
	}
	return given
}

// withGroups adds the groups of a new user, unless the request has groups of its own or the change says some.
func (c Changes) withGroups(name string, groups []string) Changes {
	if c.User == nil || c.Groups != nil || len(groups) > 0 && !slices.Equal(groups, GroupsOf(name, nil)) {
		return c
	}
	given := []string{}
	if *c.User != "" {
		given = GroupsOf(*c.User, nil)
	}
	c.Groups = &given
	return c
}
