package lint

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// secretWords are in names of environment variables with secrets.
var secretWords = []string{"password", "passwd", "pwd", "secret", "token", "credential", "credentials", "apikey", "api_key", "key"}

// letterCase finds denials of environment variables by a lower-case word in their names, which are usually
// upper-case, where nothing tests for the other case.
func letterCase(p *policy) {
	effects := p.effects()
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || !n.Member || len(n.Children) != 2 || !slices.Contains([]string{"contains", "startsWith", "endsWith"}, n.Name) || effects.sign[n] >= 0 || p.said(p.document, e.path) {
			return false
		}
		word, isText := literalText(n.Children[1])
		at := of(n.Children[0])
		upper := strings.ToUpper(word)
		if !isText || at == nil || !strings.HasSuffix(strings.Join(at.steps, "."), "env.*.name") || !slices.Contains(secretWords, strings.Trim(word, "_-")) ||
			p.anyLiteral(func(other string) bool { return strings.Contains(other, upper) }) {
			return false
		}
		example := map[string]string{"contains": "DB_" + upper, "startsWith": upper + "_1", "endsWith": "DB_" + upper}[n.Name]
		out := p.report(p.document, codes.DoubtfulText, diag.Warning, e.path, "an environment variable "+example+" passes: the test for '"+word+"' is case-sensitive", "Test the name in lower case.")
		p.within(out, p.document, e.path, n.Start, n.End)
		if out.Code != "" {
			name := n.Children[0]
			out.Fixes = p.rewritten(p.document, e.path, name.Start, name.End, string([]rune(e.text)[name.Start:name.End])+".lowerAscii()")
		}
		return true
	})
}
