package proposal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// code is a piece of CEL that can be written on one line or on several.
type code struct {
	text string // the whole, when there are no parts
	// open, parts and close are a list, a map or an object.
	open, close string
	parts       []part
}

type part struct {
	key  string // with its colon; empty in lists
	code code
}

func plain(format string, args ...any) code { return code{text: fmt.Sprintf(format, args...)} }

// width is where lines are broken.
const width = 90

// write renders code that begins at the given column of a line that is indented
// by indent.
func (c code) write(b *strings.Builder, indent, column int) {
	line := c.line()
	if len(c.parts) == 0 || column+len(line) <= width {
		b.WriteString(line)
		return
	}
	b.WriteString(c.open)
	for i, p := range c.parts {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat(" ", indent+2))
		b.WriteString(p.key)
		p.code.write(b, indent+2, indent+2+len(p.key))
		if i < len(c.parts)-1 {
			b.WriteByte(',')
		}
	}
	b.WriteByte('\n')
	b.WriteString(strings.Repeat(" ", indent))
	b.WriteString(c.close)
}

func (c code) line() string {
	if len(c.parts) == 0 {
		return c.text + c.open + c.close
	}
	var parts []string
	for _, p := range c.parts {
		parts = append(parts, p.key+p.code.line())
	}
	return c.open + strings.Join(parts, ", ") + c.close
}

func (c code) String() string {
	var b strings.Builder
	c.write(&b, 0, 0)
	return b.String()
}

// identifier matches what CEL takes for a field name; the words that it keeps
// for itself even there are excluded by isField.
var identifier = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*$`}

func isField(name string) bool {
	return identifier.MatchString(name) && !slices.Contains([]string{"true", "false", "null", "in"}, name)
}

// quote writes a CEL string. What does not print, or would end a line of YAML,
// is escaped.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// scalar writes a string, number, boolean or null.
func scalar(v any) code {
	switch v := v.(type) {
	case string:
		return plain("%s", quote(v))
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return plain("%s", s)
	case nil:
		return plain("null")
	}
	return plain("%v", v)
}

// value writes any value. typeName is the name of the Object type at its place,
// such as Object.spec.containers, and decides the form of structs; when it is
// empty, they are written as map literals.
func value(t *catalog.Type, v any, typeName string) code {
	switch v := v.(type) {
	case []any:
		out := code{open: "[", close: "]"}
		for _, item := range v {
			out.parts = append(out.parts, part{code: value(elemOf(t), item, typeName)})
		}
		return sameTypes(out, v)
	case map[string]any:
		if typeName != "" && isStruct(t, v) {
			out := code{open: typeName + "{", close: "}"}
			for _, key := range ordered(v) {
				out.parts = append(out.parts, part{key + ": ", value(typeOf(t, key), v[key], typeName+"."+key)})
			}
			return out
		}
		out := code{open: "{", close: "}"}
		var values []any
		for _, key := range ordered(v) {
			out.parts = append(out.parts, part{quote(key) + ": ", value(typeOf(t, key), v[key], typeName)})
			values = append(values, v[key])
		}
		return sameTypes(out, values)
	}
	return scalar(v)
}

// sameTypes wraps the values of a list or map literal that are not all of one
// type: the server compiles only literals whose values are.
func sameTypes(c code, values []any) code {
	types := map[string]bool{}
	for i, v := range values {
		types[typeName(c.parts[i].code, v)] = true
	}
	if len(types) < 2 {
		return c
	}
	for i, p := range c.parts {
		c.parts[i].code = asDyn(p.code)
	}
	return c
}

const dynOpen = "dyn("

func asDyn(c code) code {
	if c.text != "" {
		return plain("%s%s)", dynOpen, c.text)
	}
	return code{open: dynOpen + c.open, parts: c.parts, close: c.close + ")"}
}

// typeName is the type of a literal as CEL sees it, down to its elements.
func typeName(c code, v any) string {
	if strings.HasPrefix(c.text, dynOpen) || strings.HasPrefix(c.open, dynOpen) {
		return "dyn"
	}
	if name, isObject := strings.CutSuffix(c.open, "{"); isObject && name != "" {
		return name
	}
	var elements []any
	switch v := v.(type) {
	case map[string]any:
		for _, key := range ordered(v) { // the order of the parts
			elements = append(elements, v[key])
		}
	case []any:
		elements = v
	default:
		return fmt.Sprintf("%T", v)
	}
	types := map[string]bool{}
	for i, p := range c.parts {
		types[typeName(p.code, elements[min(i, len(elements)-1)])] = true
	}
	names := slices.Sorted(maps.Keys(types))
	if len(names) > 1 {
		names = []string{"dyn"}
	}
	return fmt.Sprintf("%T of %v", v, names)
}

// ordered lists the keys of an object as people write them: what identifies it
// first, then by name.
func ordered(m map[string]any) []string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

func rank(key string) int {
	if i := slices.Index(identities, key); i >= 0 {
		return i
	}
	return len(identities)
}

// isStruct reports whether a value is written as Object literal: by its schema, or
// without one when its keys can be fields.
func isStruct(t *catalog.Type, v map[string]any) bool {
	if t != nil && t.Kind == catalog.Map {
		return false
	}
	for key := range v {
		if !isField(key) {
			return false
		}
	}
	return true
}

// The helpers below look into types that may be unknown.

func fieldOf(t *catalog.Type, name string) *catalog.Field {
	if t == nil || t.Kind == catalog.Map {
		return nil
	}
	return t.Field(name)
}

// typeOf is the type of a field or of a map's values.
func typeOf(t *catalog.Type, name string) *catalog.Type {
	if t != nil && t.Kind == catalog.Map {
		return t.Elem
	}
	if f := fieldOf(t, name); f != nil {
		return f.Type
	}
	return nil
}

func elemOf(t *catalog.Type) *catalog.Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

// mergeKeys are the keys of an associative list.
func mergeKeys(f *catalog.Field) []string {
	if f == nil || f.ListType != "map" {
		return nil
	}
	return slices.Clone(f.ListMapKeys)
}
