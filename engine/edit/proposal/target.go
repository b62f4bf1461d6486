package proposal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/scenario"
)

// systemFields are those of metadata that storage sets, whatever a policy says.
var systemFields = []string{"uid", "creationTimestamp", "deletionTimestamp", "generation", "resourceVersion", "managedFields", "selfLink"}

// aim takes the object that is wanted.
func (p *proposer) aim(after map[string]any) error {
	if after == nil {
		return errors.New("the object after the change is missing")
	}
	after = runtime.DeepCopyJSON(after)
	for _, field := range []string{"apiVersion", "kind"} {
		if after[field] == nil {
			after[field] = p.before[field]
		}
		if after[field] != p.before[field] {
			return fmt.Errorf("a policy cannot change %s from %v to %v", field, p.before[field], after[field])
		}
	}
	p.keepSystemFields(after)
	p.wanted = p.complete(after)
	p.target = runtime.DeepCopyJSON(merged(p.kindType, p.before, p.wanted, after).(map[string]any))
	if !p.enough(p.target) {
		p.target = p.wanted
		return nil
	}
	p.shrink(p.kindType, p.before, p.target, nil, new(int))
	return nil
}

// seen is the author's object with what the server's own plugins make of it, as far as they make it of the object
// before the change too: that is what policies see.
func (p *proposer) seen(after map[string]any) map[string]any {
	request := any(after)
	if p.request.Form != "object" {
		docs, _ := scenario.ParseDocuments(diag.Request, p.scenario.Request)
		if len(docs) != 1 {
			return after
		}
		review := runtime.DeepCopyJSON(docs[0].Value)
		body := review
		if inner, ok := review["request"].(map[string]any); ok {
			body = inner
		}
		body["object"], request = after, review
	}
	raw, err := json.Marshal(request)
	if err != nil {
		return after
	}
	s := p.scenario
	s.Request = string(raw)
	r, err := engine.Evaluate(p.ctx, s, engine.Options{})
	if err != nil || r.Input == nil || r.Input["kind"] != p.before["kind"] {
		return after
	}
	return runtime.DeepCopyJSON(merged(p.kindType, p.before, r.Input, after).(map[string]any))
}

// keepSystemFields undoes changes of what only storage sets: an object that is
// copied from a result has been through it.
func (p *proposer) keepSystemFields(after map[string]any) {
	meta, ok := after["metadata"].(map[string]any)
	if !ok {
		return
	}
	old, _ := p.before["metadata"].(map[string]any)
	for _, field := range systemFields {
		keep(meta, old, field)
	}
	resource, known := p.catalog.ResourceForKind(p.kind)
	if _, owned := resource.Subresources["status"]; known && owned && p.request.SubResource == "" && keep(after, p.before, "status") {
		p.notes = append(p.notes, "The status is left as it was: storage sets it.")
	}
}

// keep makes a field what it was and reports whether that changed anything.
func keep(object, old map[string]any, field string) bool {
	value, had := object[field]
	before, has := old[field]
	if has {
		object[field] = runtime.DeepCopyJSONValue(before)
	} else {
		delete(object, field)
	}
	return had && !reflect.DeepEqual(value, before)
}

// enough says that the server makes the wanted object of this one.
func (p *proposer) enough(object map[string]any) bool {
	return reflect.DeepEqual(p.complete(object), p.wanted)
}

// merged is before with what the author of raw changed. wanted is raw as the
// server completes it; what only the server adds is left out.
func merged(t *catalog.Type, before, wanted, raw any) any {
	switch w := wanted.(type) {
	case map[string]any:
		b, ok := before.(map[string]any)
		if !ok {
			break
		}
		r, _ := raw.(map[string]any)
		out := map[string]any{}
		for key, value := range w {
			old, had := b[key]
			written, has := r[key]
			switch {
			case had:
				out[key] = merged(typeOf(t, key), old, value, written)
			case has && written != nil:
				out[key] = written
			}
		}
		return out
	case []any:
		b, ok := before.([]any)
		if !ok {
			break
		}
		r, _ := raw.([]any)
		out := make([]any, len(w))
		for i, item := range w {
			out[i] = item
			if len(r) != len(w) {
				continue
			}
			if old := partner(b, item); old != nil {
				out[i] = merged(elemOf(t), old, item, r[i])
			} else {
				out[i] = r[i]
			}
		}
		return out
	}
	return wanted
}

// identities are the fields by which people know the items of a list.
var identities = []string{"name", "key", "type", "containerPort", "port", "mountPath", "ip", "uid", "id"}

// partner finds the item of a list that another one is a new form of.
func partner(list []any, item any) any {
	for _, old := range list {
		if reflect.DeepEqual(old, item) || sameIdentity(old, item) {
			return old
		}
	}
	return nil
}

func sameIdentity(a, b any) bool {
	am, ok1 := a.(map[string]any)
	bm, ok2 := b.(map[string]any)
	if !ok1 || !ok2 {
		return false
	}
	for _, field := range identities {
		if am[field] != nil || bm[field] != nil {
			return reflect.DeepEqual(am[field], bm[field])
		}
	}
	return false
}

// maxShrinking bounds how many fields are tried to be left out.
const maxShrinking = 200

// shrink leaves out what the server fills in by itself from what is new in the
// target, so that expressions say what their author means. keys are the fields
// that identify a list item; they stay, and with them one more field: emptyDir
// says something in a volume, though it is the default.
func (p *proposer) shrink(t *catalog.Type, before, target map[string]any, keys []string, tries *int) {
	for _, key := range slices.Sorted(maps.Keys(target)) {
		old, had := before[key]
		switch value := target[key].(type) {
		case map[string]any:
			b, _ := old.(map[string]any)
			p.shrink(typeOf(t, key), b, value, nil, tries)
		case []any:
			b, _ := old.([]any)
			for _, item := range value {
				if m, ok := item.(map[string]any); ok {
					o, _ := partner(b, item).(map[string]any)
					p.shrink(elemOf(typeOf(t, key)), o, m, append(mergeKeys(fieldOf(t, key)), identities...), tries)
				}
			}
		}
		if had || slices.Contains(keys, key) || len(keys) > 0 && others(target, keys) < 2 || *tries >= maxShrinking {
			continue
		}
		*tries++
		value := target[key]
		if delete(target, key); !p.enough(p.target) {
			target[key] = value
		}
	}
}

// others counts the fields besides the given ones.
func others(m map[string]any, keys []string) int {
	n := 0
	for key := range m {
		if !slices.Contains(keys, key) {
			n++
		}
	}
	return n
}
