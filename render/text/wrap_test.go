package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWrap writes lines and rows for a narrow terminal.
func TestWrap(t *testing.T) {
	long := "object.spec.containers.all(c, variables.prefixes.exists(p, c.image.startsWith(p)))"
	for _, c := range []struct {
		name  string
		width int
		write func(o *out)
		want  string
	}{
		{"a line", 30, func(o *out) { o.linef("  the server denies %s, and says why", o.style(red, "this")) },
			"  the server denies this, and\n    says why\n"},
		{"a word without room", 12, func(o *out) { o.linef("see https://example.org/a/b now") }, "see\n  https://example.org/a/b\n  now\n"},
		{"a line that fits", 30, func(o *out) { o.linef("  DENIED  422") }, "  DENIED  422\n"},
		{"an expression beside the others", 60, func(o *out) { o.table("  ", [][]cell{{{"a", ""}, {"false", red}, {long, ""}}}) },
			"  a  false  object.spec.containers.all(c,\n            variables.prefixes.exists(p,\n            c.image.startsWith(p)))\n"},
		{"an expression below the others", 40, func(o *out) {
			o.table("  ", [][]cell{{{"a validation", ""}, {"false", red}, {long, ""}}})
		},
			"  a validation  false\n    object.spec.containers.all(c,\n    variables.prefixes.exists(p,\n    c.image.startsWith(p)))\n"},
		{"an expression of too many lines", 40, func(o *out) { o.table("", [][]cell{{{"a", ""}, {strings.Repeat(long+" && ", 3), ""}}}) },
			"a  object.spec.containers.all(c,\n   variables.prefixes.exists(p,\n   c.image.startsWith(p))) &&\n   object.spec.containers.all(c, variab…\n"},
	} {
		for _, color := range []bool{false, true} {
			o := Printer{Width: c.width, Wrap: true, Color: color}.out()
			c.write(o)
			got := attribute.ReplaceAllString(finished(o.b.String()), "")
			if got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
			}
			for line := range strings.Lines(got) {
				if utf8.RuneCountInString(line)-1 > c.width && !strings.Contains(line, "://") {
					t.Errorf("%s: too long: %s", c.name, line)
				}
			}
		}
	}
}
