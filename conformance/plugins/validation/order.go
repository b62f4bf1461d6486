package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// siblings are fields of one place in the objects of a kind, as pairs of which the first
// is named first by the server.
type siblings map[string]map[[2]string]bool

// order prints, for the checks of a file, in which order the server names the mistakes in
// the fields of one place: a line for each place, with its kind and its fields.
func order(proven string) ([]string, error) {
	bases, err := readBases()
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(proven)
	if err != nil {
		return nil, err
	}
	checks := map[string][]check{}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		name, _, _ := strings.Cut(f[2], "+")
		if name != "fixed" { // of updates alone
			checks[f[0]] = append(checks[f[0]], check{Path: f[1], Name: name, Limit: f[3], Message: f[4]})
		}
	}
	found := siblings{}
	for _, b := range bases {
		if len(b.created(b.object)) > 0 {
			continue // not valid in this release
		}
		list := checks[b.id()]
		for i, c := range list {
			for _, d := range list[i+1:] {
				b.compare(c, d, found)
			}
		}
	}
	var lines []string
	for _, place := range slices.Sorted(maps.Keys(found)) {
		lines = append(lines, place+"\t"+strings.Join(found.sorted(place), " "))
	}
	return lines, nil
}

// compare breaks two checks at once, and looks which of them the server names first.
func (b *base) compare(c, d check, found siblings) {
	p, q := b.first(c), b.first(d)
	if p == nil || q == nil {
		return
	}
	at := 0
	for at < len(p) && at < len(q) && p[at] == q[at] {
		at++
	}
	if at == len(p) || at == len(q) {
		return // one is inside of the other
	}
	one, isField := p[at].(string)
	other, isOther := q[at].(string)
	if !isField || !isOther {
		return
	}
	o, field, message := b.broken(b.object, p, c)
	o, otherField, otherMessage := b.broken(o, q, d)
	causes := b.created(o)
	place := func(field, message string) int {
		return slices.IndexFunc(causes, func(c metav1.StatusCause) bool { return c.Field == field && c.Message == message })
	}
	i, j := place(field, message), place(otherField, otherMessage)
	if i < 0 || j < 0 {
		return // one is not asked any more when the other is wrong
	}
	if i > j {
		one, other = other, one
	}
	key := b.id() + "\t" + p[:at].pattern()
	if found[key] == nil {
		found[key] = map[[2]string]bool{}
	}
	found[key][[2]string{one, other}] = true
}

// first is a path of a check in the object, with a value there that it can be asked about;
// nil when there is none.
func (b *base) first(c check) path {
	for _, p := range expand(b.object, c.Path) {
		if p.get(b.object) != nil && c.concerns(b.object, p) {
			return p
		}
	}
	return nil
}

// sorted are the fields of a place, those first that are before most others.
func (s siblings) sorted(place string) []string {
	before := map[string]int{}
	for pair := range s[place] {
		before[pair[0]]++
		before[pair[1]] += 0
	}
	return slices.SortedFunc(maps.Keys(before), func(a, b string) int {
		if s[place][[2]string{a, b}] != s[place][[2]string{b, a}] { // asked together
			if s[place][[2]string{a, b}] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(before[b], before[a]), cmp.Compare(a, b))
	})
}

func printLines(lines []string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "validation:", err)
		os.Exit(1)
	}
	for _, line := range lines {
		fmt.Println(line)
	}
}
