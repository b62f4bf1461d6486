package hints

import (
	"errors"
	"regexp/syntax"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/parser"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

// invalidRegex is what the compiler says about a constant that is no regular expression. It
// does not say why.
const invalidRegex = "invalid matches argument"

// regexDetail says why a text in an expression is no regular expression; empty where it is one.
func regexDetail(expression string, issue eval.Issue) string {
	runes := []rune(expression)
	if issue.Start < 0 || issue.Start >= issue.End || issue.End > len(runes) {
		return ""
	}
	p, err := parser.NewParser()
	if err != nil {
		return ""
	}
	read, errs := p.Parse(common.NewTextSource(string(runes[issue.Start:issue.End])))
	if read == nil || len(errs.GetErrors()) > 0 {
		return ""
	}
	text, ok := read.Expr().AsLiteral().Value().(string)
	if !ok {
		return ""
	}
	var wrong *syntax.Error
	if _, err := syntax.Parse(text, syntax.Perl); !errors.As(err, &wrong) {
		return ""
	}
	detail := "The regular expression is broken at " + wrong.Expr + ": " + wrong.Code.String() + "."
	switch wrong.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape:
		detail += " The server uses RE2, which has no lookahead, lookbehind or backreferences. Join several matches() with && and ! instead."
	case syntax.ErrMissingRepeatArgument:
		detail += " A * or + needs something to repeat, such as .*"
	case syntax.ErrInvalidRepeatSize:
		detail += " RE2 repeats at most 1,000 times. Compare size() instead."
	}
	return detail
}
