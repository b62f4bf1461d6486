package noeffect

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// unchanged says of each mutation that was applied and changed nothing why, in a note with what to do. It reports one
// that repeats an earlier mutation of the request, with the repair. The second pass finds its own values: it is left
// out.
func (r *Run) unchanged(step int, doc *scenario.Document) {
	s := &r.Report.Steps[step]
	for i := range s.Mutations {
		m := &s.Mutations[i]
		if s.Pass > 0 || !m.Applied || m.Error != "" || len(m.Diff) > 0 {
			continue
		}
		text, earlier := "", ""
		switch result := m.Result.(type) {
		case []any:
			text, earlier = r.patchedNothing(step, i, result)
		case map[string]any:
			text, earlier = r.mergedNothing(step, i, result)
		}
		if own := fieldpath.Parse(m.Path).Parent().Parent().String(); earlier != "" && len(s.Mutations) > 1 {
			edit, ok := doc.Remove(own)
			r.add(doc, codes.NoChange, m.Path, m.Span, "the mutation changes nothing: "+earlier+" sets the same value", text, fix("Remove the mutation", edit, ok))
		} else if text != "" {
			m.Notes = append(m.Notes, report.Note{Code: codes.NoChange, Text: text})
		}
	}
}

// patchedNothing is why the operations of a JSON patch changed nothing, and the earlier mutation that is equal.
func (r *Run) patchedNothing(step, mutation int, operations []any) (text, earlier string) {
	if len(operations) == 0 {
		return emptyPatch(&r.Report.Steps[step].Mutations[mutation].Evaluation), ""
	}
	for _, item := range operations {
		operation, _ := item.(map[string]any)
		path, _ := operation["path"].(string)
		at := fieldpath.FromPointer(path)
		if _, kept := at.Get(r.Report.Steps[step].Mutations[mutation].After); operation["op"] == "remove" && kept {
			return "The server sets a missing " + at.String() + " to its default after each mutation, so no mutation can remove it. Set the value that you want instead.", ""
		}
		if operation["op"] != "add" && operation["op"] != "replace" {
			continue
		}
		before := r.Report.Steps[step].Mutations[mutation].Before
		if has, ok := valueAt(before, fieldpath.Pointer(path)); ok && reflect.DeepEqual(has, operation["value"]) {
			return r.hasAlready(step, mutation, at.String(), path, has)
		}
	}
	return "", "" // what the server drops has a problem of its own
}

// emptyPatch is why an expression returned an empty patch: for a choice, the result of its condition.
func emptyPatch(e *report.Evaluation) string {
	why := "The expression returns an empty patch for this object"
	if source := []rune(e.Expression); len(e.Children) > 0 && e.Children[0].Kind == "ternary" {
		if asked := &e.Children[0].Children[0]; asked.Start >= 0 && asked.End <= len(source) && asked.End-asked.Start <= mostShown {
			why += fmt.Sprintf(", because %s is %v", string(source[asked.Start:asked.End]), asked.Value)
		}
	}
	return why + ". A match condition keeps the policy from running for such objects."
}

// mergedNothing is why an apply configuration changed nothing, and the earlier mutation that is equal.
func (r *Run) mergedNothing(step, mutation int, configuration map[string]any) (text, earlier string) {
	leaves := leavesOf("", configuration)
	if len(leaves) == 0 {
		return "The configuration sets no value: empty maps change nothing. An ApplyConfiguration cannot remove fields. Use a JSONPatch with op remove.", ""
	}
	before := r.Report.Steps[step].Mutations[mutation].Before
	for _, pointer := range leaves {
		wants, _ := valueAt(configuration, fieldpath.Pointer(pointer))
		has, ok := valueAt(before, fieldpath.Pointer(pointer))
		switch _, list := wants.([]any); {
		case list:
			return fmt.Sprintf("The object has these items of %s already. An ApplyConfiguration merges lists by their keys and removes nothing. Use a JSONPatch to remove items.", report.FieldPath(pointer)), ""
		case !ok || !reflect.DeepEqual(has, wants):
			return fmt.Sprintf("The server drops %s at %s, or writes it in another form. Set a value that the object does not have.", short(wants), report.FieldPath(pointer)), ""
		}
	}
	value, _ := valueAt(before, fieldpath.Pointer(leaves[0]))
	return r.hasAlready(step, mutation, report.FieldPath(leaves[0]), leaves[0], value)
}

// hasAlready says that the object has a value, and which earlier mutation of this request set it.
func (r *Run) hasAlready(step, mutation int, field, pointer string, value any) (text, earlier string) {
	text = fmt.Sprintf("The object has the value already: %s is %s", field, short(value))
	for i := range r.Report.Steps[:step+1] {
		s := &r.Report.Steps[i]
		for j := range s.Mutations {
			if i == step && j >= mutation {
				break
			}
			if slices.ContainsFunc(s.Mutations[j].Diff, func(op report.PatchOperation) bool {
				return op.Path == pointer || strings.HasPrefix(pointer, op.Path+"/")
			}) {
				earlier = fmt.Sprintf("mutation %d of policy %s", j+1, s.Policy)
				return text + ", set by " + earlier + ". The two mutations are equal here. Remove one of them.", earlier
			}
		}
	}
	return text + ". The request, or a default of the server, set it. A match condition can leave such objects out.", ""
}

// leavesOf are the JSON pointers of the values in maps, in their order.
func leavesOf(at string, value any) []string {
	object, ok := value.(map[string]any)
	if !ok {
		return []string{at}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		out = append(out, leavesOf(at+"/"+fieldpath.Escape(name), object[name])...)
	}
	return out
}

// valueAt is a value in maps; lists have no keys here.
func valueAt(value any, steps []string) (any, bool) {
	for _, step := range steps {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[step]; !ok {
			return nil, false
		}
	}
	return value, true
}

// mostShown is how much of a value a note shows, in bytes.
const mostShown = 60

func short(value any) string {
	text, err := json.Marshal(value)
	if err != nil || len(text) > mostShown {
		return "the same"
	}
	return string(text)
}
