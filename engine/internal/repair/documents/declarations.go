package documents

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

var undefinedField = lazy.Regexp{Text: `^undefined field '([^']+)'`}

// Declarations returns repairs of an expression outside it, where what it reads is
// declared: a variable that comes later in the list, params without a kind. field is the path of the
// expression, and params says that expressions at this place can have params.
func (m Document) Declarations(field string, params bool, message string) []diag.Fix {
	if name := hints.Undeclared(message); name == "params" && params && !m.Has("spec.paramKind") {
		// No other kind has these fields; fields of another name say nothing of the kind.
		if expression := m.text(field); !strings.Contains(expression, "params.data") && !strings.Contains(expression, "params.?data") {
			return nil
		}
		return Fix("Say that the params are ConfigMaps", m.ToInsert("spec", "paramKind", "{apiVersion: v1, kind: ConfigMap}"))
	}
	found := undefinedField.FindStringSubmatch(message)
	steps := fieldpath.Parse(field)
	if found == nil || len(steps) < 3 || steps[:2].String() != "spec.variables" {
		return nil
	}
	reader, err := strconv.Atoi(steps[2].Name())
	if err != nil {
		return nil
	}
	list, _ := m.value("spec.variables").([]any)
	for i := reader + 1; i < len(list); i++ {
		variable, _ := list[i].(map[string]any)
		if variable["name"] != found[1] {
			continue
		}
		if edits, ok := m.MoveItem("spec.variables", i, reader); ok {
			return []diag.Fix{{Title: fmt.Sprintf("Declare %s first", found[1]), Edits: edits}}
		}
	}
	return nil
}
