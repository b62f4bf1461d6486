package eval

import (
	"bytes"
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

// previewed is a preview of a value that many expressions have as a part.
type previewed struct {
	value any
	text  string
	cut   bool
	made  bool
}

// keptPreviews are the previews of a value: as that of a part, and as one of many in a loop.
type keptPreviews struct{ part, run previewed }

// Part is the preview of the value of a part with PreviewLeaves, and the same as Shown has it.
// It is shared: the caller leaves it as it is.
func Part(v ref.Val) (value any, shown string, cut bool) {
	if kept := keptOf(v); kept != nil {
		return kept.part.of(v, PreviewLeaves)
	}
	return shownPreview(v, PreviewLeaves)
}

// RunPart is Part for one of the values in a loop, with PreviewRunLeaves.
func RunPart(v ref.Val) (value any, shown string, cut bool) {
	if kept := keptOf(v); kept != nil {
		return kept.run.of(v, PreviewRunLeaves)
	}
	return shownPreview(v, PreviewRunLeaves)
}

// keptOf are the previews that a value keeps; nil for one that is not seen again.
func keptOf(v ref.Val) *keptPreviews {
	var kept **keptPreviews
	switch v := v.(type) {
	case *orderedMap:
		kept = &v.shown
	case *orderedList:
		kept = &v.shown
	case *typedStruct:
		kept = &v.shown
	case *typedMap:
		kept = &v.shown
	case *typedList:
		kept = &v.shown
	default:
		return nil
	}
	if *kept == nil {
		*kept = &keptPreviews{}
	}
	return *kept
}

// of is the preview, which is made when it is first asked for.
func (p *previewed) of(v ref.Val, leaves int) (value any, shown string, cut bool) {
	if !p.made {
		p.value, p.text, p.cut = shownPreview(v, leaves)
		p.made = true
	}
	return p.value, p.text, p.cut
}

func shownPreview(v ref.Val, leaves int) (value any, shown string, cut bool) {
	value, cut = Preview(v, leaves)
	return value, Shown(v, value, cut), cut
}

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
	writeShown(&b, preview)
	return fmt.Sprintf(format, b.String())
}

// leftOut is what a preview has in the place of what it leaves out.
type leftOut string

// writeShown writes a preview as JSON, but for what is left out.
func writeShown(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			if _, ok := v[k].(leftOut); ok && k == ellipsis {
				b.WriteString(ellipsis)
				continue
			}
			writeJSON(b, k)
			b.WriteByte(':')
			writeShown(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeShown(b, item)
		}
		b.WriteByte(']')
	case leftOut:
		b.WriteString(string(v))
	default:
		writeJSON(b, v)
	}
}

// writeJSON writes a scalar of a preview.
func writeJSON(b *strings.Builder, v any) {
	if s, ok := v.(string); ok && plainText(s) { // nearly all, and an encoder costs much more
		b.WriteString(`"` + s + `"`)
		return
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		text.Reset()
		fmt.Fprint(&text, v)
	}
	b.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// plainText reports whether JSON has a text as it is.
func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

type preview struct {
	leaves int
	cut    bool
}

func (p *preview) value(v any, depth int) any {
	switch v := v.(type) {
	case *orderedMap:
		return p.object(names(v.keys.of(v.native)), func(k string) any { return v.native[k] }, depth)
	case *typedMap:
		return p.object(names(v.keys.of(v.native)), func(k string) any { return v.Get(types.String(k)) }, depth)
	case *typedStruct:
		return p.object(names(v.keys.of(v.native)), func(k string) any { return v.Get(types.String(k)) }, depth)
	case map[string]any:
		return p.object(sorted(v), func(k string) any { return v[k] }, depth)
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
		return leftOut("{…}")
	}
	found := map[string]ref.Val{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		if s, ok := k.(types.String); ok {
			found[string(s)] = k
		} else {
			found[fmt.Sprint(jsonValue(k))] = k
		}
	}
	return p.object(sorted(found), func(k string) any { return m.Get(found[k]) }, depth)
}

// deep reports whether what is in a value at a depth is cut.
func (p *preview) deep(depth int) bool {
	deep := depth >= previewDepth || p.leaves <= 0
	p.cut = p.cut || deep
	return deep
}

// keys are the names of fields in their order.
type keys struct {
	number int
	at     func(i int) string
}

func sorted[V any](m map[string]V) keys {
	list := slices.Sorted(maps.Keys(m))
	return keys{len(list), func(i int) string { return list[i] }}
}

// names are keys that are strings.
func names(list []ref.Val) keys {
	return keys{len(list), func(i int) string { return string(list[i].(types.String)) }}
}

func (p *preview) object(keys keys, get func(string) any, depth int) any {
	if keys.number > 0 && p.deep(depth) {
		return leftOut("{…}")
	}
	out := make(map[string]any, min(keys.number, previewItems+1))
	for i := range keys.number {
		if i == previewItems || p.leaves <= 0 {
			p.cut = true
			out[ellipsis] = leftOut(fmt.Sprintf("%d more", keys.number-i))
			break
		}
		k := keys.at(i)
		out[k] = p.value(get(k), depth+1)
	}
	return out
}

func (p *preview) list(n int, get func(int) any, depth int) any {
	if n > 0 && p.deep(depth) {
		return leftOut("[…]")
	}
	out := make([]any, 0, min(n, previewItems+1))
	for i := range n {
		if i == previewItems || p.leaves <= 0 {
			p.cut = true
			return append(out, leftOut(fmt.Sprintf("… %d more", n-i)))
		}
		out = append(out, p.value(get(i), depth+1))
	}
	return out
}
