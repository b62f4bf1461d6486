// Package linediff compares two texts line by line, for the page and the command line.
package linediff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Context is the number of unchanged lines around a change.
const Context = 3

// Of returns the hunks in which two texts differ, with Context lines around each change; none if
// equal. A final line feed makes no difference. The names are for the text form's header.
func Of(beforeName, before, afterName, after string) udiff.UnifiedDiff {
	before, after = ended(before), ended(after)
	// Errors would come from edits that do not fit the text; these are its own.
	diff, err := udiff.ToUnifiedDiff(beforeName, afterName, before, udiff.Lines(before, after), Context)
	if err != nil {
		panic(err)
	}
	return diff
}

func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
