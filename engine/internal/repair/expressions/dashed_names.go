package expressions

import (
	"maps"
	"slices"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// dashed writes names with dashes, which CEL reads as subtractions: variables.team-label is
// the variable that is called like that but for the dash, self.max-size the property with
// it, as CEL escapes it.
func dashed(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		if !d.IsWord(i) || !d.Is(i-1, ".") || !d.Is(i+1, "-") || !d.touches(i) {
			continue
		}
		end, name := i, d.List[i].Text
		for d.Is(end+1, "-") && d.touches(end) && d.touches(end+1) && d.IsWord(end+2) {
			end += 2
			name += "-" + d.List[end].Text
		}
		if meant := d.dashedName(i, name); end > i && meant != "" {
			return d.with(edit{d.start(i), d.end(end), meant})
		}
		root := d.chainStart(i - 2)
		known := d.Is(root, "params") || d.Is(root, "object") || d.Is(root, "oldObject")
		if _, unknown := undeclared[i+2]; end > i && known && unknown {
			return d.with(edit{d.start(i - 1), d.end(end), "['" + name + "']"})
		}
	}
	return d.text
}

// dashedName is the name of CEL for one with dashes behind a root; empty if there is none.
func (d *draft) dashedName(i int, name string) string {
	joined := func(name string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)) }
	switch {
	case d.Is(i-2, "variables") && !d.Is(i-3, "."):
		for _, v := range d.variables {
			if joined(v.Name) == joined(name) {
				return v.Name
			}
		}
	case d.self != nil && (d.Is(i-2, "self") || d.Is(i-2, "oldSelf")) && !d.Is(i-3, "."):
		if _, ok := d.self.Properties[name]; ok {
			escaped, _ := apiservercel.Escape(name)
			return escaped
		}
		for _, property := range slices.Sorted(maps.Keys(d.self.Properties)) {
			if escaped, ok := apiservercel.Escape(property); ok && joined(property) == joined(name) {
				return escaped
			}
		}
	}
	return ""
}
