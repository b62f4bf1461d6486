// Package fieldpath is the one reader and the one writer of places in an object:
// field paths as the API server writes them (spec.containers[0].name) and JSON
// Pointers (RFC 6901: /spec/containers/0/name).
package fieldpath

import (
	"slices"
	"strconv"
	"strings"
)

// Path leads from the root of an object to a place in it. The empty path is the
// root. Methods that extend a path leave it as it is: a path can be shared.
type Path []Step

// Step is one part of a path.
type Step struct {
	name    string
	bracket bool
}

// Name is the name of a field, the key of a map, the index of a list item in
// digits, or the keys of an item of an associative list as
// structured-merge-diff writes them: name="app".
func (s Step) Name() string { return s.name }

// Bracket reports whether the step is written in brackets, as indexes and keys
// are. One that is not may be a part of a key with dots in it: the API server
// names an unknown field by its path without brackets.
func (s Step) Bracket() bool { return s.bracket }

// New is the path of nested fields.
func New(names ...string) Path { return Path(nil).Child(names...) }

// Child is the path of a field below p, and of fields below that. Names that
// could not be read back after a dot, or hardly by people, are put into brackets.
func (p Path) Child(names ...string) Path {
	out := slices.Clip(p)
	for _, name := range names {
		out = append(out, Step{name, inBrackets(name)})
	}
	return out
}

// inBrackets reports whether a name cannot be written behind a dot.
func inBrackets(name string) bool { return name == "" || strings.ContainsAny(name, "./[] \"") }

// Key is the path of a key of the map at p.
func (p Path) Key(key string) Path { return append(slices.Clip(p), Step{key, true}) }

// Index is the path of an item of the list at p.
func (p Path) Index(i int) Path { return p.Key(strconv.Itoa(i)) }

// Parent is the path less its last step; of the root, the root.
func (p Path) Parent() Path { return p[:max(len(p)-1, 0)] }

// Last is the name of the last step, empty for the root.
func (p Path) Last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1].name
}

// IsIndex reports whether the step is the index of a list item, or could be one:
// a key that is a number looks the same.
func (s Step) IsIndex() bool { return s.bracket && isIndex(s.name) }

// String writes the path as the API server does: spec.validations[0].expression,
// metadata.labels[example.com/team]. Only a key that could not be read back so
// is quoted, because it holds a bracket, begins with a quote or is empty.
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

// Below is the text of a field below the path that a text is. It is for paths that are
// made for every request, and are hardly ever read.
func Below(path, name string) string {
	if path == "" || inBrackets(name) {
		return path + New(name).String()
	}
	return path + "." + name
}

// Join is the text of the path that leads to below from the place that path is. Either may
// be the root, which is empty.
func Join(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}

// Item is the text of an item of the list at the path that a text is.
func Item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Parse reads a field path as the API server writes it:
// spec.validations[0].expression, metadata.labels[app.kubernetes.io/name], and
// the selectors of structured-merge-diff: .spec.containers[name="app"]. Every
// text is a path; what is no name ends up in the name of a step.
func Parse(text string) Path { return AppendParsed(nil, text) }

// AppendParsed is Parse into room that is there, for paths that are read once for
// each request.
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

// bracket reads the key in the bracket that is opened at i, and gives the offset
// behind it. A key may hold dots, quotes and brackets: the end is the first ]
// that a new step follows.
func bracket(text string, i int) (name string, end int) {
	if quoted, err := strconv.QuotedPrefix(text[i+1:]); err == nil && quoted[0] == '"' {
		if end = i + 1 + len(quoted); end < len(text) && text[end] == ']' && endsStep(text, end+1) {
			name, _ = strconv.Unquote(quoted) // it is quoted well
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
