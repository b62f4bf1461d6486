package codes_test

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// A program compares codes with the constants, and may show their documentation.
func ExampleFind() {
	entry, ok := codes.Find(codes.UnescapedKey)
	fmt.Println(ok, entry.Title)
	fmt.Println(entry.Repair)
	_, ok = codes.Find("no-such-code")
	fmt.Println(ok)
	// Output:
	// true A key with a slash in a JSON Patch path
	// Use jsonpatch.escapeKey('example.com/team'), or write ~1 for the slash.
	// false
}

// The groups are the chapters of docs/diagnostics.md.
func ExampleGroups() {
	for _, g := range codes.Groups()[:3] {
		fmt.Printf("%s (%s)\n", g.Title, g.Name)
	}
	// Output:
	// Reading the texts (texts)
	// Files and settings (settings)
	// The request (request)
}

func ExampleAll() {
	for _, e := range codes.All() {
		if strings.HasPrefix(e.Code, "yaml-") {
			fmt.Println(e.Code, e.Severities, e.Repairs)
		}
	}
	// Output:
	// yaml-alias-loop [error] no
	// yaml-key [warning] yes
	// yaml-separator [error] sometimes
	// yaml-syntax [error] sometimes
	// yaml-value [error] no
}
