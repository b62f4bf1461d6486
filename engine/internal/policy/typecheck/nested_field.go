package typecheck

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// kindCompared asks with has() for the field that a name is compared with, where one field of several says what kind
// something is: v.type == 'hostPath'. It is empty for another comparison.
func (a *analysis) kindCompared(f finding, at *catalog.Type, name string) string {
	tokens := source.NewTokens(a.expression.Text)
	last := fieldToken(tokens, f.start, name)
	equal := tokens.Is(last+1, "==")
	if last < 0 || !equal && !tokens.Is(last+1, "!=") || last+2 >= len(tokens.List) || tokens.List[last+2].Kind != source.String {
		return ""
	}
	kind := strings.Trim(tokens.List[last+2].Text, `'"`)
	if at.Field(kind) == nil || !tokens.Is(last-1, ".") || !tokens.IsWord(last-2) || tokens.Is(last-3, ".") {
		return ""
	}
	text, test := a.expression.Text, "has("+tokens.List[last-2].Text+"."+kind+")"
	if !equal {
		test = "!" + test
	}
	return text[:tokens.List[last-2].Bytes] + test + text[tokens.List[last+2].EndBytes():]
}

// within is the expression with a field read of the one mapping below its place that has it,
// such as runAsNonRoot of a container's securityContext, and the name of that mapping. A
// question by has() asks for the mapping first, which may be absent. It is empty where no
// mapping, or several, have the field.
func (a *analysis) within(f finding, at *catalog.Type, name string) (into, repaired string) {
	for _, field := range at.Fields() {
		if field.Name == "status" || field.Name == "metadata" || field.Type == nil || field.Type.Kind != catalog.Struct || field.Type.Field(name) == nil {
			continue
		}
		if into != "" {
			return "", ""
		}
		into = field.Name
	}
	text := a.expression.Text
	tokens := source.NewTokens(text)
	last := fieldToken(tokens, f.start, name)
	if into == "" || last < 2 {
		return "", ""
	}
	first := last - 2
	for tokens.Is(first-1, ".") && tokens.IsWord(first-2) {
		first -= 2
	}
	if !tokens.Is(last-1, ".") || !tokens.IsWord(last-2) || tokens.Is(first-1, ".") {
		return "", "" // what it is read of is no name
	}
	operand := text[tokens.List[first].Bytes:tokens.List[last-2].EndBytes()]
	was, is := operand+"."+name, operand+"."+into+"."+name
	var out strings.Builder
	for i, from := 0, 0; ; i++ {
		if i >= len(tokens.List) {
			out.WriteString(text[from:])
			return into, out.String()
		}
		end := i + last - first
		if end >= len(tokens.List) || tokens.Is(i-1, ".") || text[tokens.List[i].Bytes:tokens.List[end].EndBytes()] != was {
			continue
		}
		if tokens.Is(i-1, "(") && tokens.Is(i-2, "has") && tokens.Is(end+1, ")") {
			asked := "has(" + operand + "." + into + ") && has(" + is + ")"
			if tokens.Is(i-3, "!") {
				asked = "(" + asked + ")"
			}
			out.WriteString(text[from:tokens.List[i-2].Bytes] + asked)
			end++
		} else {
			out.WriteString(text[from:tokens.List[i].Bytes] + is)
		}
		from, i = tokens.List[end].EndBytes(), end
	}
}
