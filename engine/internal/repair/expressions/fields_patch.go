package expressions

import "strings"

// fieldChoice sets a field of a literal only where a condition holds, where a choice lacks
// its other value: {replicas: object.spec.replicas < 2 ? 2}.
func fieldChoice(d *draft) string {
	if !d.syntaxError() || !d.expression.Scope.Patch {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "?") || !d.ends(i-1) || !d.begins(i+1) || d.touches(i-1) && d.Is(i-1, ".") {
			continue
		}
		open := i
		for open >= 0 && !(d.Partner[open] > i) {
			open--
		}
		if open < 1 || !d.Is(open, "{") || !d.IsWord(open-1) {
			continue
		}
		for _, a := range d.arguments(open) {
			if a[0] > i || a[1] < i || !d.Is(a[0]+1, ":") || d.find(i, ":") >= 0 && d.find(i, ":") <= a[1] {
				continue
			}
			return d.with(edit{d.start(a[0]), d.start(a[0]), "?"}, edit{d.start(i + 1), d.end(a[1]), "optional.of(" + d.slice(i+1, a[1]) + ") : optional.none()"})
		}
	}
	return d.text
}

// addedMaps takes away what is merged anyway: an ApplyConfiguration keeps the keys of a map
// that it does not name, and CEL does not add maps.
func addedMaps(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if !ok || !d.Is(i, "+") || !d.expression.Scope.Patch {
		return d.text
	}
	from, to := d.chainStart(i-1), d.chainEnd(i+1)
	switch {
	case strings.HasPrefix(right, "map(") && d.Is(i+1, "{") && !strings.HasPrefix(left, "list("):
		return d.with(edit{d.start(from), d.start(i + 1), ""})
	case strings.HasPrefix(left, "map(") && d.Is(i-1, "}") && !strings.HasPrefix(right, "list("):
		return d.with(edit{d.end(i - 1), d.end(to), ""})
	}
	return d.text
}
