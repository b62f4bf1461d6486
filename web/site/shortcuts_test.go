package site

import (
	"os"
	"strings"
	"testing"
)

// TestShortcutsAreDocumented compares the page's list with the table in docs/using-the-page.md.
func TestShortcutsAreDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/using-the-page.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| keys | do |\n|---|---|\n")
	for _, s := range shortcuts {
		want.WriteString("| " + s.Keys + " | " + s.Does + " |\n")
	}
	if !strings.Contains(string(raw), want.String()+"\n") {
		t.Errorf("docs/using-the-page.md needs the table\n%s", want.String())
	}
}
