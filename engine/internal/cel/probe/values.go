package probe

import "strings"

var compares = map[string]bool{"_==_": true, "_!=_": true, "_<_": true, "_<=_": true, "_>_": true, "_>=_": true}

// other is a text that no expression asks for.
const other = "x"

// present are values of all types: those of the type of the field are there, and others are
// no request.
var present = []any{"1", int64(1), true, map[string]any{other: other}, map[string]any{}, []any{other}, []any{map[string]any{}}, []any{}}

// values are those to try for a part, by what is done with it: none for a part that only
// others are read of. Where there is none to try, the set is not whole.
func (r *reader) values(p *place) []any {
	up := p.parent
	if up == nil {
		return []any{true, false}
	}
	n := up.node
	switch {
	case n.Kind == "macro" && p.index == 0:
		return nil // what is in it is read by itself
	case n.Kind == "logical", n.Kind == "ternary" && p.index == 0, n.Kind == "macro", n.Kind == "call" && n.Name == "!_":
		values := []any{true, false}
		if p.node.Kind == "index" { // of a map, which often has texts
			values = append(values, other)
		}
		return values
	case n.Kind == "call" && len(n.Children) == 2 && compares[n.Name]:
		return r.near(r.literal(&n.Children[1-p.index]))
	case n.Kind == "call" && n.Name == "@in" && len(n.Children) == 2:
		return r.member(p)
	case n.Kind == "call" && len(n.Children) == 2 && p.index == 0:
		if part, ok := r.literal(&n.Children[1]).(string); ok {
			switch n.Name {
			case "startsWith":
				return []any{part + other, other + part}
			case "endsWith":
				return []any{other + part, part + other}
			case "contains":
				return []any{other + part + other, other}
			}
		}
	}
	r.whole = false
	return nil
}

// near are values that a comparison with a literal distinguishes.
func (r *reader) near(value any) []any {
	switch value := value.(type) {
	case string:
		return []any{value, value + other, "1"} // or a quantity
	case int64:
		return []any{value - 1, value, value + 1}
	case float64:
		return []any{value - 1, value, value + 1}
	case bool:
		return []any{true, false}
	}
	r.whole = false
	return nil
}

// member are values of which one is in a list, or one has a key or an item.
func (r *reader) member(p *place) []any {
	in := p.parent.node
	if p.index == 1 {
		key, ok := r.literal(&in.Children[0]).(string)
		if !ok {
			r.whole = false
			return nil
		}
		// A map or a list: the one that the object cannot have is no request.
		return []any{map[string]any{key: other}, map[string]any{other: other}, []any{key}, []any{other}}
	}
	if in.Children[1].Kind != "list" {
		r.whole = false
		return nil
	}
	var out []any
	for i := range in.Children[1].Children {
		value := r.literal(&in.Children[1].Children[i])
		if value == nil {
			r.whole = false
			return nil
		}
		out = append(out, value)
	}
	if len(out) > 0 {
		if last, ok := out[len(out)-1].(string); ok {
			return append(out, strings.Repeat(other, len(last)+1))
		}
	}
	r.whole = false
	return out
}
