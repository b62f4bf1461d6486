package documents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// bindingFields are the fields of a binding that no policy has.
var bindingFields = []string{"policyName", "validationActions", "paramRef", "matchResources"}

// asBinding gives a document with the kind of a policy the kind of its binding, if it names a policy and has nothing that
// a policy must have.
func (m Document) asBinding() []diag.Fix {
	spec, _ := m.value("spec").(map[string]any)
	if !strings.HasSuffix(m.Kind, "AdmissionPolicy") || spec["policyName"] == nil {
		return nil
	}
	for name := range spec {
		if !slices.Contains(bindingFields, name) {
			return nil
		}
	}
	return Fix("Change to "+m.Kind+"Binding", m.ToRewrite("kind", m.Kind+"Binding"))
}

// setBefore reports whether a part of the document that a missing field belongs to is set twice: the part that does not
// count may have the field.
func (m Document) setBefore(path string) bool {
	return slices.ContainsFunc(m.DuplicateKeys(), func(warning string) bool {
		return strings.Contains(warning, fmt.Sprintf("%q", fieldpath.Parse(path)[0].Name()))
	})
}
