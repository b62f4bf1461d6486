package secrets

import (
	"encoding/base64"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// The placeholders. None of them is found again.
const (
	removed       = "REMOVED"
	removedBase64 = "UkVNT1ZFRA==" // of "REMOVED"
	removedToken  = "eyJhbGciOiJub25lIn0.e30.REMOVED"
	removedAWS    = "AKIAIOSFODNN7EXAMPLE" // the one in the documentation of AWS
	removedGitHub = "ghp_REMOVED"
	emptyJSON     = "{}"
	emptyBase64   = "e30=" // of "{}"
	noNumber      = "0"    // for a number in JSON
)

// isPlaceholder reports whether a value is one that was put in the place of another,
// or that only says where one goes: <password>, ${PASSWORD}, {{ .password }}.
func isPlaceholder(value string) bool {
	switch value = strings.TrimSpace(value); value {
	case "", removed, removedBase64, removedToken, removedAWS, removedGitHub, emptyJSON, emptyBase64, noNumber:
		return true
	}
	return strings.HasPrefix(value, "<") || strings.HasPrefix(value, "$(") || strings.HasPrefix(value, "${") || strings.HasPrefix(value, "{{")
}

var (
	// aboutSecrets is what a scenario that deals with Secrets has somewhere.
	aboutSecrets = lazy.Regexp{Text: `\bsecrets\b|["']?\bkind["']?\s*:\s*["']?Secret\b`}
	// secretName is the end of a name whose value is a secret.
	secretName = lazy.Regexp{Text: `(?i)(?:password|passwd|client[-_]?secret|api[-_]?key|secret[-_]?access[-_]?key|(?:auth|access|refresh|id)[-_]?token)$`}
	// secretVariable is the name of an environment variable with a secret.
	secretVariable = lazy.Regexp{Text: `(?i)(?:password|passwd|secret|token|api_?key|private_?key|access_?key|credentials?)$`}

	jsonNumber = lazy.Regexp{Text: `^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`}

	// The body of a private key without the white space at its ends, which is \n in JSON.
	// Where its end is missing, long lines belong to it.
	privateKey = lazy.Regexp{Text: `-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:\s|\\+[nr])*(?:(?:Proc-Type|DEK-Info)[\w:, -]*(?:\s|\\+[nr])+)*` +
		`(?:([A-Za-z0-9+/=]+(?:(?:\s|\\+[nr])+[A-Za-z0-9+/=]+)*)(?:\s|\\+[nr])*-----END|([A-Za-z0-9+/=]+(?:(?:\s|\\+[nr])+[A-Za-z0-9+/=]{20,})*))`}
	// A password in a text that is no document, or in a comment; a quoted one may have
	// white space in it.
	assigned = lazy.Regexp{Text: `(?i)(?:password|passwd|client[-_]?secret|api[-_]?key)\\?["']?(?:[ \t]*:[ \t]*|=)(?:"([^"\\\n]{6,})"|'([^'\n]{6,})'|\\"([^"\\\n]{6,})\\"|([^\s"'{}\[\],&*!|>#%@$<=\\` + "`" + `][^\s"'{}\[\],\\]{4,}[^\s"'{}\[\],\\:]))`}
)

// pattern is a form of secrets that shows wherever it is written.
type pattern struct {
	form lazy.Regexp // its group is the value
	put  string
	what string
}

var patterns = []*pattern{
	{lazy.Regexp{Text: `\b(eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})`}, removedToken, "a JSON web token"},
	{lazy.Regexp{Text: `\b(AKIA[0-9A-Z]{16})\b`}, removedAWS, "an AWS access key"},
	{lazy.Regexp{Text: `\b(gh[pousr]_[A-Za-z0-9]{36,})\b`}, removedGitHub, "a GitHub token"},
	{lazy.Regexp{Text: `(?i)\bauthorization\\?["']?\s*:\s*\\?["']?bearer\s+([\w.~+/=-]{6,})`}, removed, "a token in an Authorization header"},
	{lazy.Regexp{Text: `(?i)\bauthorization\\?["']?\s*:\s*\\?["']?basic\s+([\w.~+/=-]{6,})`}, removedBase64, "a password in an Authorization header"},
}

// encodedToken is the beginning of a JSON web token in base64, as the token of a ServiceAccount is
// wherever its Secret is not written.
var encodedToken = lazy.Regexp{Text: `\b(ZXlK[A-Za-z0-9+/]{40,}={0,2})`}

// isToken reports whether a value in base64 is a JSON web token.
func isToken(encoded string) bool {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	return err == nil && patterns[0].form.MatchString(string(raw))
}

// patterns finds what shows by its form, in a text or in a string of it.
func (f *finder) patterns(text string, at mapper) {
	for _, m := range privateKey.FindAllStringSubmatchIndex(text, -1) {
		if from, to := max(m[2], m[4]), max(m[3], m[5]); !isPlaceholder(text[from:to]) {
			f.add(at, from, to, removedBase64, "a private key")
		}
	}
	for _, p := range patterns {
		for _, m := range p.form.FindAllStringSubmatchIndex(text, -1) {
			if !isPlaceholder(text[m[2]:m[3]]) {
				f.add(at, m[2], m[3], p.put, p.what)
			}
		}
	}
	for _, m := range encodedToken.FindAllStringSubmatchIndex(text, -1) {
		if isToken(text[m[2]:m[3]]) {
			f.add(at, m[2], m[3], removedBase64, "a JSON web token in base64")
		}
	}
	for _, m := range assigned.FindAllStringSubmatchIndex(text, -1) {
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 || isPlaceholder(text[m[i]:m[i+1]]) {
				continue
			}
			put := removed
			if strings.Contains(text[m[0]:m[i]], `":`) && jsonNumber.MatchString(text[m[i]:m[i+1]]) {
				put = noNumber
			}
			f.add(at, m[i], m[i+1], put, "a password or key")
		}
	}
}
