package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// indexNames are names that loops give indexes.
var indexNames = []string{"i", "j", "idx", "index"}

// wildcard writes .*, [*], [_], [i] and [], which name any item of a list, as a macro from there to the end of
// the comparison: as all(), or as exists() where the comparison is negated.
func wildcard(d *draft) string {
	for i := range d.List {
		last := i + 1 // token of the wildcard
		switch {
		case d.Is(i, ".") && d.Is(i+1, "*") && d.Is(i+2, ".") && d.IsWord(i+3) && d.ends(i-1):
		case d.Is(i, "[") && (d.Is(i+1, "*") || d.Is(i+1, "_")) && d.Is(i+2, "]"):
			last = i + 2
		case d.Is(i, "[") && d.Is(i+2, "]") && d.undeclared()[i+1] != "" && slices.Contains(indexNames, d.token(i+1)):
			last = i + 2
		case d.Is(i, "[") && d.Is(i+1, "]") && d.ends(i-1) && d.Is(i+2, "."):
		default:
			continue
		}
		to := len(d.List) - 1
		if stop := d.find(last+1, "&&", "||", ",", ")", "]", "?", ":"); stop > 0 {
			to = stop - 1
		}
		name, from := d.itemName(i-1), d.chainStart(i-1)
		macro := "all"
		if d.ofAny(from) {
			macro = "exists"
		}
		return d.with(
			edit{d.start(i), d.end(last), "." + macro + "(" + name + ", " + d.present(d.slice(from, i-1), name, last+1, to) + name},
			edit{d.end(to), d.end(to), ")"})
	}
	return d.text
}

// ofAny reports whether a comparison that begins with a token forbids something: it is negated, or in
// an exists().
func (d *draft) ofAny(from int) bool {
	negated := d.Is(from-1, "!")
	for i := from - 1; i >= 0; i-- {
		switch {
		case d.Partner[i] >= 0 && d.Partner[i] < i:
			i = d.Partner[i]
		case d.Is(i, "(") && d.Is(i-1, "exists"):
			return true
		case d.Is(i, "(") && d.Is(i-1, "!"):
			negated = !negated
		}
	}
	return negated
}

// present tests the fields of a list's item that the server may leave out, in front of the comparison
// that begins with them at a token. Where the fields must differ from a value, a missing one does.
func (d *draft) present(list, name string, i, to int) string {
	steps, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(list, "input.review."), "input.request."), "object.")
	item := typeAt(d.object, steps)
	if !ok || item == nil || item.Kind != catalog.List {
		return ""
	}
	t, path, missing := item.Elem, name, []string{}
	for ; d.Is(i, ".") && d.IsWord(i+1) && !d.Is(i+2, "("); i += 2 {
		if t == nil || t.Kind != catalog.Struct || t.Field(d.List[i+1].Text) == nil {
			break
		}
		f := t.Field(d.List[i+1].Text)
		t, path = f.Type, path+"."+f.Name
		if f.OmitEmpty && (f.Pointer || !slices.Contains([]catalog.Kind{catalog.Struct, catalog.String}, t.Kind)) {
			missing = append(missing, "has("+path+")")
		}
	}
	switch {
	case len(missing) == 0:
		return ""
	case d.Is(i, "!=") && i+1 == to && d.List[to].Text != "null" && d.List[to].Text != d.zeroOf(to):
		return "!" + strings.Join(missing, " || !") + " || "
	}
	return strings.Join(missing, " && ") + " && "
}

// itemName is a name for the items of a list: its first letter.
func (d *draft) itemName(i int) string {
	if d.IsWord(i) {
		if name := strings.ToLower(d.List[i].Text[:1]); name >= "a" && name <= "z" {
			return name
		}
	}
	return "x"
}
