package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// milliMemory finds quantities in thousandths in an expression about memory or storage: 512m is half a byte.
func milliMemory(p *policy) {
	for _, e := range p.expressions() {
		if e.read == nil || p.said(p.document, e.path) {
			continue
		}
		var resources []string
		p.eachBelow(e.read.Root(), func(n *values.Node) {
			text, _ := literalText(n)
			text += fieldOf(n)
			switch last := text[strings.LastIndexAny(text, "./")+1:]; last {
			case "memory", "storage", "ephemeral-storage", "cpu":
				resources = append(resources, last)
			}
		})
		if len(resources) == 0 || slices.Contains(resources, "cpu") {
			continue
		}
		p.milliAmounts(e, resources[0])
	}
}

// milliAmounts reports the amounts in thousandths of an expression about a resource that counts bytes.
func (p *policy) milliAmounts(e expression, resource string) {
	var first *values.Node
	var changes []rewrite.Change
	said := ""
	for _, n := range e.read.Nodes() {
		text, _ := literalText(n)
		digits, isMilli := strings.CutSuffix(text, "m")
		amount, err := strconv.ParseUint(digits, 10, 32)
		if !isMilli || err != nil {
			continue
		}
		if changes = append(changes, rewrite.Replace(n.Start, n.End, "'"+digits+"Mi'")); first == nil {
			first, said = n, fmt.Sprintf("%s of %s is %g bytes: the suffix m means thousandths", text, resource, float64(amount)/1000)
		}
	}
	if first == nil {
		return
	}
	out := p.report(p.document, codes.DoubtfulText, diag.Warning, e.path, said, "Mi is 1,048,576 bytes, and M is a million.")
	p.within(out, p.document, e.path, first.Start, first.End)
	if s := rewrite.In(p.document, p.Plain[p.document.Text], e.path); s != nil && out.Code != "" {
		out.Fixes = []diag.Fix{s.Fix("Write "+changes[0].Text, changes...)}
	}
}
