package diag

import (
	"fmt"
	"strings"
)

// Diagnostics is a list of problems. It is an error, so that a function can return the list itself:
//
//	if diags.HasErrors() {
//		return diags
//	}
//
// In an error variable, even an empty list or one without errors is not nil; Err returns a nil
// error for it.
type Diagnostics []Diagnostic

// HasErrors reports whether any of them is an error in a text.
func (list Diagnostics) HasErrors() bool { return HasErrors(list) }

// Errors returns the errors in a text, in order.
func (list Diagnostics) Errors() Diagnostics {
	var out Diagnostics
	for _, d := range list {
		if d.Wrong() {
			out = append(out, d)
		}
	}
	return out
}

// Err returns the list as an error if it has errors, and nil if not.
func (list Diagnostics) Err() error {
	if !list.HasErrors() {
		return nil
	}
	return list
}

// Error returns one line: the first error and the number of others. It mentions warnings only if
// there is no error.
func (list Diagnostics) Error() string {
	shown, kind := list.Errors(), "errors"
	if len(shown) == 0 {
		shown, kind = list, "problems"
	}
	switch len(shown) {
	case 0:
		return "no problems"
	case 1:
		return shown[0].String()
	case 2:
		kind = strings.TrimSuffix(kind, "s")
	}
	return fmt.Sprintf("%s (and %d more %s)", shown[0], len(shown)-1, kind)
}

// String returns one line per problem, without details.
func (list Diagnostics) String() string {
	var lines []string
	for _, d := range list {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// String returns one line as compilers print it: PLACE:LINE:COLUMN: severity: summary [code]. The
// place is the file, or else the text's name. Line and column are present after Locate.
func (d Diagnostic) String() string {
	var b strings.Builder
	if place := d.place(); place != "" {
		b.WriteString(place + ": ")
	}
	fmt.Fprintf(&b, "%s: %s", d.Severity, d.Summary)
	if d.Code != "" {
		fmt.Fprintf(&b, " [%s]", d.Code)
	}
	return b.String()
}

func (d Diagnostic) place() string {
	place := d.File
	if place == "" {
		place = string(d.Text)
	}
	if place != "" && d.Line > 0 {
		place += fmt.Sprintf(":%d:%d", d.Line, d.Column)
	}
	return place
}
