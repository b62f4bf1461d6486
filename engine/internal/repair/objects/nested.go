package objects

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// longerName returns the only required field whose last word is a name: containerPort for port.
func longerName(t *catalog.Type, names []string, got string) (best string, ok bool) {
	if got == "" {
		return "", false
	}
	word := strings.ToUpper(got[:1]) + got[1:]
	for _, name := range names {
		if f := t.Field(name); f == nil || f.OmitEmpty || !strings.HasSuffix(name, word) {
			continue
		}
		if ok {
			return "", false
		}
		best, ok = name, true
	}
	return best, ok
}

// nested moves a field, and neighbours that do not exist there either, into the missing mapping
// that accepts all of them: limits of a container into resources, a probe's path and port into
// httpGet. There are two fixes if two mappings accept equally many: a ConfigMap's or a Secret's
// name.
func (o Object) nested(steps fieldpath.Path) []diag.Fix {
	parent := steps.Parent()
	t := o.typeOf(parent)
	if t == nil || t.Kind != catalog.Struct || o.Document.IsJSON() {
		return nil
	}
	var ways []string
	var names []string
	for _, f := range t.Fields() {
		if f.Type == nil || f.Type.Kind != catalog.Struct || f.Type.Field(steps.Last()) == nil || f.Name == "status" {
			continue
		}
		if _, there := parent.Child(f.Name).Get(o.Value); there {
			return nil
		}
		fits := func(name string, value any) bool {
			field := f.Type.Field(name)
			return field != nil && len(wrongTypes(field.Type, value, nil)) == 0
		}
		with := o.companions(steps, fits)
		switch {
		case !fits(steps.Last(), o.value(steps)):
		case len(with) > len(names):
			ways, names = []string{f.Name}, with
		case len(with) == len(names):
			ways = append(ways, f.Name)
		}
	}
	if len(ways) > 2 {
		return nil // equally likely
	}
	var fixes []diag.Fix
	for _, into := range ways {
		fixes = append(fixes, o.intoNested(steps, into, names)...)
	}
	return fixes
}

// intoNested moves fields into a missing mapping.
func (o Object) intoNested(steps fieldpath.Path, into string, names []string) []diag.Fix {
	parent := steps.Parent()
	at := o.in(steps)
	_, scalar := o.Document.Scalar(at)
	if o.Document.Brackets(o.in(parent)) && len(parent) > 0 || len(names) == 1 && (scalar || o.Document.Brackets(at)) {
		if len(names) > 1 {
			return nil
		}
		span := o.Document.Locate(at)
		rename, ok := o.Document.Rename(at, into)
		rewrite, made := o.Document.Rewrite(at, "{"+steps.Last()+": "+o.Document.Source()[span.Start:span.End]+"}")
		if !ok || !made {
			return nil
		}
		return o.tried("Move "+steps.Last()+" to "+o.in(parent.Child(into)), []diag.Edit{rename, rewrite})
	}
	return o.around(parent, []string{into}, names)
}
