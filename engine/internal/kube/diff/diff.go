// Package diff describes how one object became another, as a readable RFC 6902 patch: an added list
// item is one addition and does not rewrite all later items.
package diff

import (
	"slices"
	"strconv"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// Objects returns a patch that turns before into after. Applied in order it results in exactly
// after. nil means an absent object and returns no patch.
func Objects(before, after map[string]any) []report.PatchOperation {
	if before == nil || after == nil {
		return nil
	}
	var d differ
	d.maps("", before, after)
	return d.ops
}

type differ struct{ ops []report.PatchOperation }

func (d *differ) add(op, path string, value any) {
	d.ops = append(d.ops, report.PatchOperation{Op: op, Path: path, Value: value})
}

// values compares two existing values.
func (d *differ) values(path string, a, b any) {
	am, aok := a.(map[string]any)
	bm, bok := b.(map[string]any)
	if aok && bok {
		d.maps(path, am, bm)
		return
	}
	if Equal(a, b) {
		return
	}
	if al, ok := a.([]any); ok {
		if bl, ok := b.([]any); ok {
			d.lists(path, al, bl)
			return
		}
	}
	d.add("replace", path, b)
}

// maps compares two objects: first removals and changes, by name, then additions.
func (d *differ) maps(path string, a, b map[string]any) {
	if sameMap(a, b) {
		return
	}
	var few [16]string
	names, common := few[:0], 0
	for k, v := range a {
		is, stays := b[k]
		if stays {
			common++
		}
		if !stays || !equalScalar(v, is) {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	for _, k := range names {
		if v, ok := b[k]; ok {
			d.values(path+"/"+fieldpath.Escape(k), a[k], v)
		} else {
			d.add("remove", path+"/"+fieldpath.Escape(k), nil)
		}
	}
	if common == len(b) {
		return
	}
	names = names[:0]
	for k := range b {
		if _, ok := a[k]; !ok {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	for _, k := range names {
		d.add("add", path+"/"+fieldpath.Escape(k), b[k])
	}
}

// equalScalar reports whether two values are equal scalars.
func equalScalar(a, b any) bool {
	switch a := a.(type) {
	case string, int64, bool:
		return a == b
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && a != nil && sameMap(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && sameList(a, b)
	}
	return false
}

// maxAligned limits the alignment table. Longer lists are compared index by index.
const maxAligned = 1 << 20

// lists walks an alignment of a and b. index is the position in the list while the patch is
// applied.
func (d *differ) lists(path string, a, b []any) {
	index, j := 0, 0
	for index < len(a) && index < len(b) && Equal(a[index], b[index]) {
		index++ // unchanged items at the start
	}
	a, b = a[index:], b[index:]
	keep := align(a, b)
	at := func(i int) string { return path + "/" + strconv.Itoa(i) }
	for i := 0; i < len(a); i++ {
		if keep[i] < 0 {
			d.add("remove", at(index), nil)
			continue
		}
		for ; j < keep[i]; j++ {
			d.add("add", at(index), b[j])
			index++
		}
		d.values(at(index), a[i], b[j])
		index, j = index+1, j+1
	}
	for ; j < len(b); j++ {
		d.add("add", at(index), b[j])
		index++
	}
}

// align pairs a's items with b's, in order, by identity. It returns the index of each item's
// partner in b, or -1.
func align(a, b []any) []int {
	pairs := make([]int, len(a))
	if len(a)*len(b) > maxAligned {
		for i := range pairs {
			pairs[i] = -1
			if i < len(b) {
				pairs[i] = i
			}
		}
		return pairs
	}
	if samePlaces(a, b) {
		for i := range pairs {
			pairs[i] = i
		}
		return pairs
	}
	likeness := compare(a, b)
	best := make([][]int32, len(a)+1)
	best[len(a)] = make([]int32, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		best[i] = make([]int32, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+likeness(i, j))
		}
	}
	j := 0
	for i := range pairs {
		pairs[i] = -1
		// Both are zero after b's last item, and pairing unlike items is no better than skipping
		// the first.
		for ; best[i][j] != best[i+1][j]; j++ {
			if best[i][j] == best[i+1][j+1]+likeness(i, j) {
				pairs[i] = j
				j++
				break
			}
		}
	}
	return pairs
}

// identities are the fields by which people identify list items.
var identities = []string{"name", "key", "type", "containerPort", "port", "mountPath", "ip", "uid", "id"}

// samePlaces reports whether each item's partner is at its own index: the items have different
// names, the same in both lists. This is the usual case.
func samePlaces(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	names := make(map[string]bool, len(a))
	for i := range a {
		was, _ := a[i].(map[string]any)
		is, _ := b[i].(map[string]any)
		name, ok := was[identities[0]].(string)
		if !ok || is[identities[0]] != any(name) || names[name] {
			return false
		}
		names[name] = true
	}
	return true
}

// known is how an item is compared.
type known struct {
	value int32 // the class of the item
	// fields are the classes of its identifying fields; 0 means missing.
	fields []int32
}

// compare returns a function that scores two items: 3 if equal, 2 if their first identifying field
// is equal, 0 otherwise. It reads each item once, however often it is compared.
func compare(a, b []any) func(i, j int) int32 {
	classes := classes{}
	read := func(items []any) []known {
		out := make([]known, len(items))
		for i, item := range items {
			out[i] = known{value: classes.of(item), fields: make([]int32, len(identities))}
			object, _ := item.(map[string]any)
			for k, name := range identities {
				if v, ok := object[name]; ok {
					out[i].fields[k] = classes.of(v)
				}
			}
		}
		return out
	}
	as, bs := read(a), read(b)
	return func(i, j int) int32 {
		if as[i].value == bs[j].value {
			return 3
		}
		for k, field := range as[i].fields {
			if field != 0 {
				if field == bs[j].fields[k] {
					return 2
				}
				return 0
			}
		}
		return 0
	}
}
