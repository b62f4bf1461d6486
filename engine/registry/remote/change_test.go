package remote

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/registry"
)

// value returns a random JSON value of at most so many levels.
func value(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n < 2 && depth > 0:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = value(r, depth-1)
		}
		return list
	case n < 6 && depth > 0:
		return object(r, depth)
	}
	return []any{nil, "", "a", int64(1), 1.5, true, map[string]any{}, []any{}, map[string]any(nil), []any(nil)}[r.IntN(10)]
}

func object(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	for range r.IntN(5) {
		out[string(rune('a'+r.IntN(6)))] = value(r, depth-1)
	}
	return out
}

// other changes something in a value, which it may share with the result.
func other(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := untyped.Copy(v).(map[string]any)
		for key := range out {
			if r.IntN(2) == 0 {
				out[key] = other(r, out[key])
			} else if r.IntN(4) == 0 {
				delete(out, key)
			}
		}
		if out != nil && r.IntN(3) == 0 {
			out["new"] = value(r, 2)
		}
		return out
	case []any:
		if len(v) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(v))
			out := untyped.Copy(v).([]any)
			out[i] = other(r, out[i])
			return out
		}
		i, j := r.IntN(len(v)+1), r.IntN(len(v)+1)
		return append(append(untyped.Copy(v[:min(i, j)]).([]any), value(r, 1)), v[max(i, j):]...)
	}
	return value(r, 2)
}

// written is a value as it is behind JSON.
func written(t *testing.T, v any) (out any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var c struct{ V any }
	if err := json.Unmarshal(fmt.Appendf(nil, `{"V": %s}`, text), &c); err != nil {
		t.Fatal(err)
	}
	return c.V
}

// TestChange: a change leads from its first value to its second, also behind JSON, and leaves both alone.
func TestChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		from := value(r, 4)
		to := other(r, from)
		wasFrom, wasTo := untyped.Copy(from), untyped.Copy(to)
		c := between(from, to)
		if c.none() != reflect.DeepEqual(from, to) {
			t.Fatalf("%#v to %#v: the change is %#v", from, to, c)
		}
		got, err := c.applied(from)
		if err != nil || !reflect.DeepEqual(got, to) {
			t.Fatalf("%#v to %#v: %#v, %v", from, to, got, err)
		}
		var sent change
		text, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal(text, &sent)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err = sent.applied(written(t, from)); err != nil || !reflect.DeepEqual(written(t, got), written(t, to)) {
			t.Fatalf("%#v to %#v: %s leads to %#v, %v", from, to, text, got, err)
		}
		if !reflect.DeepEqual(from, wasFrom) || !reflect.DeepEqual(to, wasTo) {
			t.Fatal("a value has been changed")
		}
	}
}

// TestSequence: requests of several kinds in any order, whose objects the caller changes afterwards, reach
// the far side as they are, also if it has forgotten everything or failed in between.
func TestSequence(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var asked registry.Request
	server := Serve(copying{&asked})
	broken := false
	near := New(func(call string) (string, error) {
		if broken {
			return Failure("lost"), nil
		}
		return server.Call(call), nil
	})
	objects := map[string]map[string]any{}
	for i := range 5000 {
		kind := string(rune('A' + r.IntN(slots+2)))
		if objects[kind] == nil {
			objects[kind] = object(r, 4)
		}
		is := other(r, objects[kind]).(map[string]any)
		q := registry.Request{Kind: schema.GroupVersionKind{Kind: kind}, Name: kind, Object: is, Old: objects[kind]}
		if r.IntN(3) == 0 {
			q.Decoded = other(r, is).(map[string]any)
		}
		if r.IntN(50) == 0 {
			server.Forget()
		}
		if broken = r.IntN(40) == 0; broken {
			if _, err := near.Before(q); err == nil {
				t.Fatal("the far side was lost, and nothing was said")
			}
			continue
		}
		answer, err := near.Before(q)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(written(t, asked.Object), written(t, is)) || !reflect.DeepEqual(written(t, asked.Old), written(t, q.Old)) {
			t.Fatalf("call %d: the far side has\n%#v\nfor\n%#v", i, asked.Object, is)
		}
		if want := written(t, q.Decoded); q.Decoded != nil && !reflect.DeepEqual(written(t, is), want) && !reflect.DeepEqual(written(t, asked.Decoded), want) {
			t.Fatalf("call %d: decoded\n%#v\nfor\n%#v", i, asked.Decoded, q.Decoded)
		}
		if want := written(t, answered(is)); !reflect.DeepEqual(written(t, answer.Object), want) {
			t.Fatalf("call %d: the answer is\n%#v\nwant\n%#v", i, answer.Object, want)
		}
		is["changed by the engine"] = int64(i) // the caller's object is the caller's
		delete(is, "a")
		objects[kind] = is
	}
}

// copying answers with part of the request, and something new.
type copying struct{ asked *registry.Request }

func (copying) Knows(schema.GroupVersionKind, schema.GroupResource, string) bool { return true }

func (c copying) Before(q registry.Request) (registry.Answer, error) {
	*c.asked = q
	return registry.Answer{Object: answered(q.Object)}, nil
}

func answered(object map[string]any) map[string]any {
	out := map[string]any{"status": map[string]any{"phase": "Pending"}}
	for key, value := range object {
		if key != "b" {
			out[key] = value
		}
	}
	return out
}

// TestOther: a change for another value fails.
func TestOther(t *testing.T) {
	for _, c := range []struct {
		change string
		value  any
	}{
		{`{"fields": {"a": {"to": [1]}}}`, []any{}},
		{`{"items": {"0": {"to": [1]}}}`, map[string]any{}},
		{`{"items": {"0": {"to": [1]}}}`, []any{}},
		{`{"items": {"-1": {"to": [1]}}}`, []any{nil}},
		{`{"spliced": true, "start": 2}`, []any{nil}},
		{`{"spliced": true, "start": -1}`, []any{nil}},
		{`{"spliced": true, "end": -1}`, []any{nil}},
		{`{"spliced": true}`, "a"},
		{`{"gone": ["a"]}`, nil},
	} {
		var change change
		if err := json.Unmarshal([]byte(c.change), &change); err != nil {
			t.Fatal(err)
		}
		if got, err := change.applied(c.value); err == nil {
			t.Errorf("%s on %#v: %#v", c.change, c.value, got)
		}
	}
}

// FuzzCall: no call breaks the far side.
func FuzzCall(f *testing.F) {
	for _, seed := range []string{
		`{"knows": {}}`, `{"before": {"Number": 1, "Objects": {"to": [{"a": 1}]}}}`,
		`{"before": {"Slot": 9}}`, `{"before": {"Last": 1}}`, `{"before": {"Olds": {"items": {"3": {}}}}}`, `{`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, call string) {
		var asked registry.Request
		server := Serve(copying{&asked})
		for range 2 {
			var r reply
			if err := json.Unmarshal([]byte(server.Call(call)), &r); err != nil {
				t.Fatal(err)
			}
		}
	})
}
