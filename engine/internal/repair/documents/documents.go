// Package documents repairs policies, bindings and webhook configurations: fields that the API does
// not have, values that it rejects, and references between documents that lead nowhere. Installation
// reports the problems, and gets the most likely fix first.
package documents

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// An Edit returns one edit of a fix. It is false if the text has no place for it.
type Edit func() (diag.Edit, bool)

// Fix returns a fix of edits, or none if one of them cannot be made.
func Fix(title string, edits ...Edit) []diag.Fix {
	fix := diag.Fix{Title: title}
	for _, make := range edits {
		e, ok := make()
		if !ok {
			return nil
		}
		fix.Edits = append(fix.Edits, e)
	}
	return []diag.Fix{fix}
}

// Set is the documents that a server gets.
type Set struct {
	Documents []*scenario.Document
	Version   version.Version
	// RuntimeConfig are the API versions that --runtime-config switches on.
	RuntimeConfig []string
	// Resources are those that the server knows.
	Resources []catalog.Resource
}

// Document is one document of a set. Its methods return fixes.
type Document struct {
	*scenario.Document
	in *Set
}

// Of returns a document with its fixes.
func (in *Set) Of(d *scenario.Document) Document { return Document{d, in} }

// ToRewrite returns the edit that gives a field another value.
func (m Document) ToRewrite(path, value string) Edit {
	return func() (diag.Edit, bool) { return m.Rewrite(path, value) }
}

// ToInsert returns the edit that adds a field to a mapping.
func (m Document) ToInsert(parent, name, value string) Edit {
	return func() (diag.Edit, bool) { return m.Insert(parent, name, value) }
}

// ToRename returns the edit that gives a field another name.
func (m Document) ToRename(path, name string) Edit {
	return func() (diag.Edit, bool) { return m.Rename(path, name) }
}

// ToRemove returns the edit that removes a field or an item of a list.
func (m Document) ToRemove(path string) Edit {
	return func() (diag.Edit, bool) { return m.Remove(path) }
}

// set writes a field, whether it is there or not.
func (m Document) set(path, value string) Edit {
	return func() (diag.Edit, bool) {
		if m.Has(path) {
			if strings.HasPrefix(value, "\n") { // lines that are indented as far as the key
				value = strings.ReplaceAll(value, "\n", "\n"+strings.Repeat(" ", m.KeyColumn(path)))
			}
			return m.Rewrite(path, value)
		}
		steps := fieldpath.Parse(path)
		if parent := steps.Parent(); len(parent) > 0 && !m.Has(parent.String()) && !parent[len(parent)-1].IsIndex() {
			return m.Insert(parent.Parent().String(), parent.Last(), "{"+steps.Last()+": "+value+"}")
		}
		return m.Insert(steps.Parent().String(), steps.Last(), value)
	}
}

// value is what the text has at a path, nil when it has nothing.
func (m Document) value(path string) any {
	v, _ := fieldpath.Parse(path).Get(m.Value)
	return v
}

func (m Document) text(path string) string {
	s, _ := m.value(path).(string)
	return s
}

// Problem returns the fixes of a field error with a code. options are the values that the server
// would accept, if it lists them.
func (m Document) Problem(code string, err *field.Error, path string, options []string) []diag.Fix {
	switch {
	case err.Type == field.ErrorTypeRequired && code == codes.RequiredValue:
		return m.required(path, options)
	case err.Type == field.ErrorTypeNotSupported:
		return m.unsupported(path, fmt.Sprint(err.BadValue), options)
	case err.Type == field.ErrorTypeDuplicate:
		return m.duplicate(path)
	}
	switch code {
	case codes.ConflictingActions:
		return m.conflictingActions(path)
	case codes.InvalidName:
		return m.invalidName(path)
	case codes.InvalidVariableName:
		return m.invalidVariable(path)
	case codes.InvalidRule:
		return m.invalidRule(path)
	case codes.InvalidParamRef:
		return m.invalidParamRef(path)
	case codes.InvalidParamKind:
		return m.invalidParamKind(path)
	case codes.InvalidTimeout:
		return m.invalidTimeout(path)
	case codes.InvalidMessage:
		return m.invalidMessage(path)
	case codes.InvalidSelector:
		return m.invalidSelector(path)
	case codes.ReviewVersions:
		return Fix("Change to [v1]", m.ToRewrite(strings.TrimRight(strings.SplitN(path, "admissionReviewVersions", 2)[0], ".")+".admissionReviewVersions", "[v1]"))
	case codes.WebhookURL:
		return m.webhookURL(path)
	case codes.WebhookService:
		return m.webhookService(path)
	case codes.MutationBody:
		return m.mutationBody(path)
	}
	return nil
}
