package diag_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

var (
	broken  = diag.Diagnostic{Code: "cel-compile", Severity: diag.Error, Text: diag.Policies, Line: 9, Column: 17, Summary: "undeclared reference to 'objekt'"}
	missing = diag.Diagnostic{Code: "required-value", Severity: diag.Error, Text: diag.Policies, File: "limits.yaml", Line: 3, Column: 1, Summary: "spec.validations is required"}
	unbound = diag.Diagnostic{Code: "policy-without-binding", Severity: diag.Warning, Text: diag.Policies, Summary: "no binding names the policy"}
)

func TestDiagnostics(t *testing.T) {
	for _, c := range []struct {
		name    string
		list    diag.Diagnostics
		errors  bool
		message string
		lines   string
	}{
		{"nothing", nil, false, "no problems", ""},
		{"a warning", diag.Diagnostics{unbound}, false,
			"policies: warning: no binding names the policy [policy-without-binding]",
			"policies: warning: no binding names the policy [policy-without-binding]"},
		{"two warnings", diag.Diagnostics{unbound, unbound}, false,
			"policies: warning: no binding names the policy [policy-without-binding] (and 1 more problem)",
			"policies: warning: no binding names the policy [policy-without-binding]\npolicies: warning: no binding names the policy [policy-without-binding]"},
		{"an error behind a warning", diag.Diagnostics{unbound, broken}, true,
			"policies:9:17: error: undeclared reference to 'objekt' [cel-compile]",
			"policies: warning: no binding names the policy [policy-without-binding]\npolicies:9:17: error: undeclared reference to 'objekt' [cel-compile]"},
		{"three errors", diag.Diagnostics{missing, unbound, broken, broken}, true,
			"limits.yaml:3:1: error: spec.validations is required [required-value] (and 2 more errors)",
			"limits.yaml:3:1: error: spec.validations is required [required-value]\npolicies: warning: no binding names the policy [policy-without-binding]\n" +
				"policies:9:17: error: undeclared reference to 'objekt' [cel-compile]\npolicies:9:17: error: undeclared reference to 'objekt' [cel-compile]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.list.HasErrors(); got != c.errors {
				t.Errorf("HasErrors is %v", got)
			}
			if got := c.list.Error(); got != c.message {
				t.Errorf("got the error\n%s\nwant\n%s", got, c.message)
			}
			if got := c.list.String(); got != c.lines {
				t.Errorf("got\n%s\nwant\n%s", got, c.lines)
			}
			if err := c.list.Err(); (err != nil) != c.errors {
				t.Errorf("Err is %v", err)
			}
		})
	}
}

// TestDiagnosticsAreAnError: errors.As returns the list from an error that wraps it.
func TestDiagnosticsAreAnError(t *testing.T) {
	err := fmt.Errorf("compiling: %w", diag.Diagnostics{unbound, broken}.Err())
	list, ok := errors.AsType[diag.Diagnostics](err)
	if !ok || len(list) != 2 {
		t.Errorf("got %v, %v", list, ok)
	}
}

// TestJSON: the list's type does not change its JSON.
func TestJSON(t *testing.T) {
	list := []diag.Diagnostic{missing, unbound}
	want, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(diag.Diagnostics(list))
	if err != nil || string(got) != string(want) {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// A function can return a list of problems as an error.
func ExampleDiagnostics() {
	check := func() error {
		diags := diag.Diagnostics{
			{Code: "policy-without-binding", Severity: diag.Warning, Text: diag.Policies, Line: 1, Column: 1, Summary: "no binding names the policy"},
			{Code: "cel-compile", Severity: diag.Error, Text: diag.Policies, Line: 9, Column: 17, Summary: "undeclared reference to 'objekt'"},
		}
		if diags.HasErrors() {
			return diags
		}
		return nil
	}
	err := check()
	fmt.Println(err)
	if diags, ok := errors.AsType[diag.Diagnostics](err); ok {
		fmt.Println(diags.String())
	}
	// Output:
	// policies:9:17: error: undeclared reference to 'objekt' [cel-compile]
	// policies:1:1: warning: no binding names the policy [policy-without-binding]
	// policies:9:17: error: undeclared reference to 'objekt' [cel-compile]
}
