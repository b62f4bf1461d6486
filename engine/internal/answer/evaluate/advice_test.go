package evaluate

import (
	"reflect"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// TestAdviceValues writes what the table names, with the groups of the server's text, and a text of the object as it is.
func TestAdviceValues(t *testing.T) {
	for name, c := range map[string]struct {
		offer offer
		want  any
	}{
		"a text of the table":  {to("$1Mi"), "64Mi"},
		"a number":             {example(int64(3)), int64(3)},
		"a text of the object": {by(func(text string) string { return text + "!" }), "a$1!"},
	} {
		object := map[string]any{"spec": map[string]any{"a": "a$1"}}
		a := &advised{path: fieldpath.Parse("spec.a"), value: "a$1", groups: []string{"", "64"}}
		a.sent.Value = object
		for _, p := range c.offer(a) {
			p.change(object)
		}
		if got, _ := fieldpath.Parse("spec.a").Get(object); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
