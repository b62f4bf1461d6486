package typecheck

import (
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestStoredData: what reads a key of stringData can read it of data. A policy about the field itself cannot: every
// Secret with values has data.
func TestStoredData(t *testing.T) {
	for expression, want := range map[string]string{
		"!has(object.stringData)":                                       "",
		"object.?stringData.orValue({}).size() < 3":                     "",
		"!has(object.stringData) || object.stringData.size() < 3":       "",
		"!has(object.stringData) || !('password' in object.stringData)": "!has(object.data) || !('password' in object.data)",
		"!has(object.stringData) || object.stringData.a == 'b'":         "!has(object.data) || object.data.a == 'Yg=='",
	} {
		text := fmt.Sprintf(header, "Validating", `""`, "secrets") + "  validations:\n  - expression: |\n      " + expression + "\n"
		got := ""
		problems := problemsOf(t, text, "")
		if len(problems) == 0 {
			t.Errorf("%s: nothing found", expression)
		}
		for _, d := range problems {
			for _, fix := range d.Fixes {
				fixed, err := fix.Apply(diag.Policies, text)
				if err != nil {
					t.Fatal(err)
				}
				got = fixed[len(fmt.Sprintf(header, "Validating", `""`, "secrets")):]
			}
		}
		if want != "" {
			want = "  validations:\n  - expression: |\n      " + want + "\n"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}
