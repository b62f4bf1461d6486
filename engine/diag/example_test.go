package diag_test

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
)

// Columns count characters, not bytes.
func ExampleLineColumn() {
	fmt.Println(diag.LineColumn("name: wörld\nkind: Pod\n", len("name: wör")))
	fmt.Println(diag.LineColumn("name: wörld\nkind: Pod\n", len("name: wörld\nkind: ")))
	// Output:
	// 1 10
	// 2 7
}

// Locate finds lines and columns, and Sort the order in reports.
func ExampleLocate() {
	list := []diag.Diagnostic{
		{Code: "no-name", Severity: diag.Warning, Text: diag.Request, Span: diag.Span{Start: 9, End: 13}, Summary: "the object has no name"},
		{Code: "wrong-type", Severity: diag.Error, Text: diag.Policies, Span: diag.Span{Start: 6, End: 10}, Summary: "not a text"},
	}
	diag.Locate(list, map[diag.Text]string{diag.Policies: "name: true\n", diag.Request: "kind: X\n\nspec: 1\n"})
	diag.Sort(list)
	fmt.Println(diag.Diagnostics(list).String())
	// Output:
	// policies:1:7: error: not a text [wrong-type]
	// request:3:1: warning: the object has no name [no-name]
}

// Changing a clone does not change the original list.
func ExampleClone() {
	list := []diag.Diagnostic{{Fixes: []diag.Fix{{Title: "Change to Pod"}}}}
	diag.Clone(list)[0].Fixes[0].Title = "another"
	fmt.Println(list[0].Fixes[0].Title)
	// Output: Change to Pod
}

// Errors omits warnings, and Err is nil if there are only warnings.
func ExampleDiagnostics_Err() {
	list := diag.Diagnostics{{Code: "no-name", Severity: diag.Warning, Text: diag.Request, Summary: "the object has no name"}}
	fmt.Println(len(list), len(list.Errors()), list.Err())
	// Output: 1 0 <nil>
}
