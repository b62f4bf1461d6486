package expressions

import (
	"fmt"
	"strings"
)

// isNone reports whether a value is optional.none(), which says of a field that it is not set.
func (w *patchWriter) isNone(a [2]int) bool {
	return w.Is(a[0], "optional") && w.Is(a[0]+1, ".") && w.Is(a[0]+2, "none") && w.Is(a[0]+3, "(") && a[0]+4 == a[1]
}

// removals writes operations that remove what a filter drops of the list at a place. It is false
// for a value that is not that list, filtered and written again as it is.
func (w *patchWriter) removals(a [2]int, at patchPlace) bool {
	i := w.method("filter", a)
	if i < 0 || !w.Is(i+1, "(") || plainChain(w.slice(a[0], i-2)) != at.access {
		return false
	}
	args := w.arguments(i + 1)
	if len(args) != 2 {
		return false
	}
	if end := w.Partner[i+1]; end != a[1] && !w.copies(end+1, a[1]) {
		return false
	}
	item, dropped := w.argument(args[0]), "!("+w.argument(args[1])+")"
	const index = "j"
	// The last one first: each removal moves the items behind it.
	w.remove(at, fmt.Sprintf("%s.transformList(%s, %s, %s, %s).reverse().map(%s, JSONPatch{op: 'remove', path: %s + string(%s)})", at.access, index, item, dropped, index, index, at.below(), index))
	return true
}

// entryRemovals writes operations that remove the entries that transformMap drops of the map at a place. It is false
// for a value that is not that map, filtered and otherwise as it is.
func (w *patchWriter) entryRemovals(a [2]int, at patchPlace) bool {
	i := w.method("transformMap", a)
	if i < 0 || !w.Is(i+1, "(") || w.Partner[i+1] != a[1] || plainChain(w.slice(a[0], i-2)) != at.access {
		return false
	}
	args := w.arguments(i + 1)
	if len(args) != 4 || w.argument(args[3]) != w.argument(args[1]) {
		return false
	}
	key, value, dropped := w.argument(args[0]), w.argument(args[1]), "!("+w.argument(args[2])+")"
	w.remove(at, fmt.Sprintf("%s.transformList(%s, %s, %s, JSONPatch{op: 'remove', path: %s + jsonpatch.escapeKey(%s)})", at.access, key, value, dropped, at.below(), key))
	return true
}

// below is the expression of the JSON pointer to what is in a place, without the last step.
func (at patchPlace) below() string {
	if at.loop != nil {
		return "'" + at.loop.pointer + "/' + string(i) + '" + at.pointer + "/'"
	}
	return "'" + at.pointer + "/'"
}

// remove adds a list of operations that is made where a place is there.
func (w *patchWriter) remove(at patchPlace, operations string) {
	w.flush()
	if at.loop == nil {
		w.terms = append(w.terms, fmt.Sprintf("(%s ? %s : [])", at.has(), operations))
		return
	}
	condition := at.has()
	if at.loop.condition != "" {
		condition = at.loop.condition + " && " + condition
	}
	w.terms = append(w.terms, fmt.Sprintf("%s.transformList(i, %s, %s, %s).flatten()", at.loop.over, at.loop.item, condition, operations))
}

// method is the first call of a method of that name in a value; -1 without one.
func (w *patchWriter) method(name string, a [2]int) int {
	for i := a[0]; i <= a[1]; i++ {
		if p := w.Partner[i]; p > i {
			i = p
		} else if w.Is(i, name) && w.Is(i-1, ".") && w.Is(i+1, "(") {
			return i
		}
	}
	return -1
}

// plainChain is a chain of fields without what makes it optional.
func plainChain(text string) string {
	text = strings.Join(strings.Fields(text), "")
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(text, ".orValue([])"), ".orValue({})"), "?", "")
}

// copies reports whether the tokens are .map(e, Object.x{a: e.a, ...}): items as they are.
func (w *patchWriter) copies(from, to int) bool {
	if !w.Is(from, ".") || !w.Is(from+1, "map") || !w.Is(from+2, "(") || w.Partner[from+2] != to {
		return false
	}
	args := w.arguments(from + 2)
	if len(args) != 2 {
		return false
	}
	item, brace := w.argument(args[0]), w.objectLiteral(args[1])
	if brace < 0 {
		return w.argument(args[1]) == item
	}
	for _, a := range w.arguments(brace) {
		name := a[0]
		if w.Is(name, "?") {
			name++
		}
		if !w.IsWord(name) || !w.Is(name+1, ":") || plainChain(w.slice(name+2, a[1])) != item+"."+w.List[name].Text {
			return false
		}
	}
	return true
}
