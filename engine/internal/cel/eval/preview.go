package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// Limits of a preview.
const (
	previewText  = 200 // runes of a string
	previewItems = 10  // items of a list, fields of a map
	previewDepth = 3
)

// Leaves of previews: the scalars that are shown of one value.
const (
	PreviewLeaves    = 30
	PreviewRunLeaves = 10 // of one of the values in a loop
)

// Preview is JSON, shortened to about so many leaves: the values of an
// expression's parts include whole objects again and again. cut reports whether
// something was left out; the places say so by an ellipsis.
func Preview(v ref.Val, leaves int) (value any, cut bool) {
	p := preview{leaves: leaves}
	return p.value(v, 0), p.cut
}

// Shown is a preview of a value as text, empty where its JSON says all: what was
// left out, and optionals, which JSON does not know, are not in quotes, as they
// are no strings.
func Shown(v ref.Val, preview any, cut bool) string {
	optional, _ := v.(*types.Optional)
	if !cut && optional == nil {
		return ""
	}
	format := "%s"
	if optional != nil {
		if !optional.HasValue() {
			return "optional.none()"
		}
		format = "optional.of(%s)"
		preview = preview.(map[string]any)["optional.of"]
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(preview) != nil {
		return ""
	}
	text := fmt.Sprintf(format, strings.TrimSuffix(b.String(), "\n"))
	if cut {
		text = leftOut.ReplaceAllString(text, "$1$2")
	}
	return text
}

// leftOut is what is in the JSON of a preview for what was left out.
var leftOut = lazy.Regexp{Text: `"(\{…\}|\[…\]|… \d+ more)"|"(…)":"\d+ more"`}

type preview struct {
	leaves int
	cut    bool
}

func (p *preview) value(v any, depth int) any {
	switch v := v.(type) {
	case *orderedMap:
		return p.object(slices.Sorted(maps.Keys(v.native)), func(k string) any { return v.native[k] }, depth)
	case map[string]any:
		return p.object(slices.Sorted(maps.Keys(v)), func(k string) any { return v[k] }, depth)
	case []any:
		return p.list(len(v), func(i int) any { return v[i] }, depth)
	case *types.Optional:
		if v.HasValue() {
			return map[string]any{"optional.of": p.value(v.GetValue(), depth+1)}
		}
	case *dynamic.ObjectVal, *mutation.JSONPatchVal:
		return p.value(jsonValue(v.(ref.Val)), depth)
	case traits.Lister:
		n, _ := v.Size().(types.Int)
		return p.list(int(n), func(i int) any { return v.Get(types.Int(i)) }, depth)
	case traits.Mapper:
		return p.mapper(v, depth)
	}
	p.leaves--
	if r, ok := v.(ref.Val); ok {
		v = jsonValue(r)
	}
	if s, ok := v.(string); ok {
		return p.text(s)
	}
	return v
}

func (p *preview) text(s string) string {
	if len(s) <= previewText {
		return s
	}
	if runes := []rune(s); len(runes) > previewText {
		p.cut = true
		return string(runes[:previewText]) + "…"
	}
	return s
}

// mapper is a map that an expression made; its keys may be of any type.
func (p *preview) mapper(m traits.Mapper, depth int) any {
	if m.Size() != types.IntZero && p.deep(depth) {
		return "{…}"
	}
	keys := map[string]ref.Val{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		if s, ok := k.(types.String); ok {
			keys[string(s)] = k
		} else {
			keys[fmt.Sprint(jsonValue(k))] = k
		}
	}
	return p.object(slices.Sorted(maps.Keys(keys)), func(k string) any { return m.Get(keys[k]) }, depth)
}

// deep reports whether what is in a value at a depth is cut.
func (p *preview) deep(depth int) bool {
	deep := depth >= previewDepth || p.leaves <= 0
	p.cut = p.cut || deep
	return deep
}

func (p *preview) object(keys []string, get func(string) any, depth int) any {
	if len(keys) > 0 && p.deep(depth) {
		return "{…}"
	}
	out := make(map[string]any, len(keys))
	for i, k := range keys {
		if i == previewItems || p.leaves <= 0 {
			p.cut = true
			out["…"] = fmt.Sprintf("%d more", len(keys)-i)
			break
		}
		out[k] = p.value(get(k), depth+1)
	}
	return out
}

func (p *preview) list(n int, get func(int) any, depth int) any {
	if n > 0 && (depth >= previewDepth || p.leaves <= 0) {
		p.cut = true
		return "[…]"
	}
	out := make([]any, 0, min(n, previewItems+1))
	for i := range n {
		if i == previewItems || p.leaves <= 0 {
			p.cut = true
			return append(out, fmt.Sprintf("… %d more", n-i))
		}
		out = append(out, p.value(get(i), depth+1))
	}
	return out
}
