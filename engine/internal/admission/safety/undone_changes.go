package safety

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Change is what a step does to one field that is no struct or map.
type Change struct {
	Path     string // a JSON pointer
	Was, Now any    // nil for a field that is absent
}

// Changes returns what a step does to each field. It leaves out items that join or leave a list: their places are no
// names, so another step's change at the same place may be about another item.
func Changes(s *report.Step) []Change {
	var out []Change
	for _, op := range s.Diff {
		last := op.Path[strings.LastIndexByte(op.Path, '/')+1:]
		if _, err := strconv.Atoi(last); err == nil && op.Op != "replace" {
			continue
		}
		was, _ := fieldpath.Lookup(s.Before, op.Path)
		out = fields(out, op.Path, was, op.Value)
	}
	return out
}

// fields adds the changes of all fields at and below a path.
func fields(out []Change, path string, was, now any) []Change {
	old, wasMap := was.(map[string]any)
	added, isMap := now.(map[string]any)
	if !wasMap && !isMap || !wasMap && was != nil || !isMap && now != nil {
		if !diff.Equal(was, now) {
			out = append(out, Change{path, was, now})
		}
		return out
	}
	keys := map[string]bool{}
	for _, of := range []map[string]any{old, added} {
		for key := range of {
			keys[key] = true
		}
	}
	var sorted []string
	for key := range keys {
		sorted = append(sorted, key)
	}
	slices.Sort(sorted)
	for _, key := range sorted {
		out = fields(out, path+"/"+fieldpath.Escape(key), old[key], added[key])
	}
	return out
}

// Undone is a change that another policy or webhook undoes.
type Undone struct {
	First, Last string // the names of both, in the order in which they ran
	Change             // of the last one
}

// Summary says in one line who undoes what.
func (u Undone) Summary() string { return u.Last + " undoes what " + u.First + " does to " + u.Path }

// UndoneChanges finds policies and webhooks that set a field back to what it was before another one
// changed it, once for two of them. A policy may well replace what a built-in plugin chose.
func UndoneChanges(steps []report.Step) []Undone {
	var out []Undone
	latest := map[string]Undone{} // the last change of each field
	for i := range steps {
		by := ""
		if steps[i].OfPolicy() {
			by = cmp.Or(steps[i].Policy, steps[i].Webhook)
		}
		for _, c := range Changes(&steps[i]) {
			before, changed := latest[c.Path]
			latest[c.Path] = Undone{Last: by, Change: c}
			if !changed || by == "" || before.Last == "" || before.Last == by || !diff.Equal(c.Was, before.Now) || !diff.Equal(c.Now, before.Was) {
				continue
			}
			same := func(u Undone) bool {
				return u.First == before.Last && u.Last == by || u.First == by && u.Last == before.Last
			}
			if !slices.ContainsFunc(out, same) {
				out = append(out, Undone{before.Last, by, c})
			}
		}
	}
	return out
}

// undoneChanges reports what UndoneChanges finds in a run, which may be one in another order, and which policy is last.
// Two policies are reported once.
func (e *Run) undoneChanges(in *Run, order string) {
	for _, u := range UndoneChanges(in.Report.Steps) {
		known := func(f report.Finding) bool {
			return f.Code == codes.ChangeUndone && (f.Policy == u.Last && f.Other == u.First || f.Policy == u.First && f.Other == u.Last)
		}
		if slices.ContainsFunc(e.Report.Findings, known) {
			continue
		}
		final, _ := fieldpath.Lookup(in.AfterMutation, u.Path)
		wins := u.First
		if diff.Equal(final, u.Now) {
			wins = u.Last
		}
		e.Report.Findings = append(e.Report.Findings, report.Finding{Code: codes.ChangeUndone, Level: diag.Warning, Policy: u.Last, Other: u.First, Summary: u.Summary(),
			Detail: fmt.Sprintf("%s %s, then %s %s. %s %s is last: at the end of the mutating phase the field is %s. Let one of them decide the field, or exclude each other with match conditions.",
				u.First, does(u.Was), u.Last, does(u.Now), order, wins, valueText(final))})
	}
}

func does(value any) string {
	if value == nil {
		return "removes it"
	}
	return "sets it to " + valueText(value)
}

func valueText(value any) string {
	if value == nil {
		return "absent"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "another value"
	}
	return string(text)
}
