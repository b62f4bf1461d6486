package noeffect

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// mutations reports patches that change nothing because the server drops the value that they set.
func (r *Run) mutations(s *report.Step, doc *scenario.Document) {
	for i := range s.Mutations {
		m := &s.Mutations[i]
		operations, _ := m.Result.([]any)
		if m.Error != "" || len(m.Diff) > 0 || m.PatchType != "JSONPatch" {
			continue
		}
		for _, item := range operations {
			operation, _ := item.(map[string]any)
			path, _ := operation["path"].(string)
			what := zero(operation["value"])
			if operation["op"] != "add" && operation["op"] != "replace" || what == "" {
				continue
			}
			own := fieldpath.Parse(m.Path).Parent().Parent().String()
			edit, ok := doc.Remove(own)
			r.add(doc, codes.NoChange, m.Path, m.Span,
				fmt.Sprintf("the mutation changes nothing: the server drops %s at %s", what, path),
				"After each mutation the server reads the object again, and leaves out fields without a value. A later patch does not find the field. Set the first items in the patch that creates the field.",
				fix("Remove the mutation", edit, ok && len(s.Mutations) > 1))
		}
	}
}

// zero names a value that is the same to the server as none; empty for others.
func zero(value any) string {
	switch v := value.(type) {
	case []any:
		if len(v) == 0 {
			return "the empty list"
		}
	case map[string]any:
		if len(v) == 0 {
			return "the empty map"
		}
	case string:
		if v == "" {
			return "the empty text"
		}
	case bool:
		if !v {
			return "false"
		}
	case int64:
		if v == 0 {
			return "0"
		}
	case float64:
		if v == 0 {
			return "0"
		}
	}
	return ""
}
