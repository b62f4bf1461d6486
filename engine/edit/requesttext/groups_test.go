package requesttext

import (
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

func TestAUserBringsItsGroups(t *testing.T) {
	for _, c := range []struct {
		name string
		now  *scenario.RequestSettings
		user string
		want []string
	}{
		{"nobody was named", nil, "bob", []string{"system:authenticated"}},
		{"an account", nil, "system:serviceaccount:ci:deployer", []string{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}},
		{"an account before", &scenario.RequestSettings{User: "system:serviceaccount:ci:deployer", Groups: GroupsOf("system:serviceaccount:ci:deployer", nil)}, "bob", []string{"system:authenticated"}},
		{"groups of one's own", &scenario.RequestSettings{User: "bob", Groups: []string{"dev"}}, "eve", []string{"dev"}},
		{"not logged in", nil, "system:anonymous", []string{"system:unauthenticated"}},
		{"taken away", &scenario.RequestSettings{User: "bob", Groups: []string{"system:authenticated"}, DryRun: true}, "", nil},
	} {
		got := Changes{User: &c.user}.Settings(c.now)
		if !slices.Equal(got.Groups, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got.Groups, c.want)
		}
		review := "kind: AdmissionReview\nrequest:\n  operation: CREATE\n  object: {}\n"
		if c.now == nil {
			text, err := Change(review, Changes{User: &c.user})
			if err != nil {
				t.Fatal(err)
			}
			e, err := open(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, groups := e.user(); !slices.Equal(groups, c.want) {
				t.Errorf("%s, in a review: %q, not %q:\n%s", c.name, groups, c.want, text)
			}
		}
	}
}
