package scenario

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxSeemingDepth limits the apparent nesting of a YAML text. The YAML library recurses once per
// level and allows 10,000. A browser's stack is full at about 4,000, which kills the engine without
// recovery.
const maxSeemingDepth = 1500

// TooDeep returns the byte offset from which a text may be nested too deeply for the YAML library,
// or -1. It counts every open bracket as a level, and every column before a line's first value.
// Those in strings and comments count too, because only a parser can recognise them; no real
// manifest has that many.
func TooDeep(text string) int {
	brackets, column, leading := 0, 0, true
	for at := range len(text) {
		switch c := text[at]; {
		case c == '\n':
			column, leading = 0, true
			continue
		case c == '[' || c == '{':
			brackets++
		case c == ']' || c == '}':
			brackets = max(brackets-1, 0)
		}
		if leading = leading && strings.IndexByte(" -?", text[at]) >= 0; leading {
			column++
		}
		if brackets+column > maxSeemingDepth {
			return at
		}
	}
	return -1
}

// checkSeemingDepth rejects a document that may be nested too deeply to parse.
func checkSeemingDepth(s *source) error {
	at := TooDeep(s.src[s.from:s.to])
	if at < 0 {
		return nil
	}
	return &limitError{codes.TooDeep, fmt.Sprintf("brackets and indentation are nested more than %d deep; the document was not read", maxSeemingDepth), s.from + at}
}
