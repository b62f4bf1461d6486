package failures

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
)

// podTemplates are the paths from the spec of a kind to the spec of its Pods, and from that of a CronJob to what holds
// the Pod template in other kinds, with the field that only this kind has.
var podTemplates = []struct {
	field string
	path  []string
}{
	{"template", []string{"template", "spec"}},
	{"jobTemplate", []string{"jobTemplate", "spec", "template", "spec"}},
	{"jobTemplate", []string{"jobTemplate", "spec"}},
}

// ReadTemplate is the title of the repair that reads each kind where it has the field.
const ReadTemplate = "Read the Pod template where the object has one"

// inTemplate reads a field of a Pod from the Pod template, which kinds that create Pods have it in.
// A policy for both reads it where the object has it.
func inTemplate(s *rewrite.Source, n *node) (diag.Fix, bool) {
	on := n.children[0]
	spec, known := on.Value.(map[string]any)
	if n.Kind != "select" || !known {
		return diag.Fix{}, false
	}
	for _, t := range podTemplates {
		inner, path := any(spec), string(s.Runes[on.Start:on.End])
		for _, step := range t.path {
			fields, _ := inner.(map[string]any)
			inner, path = fields[step], path+"."+step
		}
		if fields, _ := inner.(map[string]any); fields[n.Name] == nil {
			continue
		}
		text := string(s.Runes[on.Start:on.End])
		with := "(has(" + text + "." + t.field + ") ? " + path + " : " + text + ")"
		var changes []rewrite.Change
		top := n
		for top.parent != nil {
			top = top.parent
		}
		seen := map[int]bool{}
		top.walk(func(other *node) {
			if other.Kind != "select" || len(other.children) == 0 || string(s.Runes[other.children[0].Start:other.children[0].End]) != text || seen[other.Start] {
				return
			}
			if _, own := spec[other.Name]; !own {
				seen[other.Start] = true
				changes = append(changes, rewrite.Replace(other.children[0].Start, other.children[0].End, with))
			}
		})
		return s.Fix(ReadTemplate, changes...), true
	}
	return diag.Fix{}, false
}
