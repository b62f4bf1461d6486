package scenario

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxSeemingDepth is how deep a YAML text may seem to be nested before the YAML
// library is kept from it. The library calls itself for every level and allows
// 10,000; a browser's stack is full after some 4,000, which stops the engine
// where nothing can be recovered.
const maxSeemingDepth = 1500

// TooDeep returns the byte offset from which on a text may be nested too deep for
// the YAML library, or -1. Each open bracket is taken for a level, and each
// column before a line's first value. Those in strings and comments count too, as
// only a parser tells them apart; no manifest has so many.
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

// checkSeemingDepth rejects a document that may be nested too deep to be parsed.
func checkSeemingDepth(s *source) error {
	at := TooDeep(s.src[s.from:s.to])
	if at < 0 {
		return nil
	}
	return &limitError{codes.TooDeep, fmt.Sprintf("brackets and indentation are nested more than %d deep; the document was not read", maxSeemingDepth), s.from + at}
}
