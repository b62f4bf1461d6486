package lint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// emptyWords are words without a content. A message of nothing else says neither what is wrong nor what is right.
var emptyWords = []string{
	"a", "an", "the", "this", "that", "these", "it", "is", "are", "was", "be", "been", "has", "have", "does", "do", "did", "not",
	"no", "isn't", "aren't", "must", "cannot", "can't", "can", "by", "of", "for", "to", "in", "on", "with", "and", "or", "as", "from",
	"your", "you", "our", "because", "due", "please", "see", "fail", "fails", "failed", "failure", "error", "errors", "invalid",
	"valid", "bad", "wrong", "incorrect", "denied", "deny", "rejected", "reject", "forbidden", "prohibited", "disallowed", "allowed",
	"allow", "permitted", "permission", "violation", "violates", "violated", "violate", "policy", "policies", "rule", "rules",
	"validation", "validations", "validate", "validated", "check", "checks", "checked", "admission", "request", "requests", "object",
	"objects", "resource", "resources", "kind", "configuration", "config", "value", "values", "expression", "message", "operation",
	"action", "access", "something", "anything", "todo", "test", "tbd", "fixme", "compliant", "non-compliant", "compliance",
	"requirement", "requirements", "meet", "match", "passed", "pass", "cluster", "kubernetes",
}

// uselessMessages finds messages that name neither a field nor a value.
func uselessMessages(p *policy) {
	for _, v := range p.validations {
		words := strings.FieldsFunc(strings.ToLower(v.message), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,:;!?\"()", r) })
		if len(words) == 0 || v.messageExpression != nil || slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(emptyWords, word) }) {
			continue
		}
		p.report(p.document, codes.UselessMessage, diag.Info, strings.TrimSuffix(v.path, "expression")+"message", "this message names neither a field nor a value",
			"Say which field is wrong and which values are allowed. Without a message, the server shows the expression's text.")
	}
}
