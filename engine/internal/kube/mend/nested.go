package mend

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// longerName is the one field that is always written whose last word a name is: containerPort for port.
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

// nested moves a field into the one mapping beside it that has a field of the name and is not
// there yet: limits of a container into resources.
func (o Object) nested(steps fieldpath.Path) []diag.Fix {
	t := o.typeOf(steps.Parent())
	if t == nil || t.Kind != catalog.Struct {
		return nil
	}
	var into string
	for _, f := range t.Fields() {
		if f.Type == nil || f.Type.Kind != catalog.Struct || f.Type.Field(steps.Last()) == nil || f.Name == "status" {
			continue
		}
		if _, there := steps.Parent().Child(f.Name).Get(o.Value); there || into != "" {
			return nil
		}
		into = f.Name
	}
	if into == "" {
		return nil
	}
	at := o.in(steps)
	if o.Document.IsJSON() || !o.takes(steps.Parent().Child(into, steps.Last()), o.value(steps)) {
		return nil
	}
	span := o.Document.Locate(at)
	value := o.Document.Source()[span.Start:span.End]
	with := "{" + steps.Last() + ": " + value + "}"
	if _, scalar := o.Document.Scalar(at); !scalar && !o.Document.Brackets(at) {
		text, ok := o.Document.Shifted(at, 2)
		if !ok {
			return nil
		}
		with = steps.Last() + ":\n" + strings.Repeat(" ", o.Document.Column(at)+2) + text
	}
	rename, ok := o.Document.Rename(at, into)
	rewrite, made := o.Document.Rewrite(at, with)
	if !ok || !made {
		return nil
	}
	return o.tried("Move "+steps.Last()+" to "+o.in(steps.Parent().Child(into)), []diag.Edit{rename, rewrite})
}
