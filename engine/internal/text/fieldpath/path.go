// Package fieldpath reads and writes all places in an object: field paths as the API server writes
// them (spec.containers[0].name) and JSON Pointers (RFC 6901: /spec/containers/0/name).
package fieldpath

import (
	"slices"
	"strconv"
	"strings"
)

// Path is the way from an object's root to a place in it. The empty path is the root. Methods that
// extend a path do not change it, so paths can be shared.
type Path []Step

// Step is one part of a path.
type Step struct {
	name    string
	bracket bool
}

// Name is a field's name, a map key, a list index in digits, or an associative list item's keys as
// structured-merge-diff writes them: name="app".
func (s Step) Name() string { return s.name }

// Bracket reports whether the step is in brackets, as indexes and keys are. A step without brackets
// may be part of a key with dots: the API server writes an unknown field's path without brackets.
func (s Step) Bracket() bool { return s.bracket }

// New returns the path of nested fields.
func New(names ...string) Path { return Path(nil).Child(names...) }

// Child returns the path of nested fields below p. Names that cannot follow a dot unambiguously or
// readably are put in brackets.
func (p Path) Child(names ...string) Path {
	out := slices.Clip(p)
	for _, name := range names {
		out = append(out, Step{name, inBrackets(name)})
	}
	return out
}

// inBrackets reports whether a name cannot follow a dot.
func inBrackets(name string) bool { return name == "" || strings.ContainsAny(name, "./[] \"") }

// Key returns the path of a key in the map at p.
func (p Path) Key(key string) Path { return append(slices.Clip(p), Step{key, true}) }

// Index returns the path of an item in the list at p.
func (p Path) Index(i int) Path { return p.Key(strconv.Itoa(i)) }

// Parent returns the path without its last step; for the root, the root.
func (p Path) Parent() Path { return p[:max(len(p)-1, 0)] }

// Last returns the last step's name, empty for the root.
func (p Path) Last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1].name
}

// IsIndex reports whether the step is, or could be, a list index: a numeric key looks the same.
func (s Step) IsIndex() bool { return s.bracket && isIndex(s.name) }

// String writes the path as the API server does: spec.validations[0].expression,
// metadata.labels[example.com/team]. It only quotes keys that would not read back otherwise: empty
// ones, and those with a bracket or a leading quote.
func (p Path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.bracket && (s.name == "" || s.name[0] == '"' || strings.Contains(s.name, "]")):
			b.WriteString("[" + strconv.Quote(s.name) + "]")
		case s.bracket:
			b.WriteString("[" + s.name + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// Below returns the text of a field below a path given as text. It is for paths that every request
// creates and that are rarely read.
func Below(path, name string) string {
	if path == "" || inBrackets(name) {
		return path + New(name).String()
	}
	return path + "." + name
}

// Join returns the text of the path below, relative to path. Either may be the root, which is
// empty.
func Join(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}

// Item returns the text of a list item's path, for a list's path given as text.
func Item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Parse reads a field path as the API server writes it: spec.validations[0].expression,
// metadata.labels[app.kubernetes.io/name], and structured-merge-diff's selectors:
// .spec.containers[name="app"]. Every text is a path; whatever is not a name becomes part of a
// step's name.
func Parse(text string) Path { return AppendParsed(nil, text) }

// AppendParsed is Parse into an existing slice, for paths that are parsed once per request.
func AppendParsed(out Path, text string) Path {
	for i := 0; i < len(text); {
		switch text[i] {
		case '.':
			i++
		case '[':
			var name string
			name, i = bracket(text, i)
			out = append(out, Step{name, true})
		default:
			end := i + strings.IndexAny(text[i:]+".", ".[")
			out = append(out, Step{text[i:end], false})
			i = end
		}
	}
	return out
}

// bracket reads the key in the bracket at i and returns the offset after it. A key may contain
// dots, quotes and brackets: it ends at the first ] that a new step follows.
func bracket(text string, i int) (name string, end int) {
	if quoted, err := strconv.QuotedPrefix(text[i+1:]); err == nil && quoted[0] == '"' {
		if end = i + 1 + len(quoted); end < len(text) && text[end] == ']' && endsStep(text, end+1) {
			name, _ = strconv.Unquote(quoted) // valid quotes
			return name, end + 1
		}
	}
	for j := i + 1; j < len(text); j++ {
		if text[j] == ']' && endsStep(text, j+1) {
			return text[i+1 : j], j + 1
		}
	}
	return text[i+1:], len(text)
}

func endsStep(text string, at int) bool {
	return at == len(text) || text[at] == '.' || text[at] == '['
}
