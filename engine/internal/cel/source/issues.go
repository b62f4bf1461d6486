package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// Limits of cel-go for the text of issues.
const (
	maxIssues  = 100
	maxSnippet = 16384
)

// Failed reports whether an expression has issues, and sorts them by place. Issues.Err would also
// write their text.
func Failed(issues *cel.Issues) bool {
	slices.SortStableFunc(issues.Errors(), func(a, b *cel.Error) int {
		return cmp.Or(cmp.Compare(a.Location.Line(), b.Location.Line()), cmp.Compare(a.Location.Column(), b.Location.Column()))
	})
	return len(issues.Errors()) > 0
}

// Issues is Issues.String for the issues of an expression. cel-go's takes the square of the length
// of a line for each issue, because it adds the dots below it one at a time.
func Issues(expression string, issues *cel.Issues) string {
	if !Failed(issues) {
		return ""
	}
	errs := issues.Errors()
	text := common.NewTextSource(expression)
	var lines []string
	for _, e := range errs[:min(len(errs), maxIssues)] {
		line, column := e.Location.Line(), e.Location.Column()
		out := fmt.Sprintf("ERROR: %s:%d:%d: %s", text.Description(), line, column+1, e.Message)
		if snippet, found := text.Snippet(line); found && len(snippet) <= maxSnippet {
			snippet = strings.ReplaceAll(snippet, "\t", " ")
			out += "\n | " + snippet + "\n | " + pointer([]rune(snippet), column)
		}
		lines = append(lines, out)
	}
	if more := truncated(issues); more != "" {
		lines = append(lines, more)
	}
	return strings.Join(lines, "\n")
}

// pointer is a line with a mark below a character of another one.
func pointer(above []rune, column int) string {
	var out strings.Builder
	column = min(max(column, 0), len(above))
	for _, r := range above[:column] {
		out.WriteString(wide(r, ".", "\uff0e"))
	}
	if column == len(above) {
		return out.String() + "^"
	}
	return out.String() + wide(above[column], "^", "\uff3e")
}

func wide(r rune, narrow, other string) string {
	if r < 0x80 {
		return narrow
	}
	return other
}

// truncated says how many issues cel-go left out, which only its own text has: it is written for
// issues without a place.
func truncated(issues *cel.Issues) string {
	errs := issues.Errors()
	if len(errs) < maxIssues {
		return ""
	}
	kept := slices.Clone(errs)
	defer copy(errs, kept)
	for i := range errs {
		errs[i] = &cel.Error{Location: common.NoLocation}
	}
	lines := strings.Split(issues.String(), "\n")
	if len(lines) > maxIssues {
		return lines[maxIssues]
	}
	return ""
}
