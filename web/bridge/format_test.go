package bridge

import "testing"

func TestFormat(t *testing.T) {
	var got string
	callWith(t, "format", FormatParams{Text: "kind:   Pod # it\nmetadata:\n    name: web\n"}, &got)
	if want := "kind: Pod # it\nmetadata:\n  name: web\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
