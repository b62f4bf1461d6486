package expressions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// besideItems is the bracket of a list literal that is added to the items that a list has, and
// whether it comes before them: [Object.spec.containers{...}] + object.spec.containers. It is -1
// for anything else.
func (w *patchWriter) besideItems(a [2]int, list string) (open int, first bool) {
	plus := w.outside("+", a[0])
	if plus < 0 || plus >= a[1] {
		return -1, false
	}
	literal := func(from, to int) bool { return w.Is(from, "[") && w.Partner[from] == to }
	switch {
	case literal(a[0], plus-1) && w.isList(plus+1, a[1], list):
		return a[0], true
	case literal(plus+1, a[1]) && w.isList(a[0], plus-1, list):
		return plus + 1, false
	}
	return -1, false
}

// isList reports whether tokens read a list, with or without a default for where it is absent.
func (w *patchWriter) isList(from, to int, list string) bool {
	for w.Is(from, "(") && w.Partner[from] == to {
		from, to = from+1, to-1
	}
	text := strings.Join(strings.Fields(w.slice(from, to)), "")
	parent, name := list[:strings.LastIndexByte(list, '.')+1], list[strings.LastIndexByte(list, '.')+1:]
	return slices.Contains([]string{list, "has(" + list + ")?" + list + ":[]", "!has(" + list + ")?[]:" + list, parent + "?" + name + ".orValue([])"}, text)
}

// excluded reports whether a condition says that a list has no item with a key:
// !object.spec.initContainers.exists(c, c.name == "proxy"), with or without has() before it.
func (w *patchWriter) excluded(list, key, value string) bool {
	const word = `[A-Za-z_]\w*`
	plain := strings.NewReplacer(" ", "", "\n", "", "\t", "", `"`, "'")
	of := regexp.QuoteMeta(list)
	test := `(` + of + `\.exists\((` + word + `),` + word + `\.` + key + `==` + regexp.QuoteMeta(plain.Replace(value)) + `\))`
	whole := regexp.MustCompile(`^(!` + test + `|!\(has\(` + of + `\)&&` + test + `\)|!has\(` + of + `\)\|\|!` + test + `)$`)
	return slices.ContainsFunc(w.conditions, func(condition string) bool { return whole.MatchString(plain.Replace(condition)) })
}

// wholeLists are lists that make sense only as a whole.
var wholeLists = []string{"args", "command", "nodeSelectorTerms", "externalIPs", "accessModes"}

// added appends the items of a literal to an atomic list, those apart that it has: a policy
// may run twice.
func (w *patchWriter) added(open int, at patchPlace) bool {
	over := w.listAt(&at)
	for _, a := range w.arguments(open) {
		end := at
		end.pointer += "/-"
		new := "!(" + w.argument(a) + " in " + over + ")"
		if brace := w.objectLiteral(a); brace > 0 {
			fields := w.arguments(brace)
			if len(fields) == 0 || !w.Is(fields[0][0]+1, ":") || fields[0][0]+2 > fields[0][1] {
				return false
			}
			name := w.List[fields[0][0]].Text
			new = fmt.Sprintf("!%s.exists(e, has(e.%s) && e.%s == %s)", over, name, name, w.operand([2]int{fields[0][0] + 2, fields[0][1]}))
		} else if !w.isString(a[0]) && !w.isNumber(a[0]) {
			return false
		}
		w.emit(end, "add", w.argument(a), new)
	}
	return true
}
