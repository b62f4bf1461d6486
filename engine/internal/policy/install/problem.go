package install

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// problem is one field error of the API server, with what is needed to explain
// it and to find its place in the text.
type problem struct {
	*field.Error
	code string
	// at is the path of the place when it is not Error.Field: the server
	// names some fields loosely (no index, the whole map).
	at string
	// key says that the place is the key of at, not its value.
	key bool
	// hint says what to do about it.
	hint string
	// options are the values that would be accepted.
	options []string
	// same says that the problem before it is the same mistake: the server names it twice.
	same bool
	// expression is set when the error is that of an expression.
	expression *failedExpression
}

// failedExpression is an expression that did not compile.
type failedExpression struct {
	compiled *eval.Compiled
	compiler *compiler
	// variables is the number of the compiler's variables that it could see.
	variables int
	place     *model.Place
	// indent is the number of runes that the server trims off the start of
	// the field before it compiles.
	indent int
}

// checker collects the problems of one document, in the order of the server.
type checker struct {
	version      version.Version
	environments *eval.Environments
	document     *scenario.Document
	problems     []*problem
	// kept is what an update may leave as it is; of a creation nothing.
	kept kept
}

func (c *checker) add(code string, e *field.Error) *problem {
	p := &problem{Error: e, code: code}
	c.problems = append(c.problems, p)
	return p
}

func (c *checker) addAll(code string, list field.ErrorList) {
	for _, e := range list {
		c.add(code, e)
	}
}

func (c *checker) required(path *field.Path, detail string) *problem {
	return c.add(codes.RequiredValue, field.Required(path, detail))
}

func (c *checker) invalid(code string, path *field.Path, value any, detail string) *problem {
	return c.add(code, field.Invalid(path, value, detail))
}

func (c *checker) duplicate(path *field.Path, value any) *problem {
	return c.add(codes.DuplicateValue, field.Duplicate(path, value))
}

// oneOf checks a field that has a fixed set of values; supported is in the
// order in which the server lists them.
func oneOf[T ~string](c *checker, path *field.Path, value T, supported []string) *problem {
	if slices.Contains(supported, string(value)) {
		return nil
	}
	p := c.add(codes.UnsupportedValue, field.NotSupported(path, value, supported))
	p.options = supported
	return p
}

// requiredOneOf is oneOf for a field that must be set.
func requiredOneOf[T ~string](c *checker, path *field.Path, value *T, supported []string) {
	if value == nil {
		c.required(path, "")
		return
	}
	oneOf(c, path, *value, supported)
}

// message is the text of the server's answer to a document with field errors:
// each text once, and brackets only round several.
func (c *checker) message(kind, name string) string {
	return fmt.Sprintf("%s.%s %q is invalid: %s", kind, configuration.Group, name, c.errors())
}

// crashes reports whether the server crashes at one of the problems, and so says nothing of
// the others.
func (c *checker) crashes() bool {
	return slices.ContainsFunc(c.problems, func(p *problem) bool { return crash.Is(p.Error) })
}

// errors are the texts of all problems, each once.
func (c *checker) errors() string {
	var texts []string
	seen := map[string]bool{}
	for _, p := range c.problems {
		if t := p.text(c.version); !seen[t] {
			seen[t] = true
			texts = append(texts, t)
		}
	}
	all := strings.Join(texts, ", ")
	if len(texts) > 1 {
		all = "[" + all + "]"
	}
	return all
}

// text is the server's rendering of the error.
func (p *problem) text(v version.Version) string {
	e := *p.Error
	e.Detail = wording(e.Field, e.Detail, v)
	if list, ok := p.BadValue.(fmt.GoStringer); ok && !v.Has(version.JSONLists) {
		return fmt.Sprintf("%s: %s: %#v: %s", e.Field, e.Type, list, e.Detail)
	}
	return e.Error()
}

// rewordings are texts of the server that one of its versions changed.
var rewordings = []struct {
	with  version.Behaviour // has the text of now
	field string            // the end of the field's path; empty for all fields
	now   *lazy.Regexp
	old   string
}{
	{version.LabelKeysInErrors, "", &lazy.Regexp{Text: `a valid label key must consist`}, "a qualified name must consist"},
	{version.LabelKeysInErrors, "", &lazy.Regexp{Text: `(must be no more than \d+) bytes$`}, "$1 characters"},
	{version.ShortFieldErrors, "", &lazy.Regexp{Text: `^must be a valid CEL identifier$`}, "name is not a valid CEL identifier"},
	{version.ShortFieldErrors, ".message", &lazy.Regexp{Text: `^(must be non-empty if specified|must not contain line breaks)$`}, "message $1"},
}

// wording is a text about a field as an older version of the server writes it.
func wording(field, text string, v version.Version) string {
	for _, r := range rewordings {
		if !v.Has(r.with) && strings.HasSuffix(field, r.field) {
			text = r.now.ReplaceAllString(text, r.old)
		}
	}
	return text
}

// goList is a list as a bad value: JSON, or the Go syntax of the type that the
// API server has for it.
type goList[T any] struct {
	items    []T
	typeName string
}

func (l goList[T]) MarshalJSON() ([]byte, error) { return json.Marshal(l.items) }

func (l goList[T]) GoString() string {
	items := make([]string, len(l.items))
	for i, v := range l.items {
		items[i] = fmt.Sprintf("%#v", v)
	}
	return l.typeName + "{" + strings.Join(items, ", ") + "}"
}

func stringList(items []string) goList[string] { return goList[string]{items, "[]string"} }
