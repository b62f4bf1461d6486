package install

import (
	"fmt"
	"strconv"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

var undefinedField = lazy.Regexp{Text: `^undefined field '([^']+)'`}

// declarations are repairs of an expression outside it, where what it reads is
// declared: a variable that comes later in the list, params without a kind.
func (m mender) declarations(p *problem, message string) []diag.Fix {
	if name := hints.Undeclared(message); name == "params" && p.expression.place.Params && !m.Has("spec.paramKind") {
		return fixed("Say that the params are ConfigMaps", m.insert("spec", "paramKind", "{apiVersion: v1, kind: ConfigMap}"))
	}
	found := undefinedField.FindStringSubmatch(message)
	steps := fieldpath.Parse(p.Field)
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
