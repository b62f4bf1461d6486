package scenario

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// textKey matches the key of a CEL field or message whose value is on the lines below.
var textKey = lazy.Regexp{Text: `^(\s*(?:- +)*)(?:expression|messageExpression|valueExpression|rule|message):\s*$`}

// blockSign writes >- after the key of a text whose lines are not plain scalars, such as ": "
// within them.
func blockSign(lines []string, i int) []attempt {
	for j := i - 1; j >= max(i-8, 0); j-- {
		text := strings.TrimRight(lines[j], "\r\n")
		if first := strings.TrimLeft(lines[j+1], " "); j+1 < i && blockScalar.MatchString(text) && !looksLikeKey.MatchString(lines[i]) {
			with := strings.Repeat(" ", len(lines[j+1])-len(first)) + strings.TrimLeft(lines[i], " ")
			return []attempt{{"Indent the line like the text before it", i, i + 1, []string{with}}}
		}
		if looksLikeKey.MatchString(lines[j+1]) || strings.HasPrefix(strings.TrimLeft(lines[j+1], " "), "- ") {
			return nil // not text
		}
		if m := textKey.FindStringSubmatch(text); m != nil {
			if column := len(lines[j+1]) - len(strings.TrimLeft(lines[j+1], " ")); column <= len(m[1]) {
				return nil
			}
			return []attempt{{"Write it as a block of text", j, j + 1, []string{strings.TrimRight(text, " ") + " >-\n"}}}
		}
	}
	return nil
}
