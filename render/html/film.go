package html

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/preadmit/preadmit/engine/report"
)

// frame is the object at one moment during admission.
type frame struct {
	Name   string // short: "sent", or the policy
	Object map[string]any
	// Changed counts the fields that differ from the previous frame.
	Changed int
}

// frames are the object as sent, after defaulting, after each mutation, and as stored. Frames
// without a change are dropped, except the first and the last.
func frames(r *report.Report) []frame {
	var out []frame
	add := func(name string, object map[string]any, always bool) {
		if object == nil {
			return
		}
		f := frame{Name: name, Object: object}
		if len(out) > 0 {
			f.Changed = len(changedFields(out[len(out)-1].Object, object))
		}
		if always || f.Changed > 0 || len(out) == 0 {
			out = append(out, f)
		}
	}
	add("sent", r.Sent, true)
	add("defaulted", r.Input, false)
	for _, s := range r.Steps {
		// Steps without changes are not compared: thousands of webhooks may see the object.
		if len(s.Mutations) == 0 && len(s.Diff) > 0 {
			add(stepName(s), s.After, false)
		}
		for i, m := range s.Mutations {
			name := stepName(s)
			if len(s.Mutations) > 1 {
				name += ", " + label(m.Evaluation, "mutation", i)
			}
			add(name, m.After, false)
		}
	}
	if r.Outcome.Allowed {
		add("stored", r.Object, true)
	} else {
		add("when denied", r.Object, false)
	}
	return out
}

// filmed returns the frames to draw; none if the object is too large to show and compare, because
// finding the changes takes equally long.
func (v View) filmed() []frame {
	if r := v.Report; tooLarge(r.Sent, r.Input, v.after()) {
		return nil
	}
	return frames(v.Report)
}

// words describes a frame and the one before it.
func (f frame) words(first bool) string {
	switch {
	case first:
		return f.Name
	case f.Changed == 1:
		return f.Name + ", 1 field changed"
	}
	return fmt.Sprintf("%s, %d fields changed", f.Name, f.Changed)
}

// setter says what set a field's value.
type setter struct{ Field, By string }

// mostSetters limits the listed fields. Nobody reads more, and 20,000 containers have 100,000 with
// their defaults.
const mostSetters = 1000

// setters returns the fields that differ from the sent object, with the frame that last set each.
func setters(list []frame) []setter {
	by := map[string]string{}
	for i := 1; i < len(list); i++ {
		for _, field := range changedFields(list[i-1].Object, list[i].Object) {
			by[field] = list[i].Name
		}
	}
	var out []setter
	for _, field := range slices.Sorted(maps.Keys(by)) {
		out = append(out, setter{field, by[field]})
	}
	return out
}

// changedFields returns the paths at which two objects differ. A part that only one has is one
// path.
func changedFields(a, b any) []string { return appendChanged(nil, "", a, b) }

// manyKeys is the map size from which maps are first compared as a whole, which is faster: most
// large ones are unchanged.
const manyKeys = 100

func appendChanged(out []string, at string, a, b any) []string {
	switch b := b.(type) {
	case map[string]any:
		if a, ok := a.(map[string]any); ok {
			return appendChangedKeys(out, at, a, b)
		}
	case []any:
		if a, ok := a.([]any); ok && len(a) == len(b) {
			for i := range b {
				out = appendChanged(out, at+"["+strconv.Itoa(i)+"]", a[i], b[i])
			}
			return out
		}
	}
	if equality.Semantic.DeepEqual(a, b) {
		return out
	}
	return append(out, at)
}

func appendChangedKeys(out []string, at string, a, b map[string]any) []string {
	if len(b) >= manyKeys && reflect.DeepEqual(a, b) {
		return out
	}
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		field := k
		if at != "" {
			field = at + "." + k
		}
		old, before := a[k]
		value, after := b[k]
		if before != after {
			out = append(out, field)
			continue
		}
		out = appendChanged(out, field, old, value)
	}
	return out
}

// Compare renders the difference between two frames of the film strip, in strip order. The error
// names a missing frame.
func (v View) Compare(ctx context.Context, from, to int) (string, error) {
	list := frames(v.Report)
	if from < 0 || to < 0 || from >= len(list) || to >= len(list) {
		return "", fmt.Errorf("the object has no states %d and %d", from, to)
	}
	if from > to {
		from, to = to, from
	}
	return text(ctx, frameDiff(list[from], list[to]))
}
