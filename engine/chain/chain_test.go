package chain

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/match"
)

// The limits are those of semantics §7.5.
func TestWarnings(t *testing.T) {
	long := strings.Repeat("ü", 300)
	var c Chain
	c.Warn("a")
	c.Warn("b")
	c.Warn("a")
	if got := c.Warnings(); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("duplicates: %v", got)
	}
	c.Warn(long)
	if got := c.Warnings()[2]; got != long {
		t.Errorf("a long warning alone is cut to %d runes", len([]rune(got)))
	}
	for i := range 20 {
		c.Warn(strings.Repeat(string(rune('a'+i)), 300))
	}
	total := 0
	for _, w := range c.Warnings() {
		n := len([]rune(w))
		if n > cutWarningRunes {
			t.Errorf("%d runes after the total was exceeded", n)
		}
		total += n
	}
	if total > maxWarningRunes || total < maxWarningRunes-cutWarningRunes {
		t.Errorf("%d runes in all", total)
	}
}

func TestAnnotateKeepsTheFirst(t *testing.T) {
	var c Chain
	c.Annotate("k", "1")
	c.Annotate("k", "2")
	if got := c.AuditAnnotations()["k"]; got != "1" {
		t.Errorf("got %q", got)
	}
}

func TestForbiddenNames(t *testing.T) {
	for _, test := range []struct {
		name, objectName, generateName, want string
	}{
		{"web", "other", "", `pods "web" is forbidden: no`},
		{"", "web", "web-", `pods "web" is forbidden: no`},
		{"", "", "web-", `pods "web-" is forbidden: no`},
		{"", "", "", `pods "Unknown" is forbidden: no`},
	} {
		c := Chain{Attributes: Attributes{Request: match.Request{
			Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Name: test.name,
			Object: map[string]any{"metadata": map[string]any{"name": test.objectName, "generateName": test.generateName}},
		}}}
		if got := c.Forbidden(errors.New("no")).ErrStatus; got.Message != test.want || got.Code != 403 {
			t.Errorf("%+v: %d %s", test, got.Code, got.Message)
		}
	}
}

// Semantics §6.7.
func TestReinvocation(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"n": int64(1)}}
	var r Reinvocation
	r.Begin(false, object)
	r.Invoked("a")
	r.End(object)
	r.Begin(true, object)
	if r.Due("a") {
		t.Error("nothing changed after a")
	}
	r.Invoked("a")
	r.Begin(true, map[string]any{"spec": map[string]any{"n": int64(2)}})
	if !r.Due("a") {
		t.Error("somebody else changed the object after a")
	}
	r.Require()
	if r.Due("b") {
		t.Error("b was never invoked")
	}
	r.Invoked("b")
	r.Require()
	if !r.Due("a") || !r.Due("b") {
		t.Error("what is due stays due")
	}
}

func TestSemanticEqual(t *testing.T) {
	a := map[string]any{"spec": map[string]any{}, "l": []any{}, "v": int64(1)}
	b := map[string]any{"v": int64(1), "l": nil}
	if !SemanticEqual(a, b) || SemanticEqual(a, map[string]any{"v": int64(2)}) || !SemanticEqual(nil, nil) {
		t.Error("empty and absent are the same, and nothing else")
	}
}
