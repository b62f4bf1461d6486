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
	path, index, over := "'"+at.pointer+"/'", "j", at.access
	if at.loop != nil {
		path = "'" + at.loop.pointer + "/' + string(i) + '" + at.pointer + "/'"
	}
	// The last one first: each removal moves the items behind it.
	list := fmt.Sprintf("%s.transformList(%s, %s, %s, %s).reverse().map(%s, JSONPatch{op: 'remove', path: %s + string(%s)})", over, index, item, dropped, index, index, path, index)
	w.flush()
	if at.loop == nil {
		w.terms = append(w.terms, fmt.Sprintf("(%s ? %s : [])", at.has(), list))
		return true
	}
	condition := at.has()
	if at.loop.condition != "" {
		condition = at.loop.condition + " && " + condition
	}
	w.terms = append(w.terms, fmt.Sprintf("%s.transformList(i, %s, %s, %s).flatten()", at.loop.over, at.loop.item, condition, list))
	return true
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
	return strings.ReplaceAll(strings.TrimSuffix(text, ".orValue([])"), "?", "")
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
