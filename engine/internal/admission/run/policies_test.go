package run

import (
	"slices"
	"testing"
)

// TestOrderOfPolicies: those of manifest files first, and both by name.
func TestOrderOfPolicies(t *testing.T) {
	list := []*Policy{{Name: "b"}, {Name: "a"}, {Name: "d", Static: true}, {Name: "c", Static: true}, {Name: "c"}}
	slices.SortFunc(list, (*Policy).Compare)
	var got []string
	for _, p := range list {
		name := p.Name
		if p.Static {
			name += " of a file"
		}
		got = append(got, name)
	}
	if want := []string{"c of a file", "d of a file", "a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if list[0].Compare(list[0]) != 0 || list[0].Compare(list[4]) >= 0 || list[4].Compare(list[0]) <= 0 {
		t.Error("two of one name are not in order")
	}
}
