package evaluate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// advice says what a reader must know of one of the server's checks of built-in kinds, and offers changes.
type advice struct {
	// of matches the kind, the field without the indexes of items, and the server's text: "Pod spec.containers[].name: Required value".
	of lazy.Regexp
	// says may have $1 to $3, the groups of the text.
	says  string
	fixes []offer
}

// offer is a change of the object in which a field is invalid.
type offer func(a *advised) []proposal

// proposal is a change that may be offered.
type proposal struct {
	title  string
	draft  bool // its value is an example
	change func(object map[string]any)
}

// advised is a cause that advice is given about.
type advised struct {
	sent   objecttext.Object
	path   fieldpath.Path
	value  any // at the path, nil where the text has none
	groups []string
}

// beside is a path next to the field, or of the whole object where it begins with a slash: /spec/replicas.
func (a *advised) beside(name string) fieldpath.Path {
	if below, whole := strings.CutPrefix(name, "/"); whole {
		return fieldpath.New(strings.Split(below, "/")...)
	}
	return a.path.Parent().Child(strings.Split(name, "/")...)
}

// filledValue is a value of the table, a text with $1 to $3 replaced.
func (a *advised) filledValue(value any) any {
	if text, ok := value.(string); ok {
		return a.filled(text)
	}
	return value
}

// filled replaces $1 to $3 by the groups of the server's text.
func (a *advised) filled(text string) string {
	for i := 1; i < len(a.groups); i++ {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), a.groups[i])
	}
	return text
}

// write proposes a value for a field.
func (a *advised) write(at fieldpath.Path, value any, draft bool) []proposal {
	verb := "Set"
	if _, there := at.Get(a.sent.Value); !there {
		verb = "Add"
	}
	return []proposal{{fmt.Sprintf("%s %s: %s", verb, at.Last(), shortened(plain(value))), draft, func(object map[string]any) { at.Set(object, untyped.Copy(value)) }}}
}

// plain is a value as a title shows it: a text without quotes.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return shown(value)
}

// to writes a value into the field.
func to(value any) offer {
	return func(a *advised) []proposal { return a.write(a.path, a.filledValue(value), false) }
}

// example writes a value into the field that the reader is to replace.
func example(value any) offer {
	return func(a *advised) []proposal { return a.write(a.path, a.filledValue(value), true) }
}

// toBeside writes a value into another field.
func toBeside(name string, value any) offer {
	return func(a *advised) []proposal { return a.write(a.beside(name), a.filledValue(value), false) }
}

// by writes what a function makes of the field's text.
func by(f func(text string) string) offer {
	return func(a *advised) []proposal {
		text, ok := a.value.(string)
		if meant := f(text); ok && meant != text && meant != "" {
			return a.write(a.path, meant, false)
		}
		return nil
	}
}

// likeBeside writes the value of another field into the field.
func likeBeside(a *advised) []proposal {
	if other, there := a.beside(a.groups[1]).Get(a.sent.Value); there {
		return a.write(a.path, other, false)
	}
	return nil
}

// named gives the proposals of an offer another title.
func named(title string, of offer) offer {
	return func(a *advised) []proposal {
		all := of(a)
		for i := range all {
			all[i].title = a.filled(title)
		}
		return all
	}
}

// gone removes the field.
func gone(a *advised) []proposal { return a.without(a.path) }

// goneBeside removes another field.
func goneBeside(name string) offer {
	return func(a *advised) []proposal { return a.without(a.beside(a.filled(name))) }
}

func (a *advised) without(at fieldpath.Path) []proposal {
	if _, there := at.Get(a.sent.Value); !there {
		return nil
	}
	return []proposal{{"Remove " + at.Last(), false, func(object map[string]any) { at.Remove(object) }}}
}

// indexOf matches the indexes of items in a path.
var indexOf = lazy.Regexp{Text: `\[\d+\]`}

// advise explains a cause by the table, and adds the changes after which the server no longer reports it.
func (e *Evaluation) advise(d *diag.Diagnostic, cause metav1.StatusCause) bool {
	about := fmt.Sprintf("%s %s: %s", e.Chain.Attributes.Kind.Kind, indexOf.ReplaceAllString(cause.Field, "[]"), cause.Message)
	for i := range advices {
		groups := advices[i].of.FindStringSubmatch(about)
		if groups == nil {
			continue
		}
		sent, ok := e.Sent()
		a := &advised{sent: sent, path: fieldpath.Parse(cause.Field), groups: groups}
		a.value, _ = a.path.Get(sent.Value)
		d.Detail = a.filled(advices[i].says)
		if !ok || len(d.Fixes) > 0 {
			return true
		}
		for _, offer := range advices[i].fixes {
			for _, p := range offer(a) {
				if e.clears(sent, cause, p.change) {
					fixes := sent.Fix(p.title, p.change)
					for i := range fixes {
						fixes[i].Draft = p.draft
					}
					d.Fixes = append(d.Fixes, fixes...)
				}
			}
		}
		return true
	}
	return false
}

// clears reports whether a change of the object ends a cause, and leads to no other one.
func (e *Evaluation) clears(sent objecttext.Object, cause metav1.StatusCause, change func(object map[string]any)) bool {
	after, ok := e.causesAfter(sent, change)
	return ok && !slices.ContainsFunc(after, func(c metav1.StatusCause) bool { return c.Field == cause.Field })
}

// causesAfter are the causes after a change of the object. It is false where they cannot be known, where nothing
// changes, and where one is about a field that has none now.
func (e *Evaluation) causesAfter(sent objecttext.Object, change func(object map[string]any)) ([]metav1.StatusCause, bool) {
	if e.Once || e.Registered == nil {
		return nil, false
	}
	object, _ := untyped.Copy(sent.Value).(map[string]any)
	change(object)
	if reflect.DeepEqual(object, sent.Value) {
		return nil, false
	}
	before, after := e.causes(sent.Value), e.causes(object)
	return after, !slices.ContainsFunc(after, func(c metav1.StatusCause) bool {
		return !slices.ContainsFunc(before, func(b metav1.StatusCause) bool { return b.Field == c.Field })
	})
}
