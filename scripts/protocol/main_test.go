package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/render/html"
)

var root = filepath.Join("..", "..")

// TestCurrent fails when the page's types are not those of the bridge.
func TestCurrent(t *testing.T) {
	old, err := os.ReadFile(file(root))
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	if want != string(old) {
		t.Error("web/app/protocol.ts is not current: run go run ./scripts/protocol")
	}
}

type base struct {
	A int `json:"a"` // counts
}

type sample struct {
	base
	List    []diag.Span          `json:"list"`
	Perhaps *bool                `json:"perhaps,omitempty"`
	None    *string              `json:"none"`
	Any     map[string]any       `json:"any,omitzero"`
	Parts   map[html.Part]string `json:"parts"`
	Hidden  int                  `json:"-"`
}

func TestFields(t *testing.T) {
	w := newWriter(root)
	src := &source{fields: map[string]string{"sample.List": "Where */ it is."}}
	fields, bases, err := w.fields(reflect.TypeFor[sample](), src)
	if err != nil {
		t.Fatal(err)
	}
	want := "  /** Where * / it is. */\n  list: Span[];\n  perhaps?: boolean;\n  none: string | null;\n" +
		"  any?: Record<string, unknown>;\n  parts: Partial<Record<Part, string>>;\n"
	if fields != want || !reflect.DeepEqual(bases, []string{"base"}) {
		t.Errorf("got %v\n%s\nwant\n%s", bases, fields, want)
	}
}

func TestWhatHasNoRule(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[chan int](), reflect.TypeFor[struct{ A int }](), reflect.TypeFor[map[string]func()]()} {
		if got, err := newWriter(root).name(typ); err == nil {
			t.Errorf("%s: %s", typ, got)
		}
	}
	type Span struct{}
	w := newWriter(root)
	if _, err := w.name(reflect.TypeFor[diag.Span]()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.name(reflect.TypeFor[Span]()); err == nil || !strings.Contains(err.Error(), "one name") {
		t.Errorf("two types of one name: %v", err)
	}
}
