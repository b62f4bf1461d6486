package engine

import (
	"encoding/json"
	"testing"

	"github.com/preadmit/preadmit/engine/diff"
)

func TestSetPointer(t *testing.T) {
	for _, test := range []struct{ before, pointer, value, want string }{
		{`{}`, "/a", `1`, `{"a":1}`},
		{`{}`, "/a/b", `1`, `{"a":{"b":1}}`},
		{`{"a":{"b":1}}`, "/a/b", `2`, `{"a":{"b":2}}`},
		{`{}`, "/l/0", `"x"`, `{"l":["x"]}`},
		{`{"l":["x"]}`, "/l/1", `"y"`, `{"l":["x","y"]}`},
		{`{"l":["x"]}`, "/l/-", `"y"`, `{"l":["x","y"]}`},
		{`{"l":["x"]}`, "/l/0", `"y"`, `{"l":["y"]}`},
		{`{}`, "/l/0/key", `"x"`, `{"l":[{"key":"x"}]}`},
		{`{"data":{}}`, "/data/0", `"x"`, `{"data":{"0":"x"}}`},
		{`{}`, "/a~1b", `1`, `{"a/b":1}`},
		{`{"l":["x"]}`, "/l/5", `"y"`, ``},
		{`{"a":1}`, "/a/b", `1`, ``},
	} {
		var object map[string]any
		var value any
		unmarshal(t, test.before, &object)
		unmarshal(t, test.value, &value)
		ok := setPointer(object, diff.Pointer(test.pointer), value)
		got, _ := json.Marshal(object)
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s at %s: %v %s, want %s", test.before, test.pointer, ok, got, test.want)
		}
	}
}

func TestRemovePointer(t *testing.T) {
	for _, test := range []struct{ before, pointer, want string }{
		{`{"a":1}`, "/a", `{}`},
		{`{"a":{"b":1,"c":2}}`, "/a/b", `{"a":{"c":2}}`},
		{`{"l":[1,2,3]}`, "/l/1", `{"l":[1,3]}`},
		{`{"l":[{"k":1}]}`, "/l/0/k", `{"l":[{}]}`},
		{`{"a":1}`, "/b/c", `{"a":1}`},
		{`{"l":[1]}`, "/l/7", `{"l":[1]}`},
	} {
		var object map[string]any
		unmarshal(t, test.before, &object)
		removePointer(object, diff.Pointer(test.pointer))
		if got, _ := json.Marshal(object); string(got) != test.want {
			t.Errorf("%s without %s: %s, want %s", test.before, test.pointer, got, test.want)
		}
	}
}

// Items of lists have to be set in the order of their indexes.
func TestComparePointers(t *testing.T) {
	if comparePointers("/l/2", "/l/10") >= 0 || comparePointers("/a", "/b") >= 0 || comparePointers("/l/1", "/l/1/k") >= 0 {
		t.Error("wrong order")
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
