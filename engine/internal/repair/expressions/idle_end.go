package expressions

import (
	"regexp/syntax"
	"strings"
)

// idleEnd is a pattern that ends with a repetition which may be empty, and not with the end of the text: the
// repetition changes nothing, since anything may follow. Its author took the pattern to be for the whole text.
func (d *draft) idleEnd(i int, content string) *Doubt {
	if !d.Is(i-1, "(") || d.Partner[i-1] != i+1 || !d.Is(i-2, "matches") || !d.Is(i-3, ".") || !strings.HasSuffix(content, "]*") {
		return nil
	}
	parsed, err := syntax.Parse(content, syntax.Perl)
	if err != nil || parsed.Op != syntax.OpConcat || len(parsed.Sub) < 2 {
		return nil
	}
	if last := parsed.Sub[len(parsed.Sub)-1]; last.Op != syntax.OpStar || last.Sub[0].Op != syntax.OpCharClass {
		return nil
	}
	return &Doubt{
		Summary:  "the repetition at the pattern's end changes nothing: anything may follow",
		Detail:   "A pattern matches a part of the text. Begin it with ^ and end it with $ to match all of it.",
		Repaired: d.with(edit{d.start(i), d.end(i), d.quoted(i, "^"+strings.TrimPrefix(content, "^")+"$")}),
	}
}
