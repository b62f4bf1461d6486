package install

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A repair is offered only where a mistake has an answer that its writer most
// likely meant. The first fix of a diagnostic is that answer.

// fixed makes a fix of edits; each edit says itself whether it can be made.
func fixed(title string, edits ...func() (diag.Edit, bool)) []diag.Fix {
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

// mender repairs one document.
type mender struct {
	*scenario.Document
	in *installer
}

func (m mender) rewrite(path, value string) func() (diag.Edit, bool) {
	return func() (diag.Edit, bool) { return m.Rewrite(path, value) }
}

func (m mender) insert(parent, name, value string) func() (diag.Edit, bool) {
	return func() (diag.Edit, bool) { return m.Insert(parent, name, value) }
}

func (m mender) rename(path, name string) func() (diag.Edit, bool) {
	return func() (diag.Edit, bool) { return m.Rename(path, name) }
}

func (m mender) remove(path string) func() (diag.Edit, bool) {
	return func() (diag.Edit, bool) { return m.Remove(path) }
}

// set writes a field, whether it is there or not.
func (m mender) set(path, value string) func() (diag.Edit, bool) {
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
func (m mender) value(path string) any {
	v, _ := fieldpath.Parse(path).Get(m.Value)
	return v
}

func (m mender) text(path string) string {
	s, _ := m.value(path).(string)
	return s
}

// repairProblem finds the repairs of a field error.
func (in *installer) repairProblem(d *scenario.Document, p *problem, path string) []diag.Fix {
	m := mender{d, in}
	switch {
	case p.expression != nil:
		return nil // what is wrong within an expression is explained elsewhere
	case p.Type == field.ErrorTypeRequired && p.code == codes.RequiredValue:
		return m.required(path, p.options)
	case p.Type == field.ErrorTypeNotSupported:
		return m.unsupported(path, fmt.Sprint(p.BadValue), p.options)
	case p.Type == field.ErrorTypeDuplicate:
		return m.duplicate(path)
	}
	switch p.code {
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
		return fixed("Change to [v1]", m.rewrite(strings.TrimRight(strings.SplitN(path, "admissionReviewVersions", 2)[0], ".")+".admissionReviewVersions", "[v1]"))
	case codes.WebhookURL:
		return m.webhookURL(path)
	case codes.WebhookService:
		return m.webhookService(path)
	case codes.MutationBody:
		return m.mutationBody(path)
	}
	return nil
}
