package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/policy/model"
)

// sketchedText is the value of a key of which nothing says what it is.
const sketchedText = "example"

// paramSketch are the fields of a param that the expressions of its policy read, with values of the
// type that they are read as. A missing param is added with them, to be filled in.
func (e *evaluation) paramSketch(m run.MissingParam) map[string]any {
	out := map[string]any{}
	if m.Step == nil {
		return out
	}
	texts := m.Kind.Group == "" && (m.Kind.Kind == "ConfigMap" || m.Kind.Kind == "Secret")
	for _, doc := range e.parsed(diag.Policies) {
		if doc.Kind != m.Step.Kind || doc.Name != m.Step.Policy {
			continue
		}
		for _, expression := range model.Expressions(doc.Value) {
			for _, r := range paramReads(expression.Text) {
				if r.path[0] == "metadata" || texts && (r.path[0] != "data" || len(r.path) != 2) {
					continue
				}
				if list, ok := r.value.([]any); ok && texts {
					r.value = list[0]
				}
				if texts {
					r.value = fmt.Sprint(r.value)
				}
				sketch(out, r.path, r.value)
			}
		}
	}
	return out
}

// sketch sets a field, unless it is known better.
func sketch(object map[string]any, path []string, value any) {
	for _, step := range path[:len(path)-1] {
		inner, ok := object[step].(map[string]any)
		if !ok {
			if object[step] != nil && object[step] != sketchedText {
				return
			}
			inner = map[string]any{}
			object[step] = inner
		}
		object = inner
	}
	last := path[len(path)-1]
	if was := object[last]; was == nil || was == sketchedText {
		object[last] = value
	}
}

// paramRead is a field that is read of params, and a value of the type that it is read as.
type paramRead struct {
	path  []string
	value any
}

// paramReads finds what an expression reads of params.
func paramReads(expression string) (out []paramRead) {
	t := source.NewTokens(expression)
	for i := range t.List {
		if !t.Is(i, "params") || t.Is(i-1, ".") {
			continue
		}
		var path []string
		end := i
		for end < len(t.List) {
			at := end + 1
			if t.Is(at, ".") && t.Is(at+1, "?") {
				at++
			}
			if t.IsWord(at+1) && !t.Is(at+2, "(") && (t.Is(at, ".") || t.Is(at, "?")) {
				path, end = append(path, t.List[at+1].Text), at+1
				continue
			}
			if key := at + 1; t.Is(at, "[") && t.Partner[at] == at+2 && t.List[key].Kind == source.String {
				path, end = append(path, strings.Trim(t.List[key].Text, `'"`)), at+2
				continue
			}
			break
		}
		if len(path) > 0 {
			out = append(out, paramRead{path, readAs(t, i, end)})
		}
	}
	return out
}

// conversions are values that functions read from a text.
var conversions = map[string]string{"int": "1", "double": "1", "quantity": "1Gi", "duration": "1h", "timestamp": "2026-01-01T00:00:00Z", "bool": "true"}

// readAs is a value of the type that the tokens from i to end are used as.
func readAs(t *source.Tokens, i, end int) any {
	is := func(at int, words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return t.Is(at, word) })
	}
	if t.Is(i-1, "(") && i > 1 && t.Partner[i-1] == end+1 {
		if value := conversions[t.List[i-2].Text]; value != "" {
			return value
		}
	}
	switch {
	case is(i-1, "in"), t.Is(end+1, ".") && is(end+2, "all", "exists", "exists_one", "map", "filter", "join"):
		return []any{sketchedText}
	case is(i-1, "<", "<=", ">", ">=", "-", "*", "/", "%"), is(end+1, "<", "<=", ">", ">=", "-", "*", "/", "%"):
		return int64(1)
	case is(end+1, "==", "!="):
		return literalAt(t, end+2)
	case is(i-1, "==", "!="):
		return literalAt(t, i-2)
	case is(i-1, "!"), is(end+1, "&&", "||", "?"), is(i-1, "&&", "||") && end == len(t.List)-1:
		return true
	}
	return sketchedText
}

// literalAt is the value of a token that is a literal, and a text for others.
func literalAt(t *source.Tokens, i int) any {
	if i < 0 || i >= len(t.List) {
		return sketchedText
	}
	switch text := t.List[i].Text; {
	case text == "true" || text == "false":
		return text == "true"
	case t.List[i].Kind == source.Number:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case t.List[i].Kind == source.String:
		return strings.Trim(text, `'"`)
	}
	return sketchedText
}
