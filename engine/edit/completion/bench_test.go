package completion

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// BenchmarkComplete prints what one completion costs while one types: the
// environments are there, the text is another one every time.
func BenchmarkComplete(b *testing.B) {
	for name, expression := range map[string]string{
		"global":   "|-\n      " + cursorMark,
		"member":   "object.spec.template.spec." + cursorMark,
		"in macro": "|-\n      object.spec.template.spec.containers.all(c, c.ports.exists(p, p." + cursorMark,
	} {
		s := validation(expression)
		var offset int
		s.Policies, offset = cut(b, s.Policies)
		c := completer(b, "1.37")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Complete(s, diag.Policies, offset); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
