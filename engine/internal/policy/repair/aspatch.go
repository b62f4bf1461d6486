package repair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// always are the parts of objects that an operation of a JSON Patch can add to:
// they are there in every object that has them at all.
var always = []string{"", "/spec", "/metadata", "/spec/template", "/spec/template/spec", "/spec/template/metadata", "/spec/jobTemplate/spec/template/spec"}

// AsPatch is the expression of an ApplyConfiguration as a JSON Patch that sets the
// same fields; empty where that is not plain: for fields that are set on a
// condition, for items of a list by their key, for single labels.
func AsPatch(expression string) string {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	if !d.Is(0, "Object") || !d.Is(1, "{") || d.Partner[1] != len(d.List)-1 {
		return ""
	}
	operations, ok := d.operations(1, "")
	if !ok || len(operations) == 0 {
		return ""
	}
	return "[" + strings.Join(operations, ", ") + "]"
}

// operations are those that set the fields of the literal with the brace at a
// token.
func (d *draft) operations(open int, path string) (out []string, ok bool) {
	for _, a := range d.arguments(open) {
		name := a[0]
		if !d.IsWord(name) || !d.Is(name+1, ":") || name+2 > a[1] {
			return nil, false
		}
		to := path + "/" + d.List[name].Text
		if !slices.Contains(always, path) || slices.Contains([]string{"/metadata/labels", "/metadata/annotations"}, to) || strings.HasSuffix(to, "ontainers") {
			return nil, false
		}
		value := name + 2
		brace := value
		for d.Is(brace+1, ".") && d.IsWord(brace+2) {
			brace += 2
		}
		if brace++; d.Is(value, "Object") && d.Is(brace, "{") && d.Partner[brace] == a[1] {
			inner, ok := d.operations(brace, to)
			if !ok {
				return nil, false
			}
			out = append(out, inner...)
			continue
		}
		out = append(out, fmt.Sprintf("JSONPatch{op: 'add', path: '%s', value: %s}", to, d.slice(value, a[1])))
	}
	return out, true
}
