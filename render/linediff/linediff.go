// Package linediff compares two texts line by line, for the page and the command
// line alike.
package linediff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Context is the number of unchanged lines around a change.
const Context = 3

// Of are the hunks in which two texts differ, with Context lines around each
// change; none when they are equal. Whether a text ends with a line feed makes no
// difference. The names are those of the header of its text form.
func Of(beforeName, before, afterName, after string) udiff.UnifiedDiff {
	before, after = ended(before), ended(after)
	// An error would be that of edits that do not fit the text; these are its own.
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
