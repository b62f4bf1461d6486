package diag_test

import (
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

func TestApply(t *testing.T) {
	edit := func(start, end int, text string) diag.Edit {
		return diag.Edit{Text: diag.Request, Span: diag.Span{Start: start, End: end}, New: text}
	}
	for _, c := range []struct {
		name  string
		edits []diag.Edit
		want  string // empty for an error
	}{
		{"one", []diag.Edit{edit(2, 4, "XYZ")}, "abXYZef"},
		{"two, in any order", []diag.Edit{edit(0, 1, "AA"), edit(5, 6, "")}, "AAbcde"},
		{"two, the last first", []diag.Edit{edit(5, 6, ""), edit(0, 1, "AA")}, "AAbcde"},
		{"neighbours", []diag.Edit{edit(0, 2, "x"), edit(2, 4, "y")}, "xyef"},
		{"around", []diag.Edit{edit(0, 0, "("), edit(6, 6, ")")}, "(abcdef)"},
		{"in front of what is replaced", []diag.Edit{edit(2, 2, "+"), edit(2, 3, "C")}, "ab+Cdef"},
		{"of another text", []diag.Edit{{Text: diag.Cluster, Span: diag.Span{Start: 900, End: 901}}}, "abcdef"},
		{"overlapping", []diag.Edit{edit(0, 3, "x"), edit(2, 4, "y")}, ""},
		{"one place twice", []diag.Edit{edit(2, 2, "x"), edit(2, 2, "y")}, ""},
		{"behind the end", []diag.Edit{edit(6, 7, "x")}, ""},
		{"backwards", []diag.Edit{edit(3, 2, "x")}, ""},
		{"before the beginning", []diag.Edit{edit(-1, 2, "x")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := diag.Fix{Edits: c.edits}.Apply(diag.Request, "abcdef")
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// A diagnostic may have text changes that repair it.
func ExampleFix_Apply() {
	fix := diag.Fix{Title: "Change to failurePolicy", Edits: []diag.Edit{
		{Text: diag.Policies, Span: diag.Span{Start: 2, End: 14}, New: "failurePolicy"},
	}}
	text, err := fix.Apply(diag.Policies, "  failurePolcy: Ignore")
	fmt.Println(text, err)
	// Output:   failurePolicy: Ignore <nil>
}
