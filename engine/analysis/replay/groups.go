package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// Group counts the requests that share what Options.By names.
type Group struct {
	// Keys are the values, in the order of Options.By. Those of all requests beyond the
	// first groups are empty, and Others is set.
	Keys     []string `json:"keys"`
	Others   bool     `json:"others,omitempty"`
	Replayed int      `json:"replayed"`
	Admitted int      `json:"admitted"`
	Mutated  int      `json:"mutated"`
	Denied   int      `json:"denied"`
	Warned   int      `json:"warned"`
}

// ways are what requests can be counted by.
var ways = map[string]func(*report.Request) string{
	"namespace": func(q *report.Request) string { return q.Namespace },
	"user":      func(q *report.Request) string { return q.User },
	"operation": func(q *report.Request) string { return q.Operation },
	"resource": func(q *report.Request) string {
		version, name, _ := strings.Cut(q.Resource, ", Resource=")
		if group, _, ok := strings.Cut(version, "/"); ok && group != "" {
			name += "." + group
		}
		if q.SubResource != "" {
			name += "/" + q.SubResource
		}
		return name
	},
}

// Ways are the names that Options.By may have.
func Ways() []string { return []string{"namespace", "user", "operation", "resource"} }

func checkWays(by []string) error {
	for _, name := range by {
		if ways[name] == nil {
			return fmt.Errorf("requests cannot be counted by %q; there are %s", name, strings.Join(Ways(), ", "))
		}
	}
	return nil
}

// group counts a request for its group.
func (s *Summary) group(r *report.Report) {
	if len(s.By) == 0 {
		return
	}
	one := Group{Replayed: 1, Denied: number(!r.Outcome.Allowed), Admitted: number(r.Outcome.Allowed), Mutated: number(r.Outcome.Allowed && r.Outcome.Mutated), Warned: number(len(r.Outcome.Warnings) > 0)}
	for _, name := range s.By {
		one.Keys = append(one.Keys, ways[name](r.Request))
	}
	s.addGroup(one)
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// addGroup adds counts to those of the same keys.
func (s *Summary) addGroup(one Group) {
	if s.groups == nil {
		s.groups = map[string]*Group{}
	}
	key := strings.Join(one.Keys, "\x00")
	if one.Others {
		key = others
	}
	g := s.groups[key]
	if g == nil {
		g = &Group{Keys: one.Keys, Others: one.Others}
		s.groups[key] = g
	}
	g.count(one)
	if len(s.groups) > 2*maxGroups {
		s.boundGroups()
	}
}

// others is the key of the groups that are counted together.
const others = "\x00others"

func (g *Group) count(one Group) {
	g.Replayed += one.Replayed
	g.Admitted += one.Admitted
	g.Mutated += one.Mutated
	g.Denied += one.Denied
	g.Warned += one.Warned
}

// boundGroups counts the groups together that are too many.
func (s *Summary) boundGroups() {
	rest := s.groups[others]
	delete(s.groups, others)
	for _, g := range bound(s.groups, maxGroups) {
		if rest == nil {
			rest = &Group{Keys: make([]string, len(s.By)), Others: true}
		}
		rest.count(*g)
	}
	if rest != nil {
		s.groups[others] = rest
	}
}

// finishGroups writes the groups down, the largest first.
func (s *Summary) finishGroups() {
	s.Groups = nil
	s.boundGroups()
	for _, g := range s.groups {
		s.Groups = append(s.Groups, *g)
	}
	slices.SortFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(number(a.Others)-number(b.Others), b.Replayed-a.Replayed, slices.Compare(a.Keys, b.Keys))
	})
}
