package typecheck

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
)

// inItems is the expression with a field asked of each item of the list that has it, and the name
// of that list: image of a Pod's spec is that of its containers, host of an Ingress' spec that of
// its rules, and privileged of a Pod's securityContext that of its containers' securityContext.
// What all items must keep is a validation; a match condition is true for one of them.
// It is empty where no list, or several, have the field, and where that solves no problem.
func (a *analysis) inItems(f finding, place string, at *catalog.Type, name string) (list, repaired string) {
	text := a.expression.Text
	tokens := source.NewTokens(text)
	last := fieldToken(tokens, f.start, name)
	if last < 2 || strings.HasSuffix(place, ".metadata") {
		return "", ""
	}
	first := last
	for tokens.Is(first-1, ".") && tokens.IsWord(first-2) {
		first -= 2
	}
	if first == last || tokens.Is(first-1, ".") {
		return "", "" // what it is read of is no name
	}
	way := itemsWith(at, name)
	from := last // the list is read before this token, of a value of the type at
	if way == nil && last-2 > first && (tokens.Is(first, "object") || tokens.Is(first, "oldObject")) {
		from = last - 2
		var above []string
		for i := first + 2; i < from; i += 2 {
			above = append(above, tokens.List[i].Text)
		}
		at = a.view.Object.At(above...)
		way = itemsWith(at, tokens.List[from].Text, name)
	}
	if way == nil {
		return "", ""
	}
	operand := text[tokens.List[first].Bytes:tokens.List[from-2].EndBytes()]
	asked := text[tokens.List[from].Bytes:tokens.List[last].EndBytes()]
	list = strings.Join(way, ".")
	reached := operand + "." + list
	if field := fieldAt(at, way); field != nil && field.OmitEmpty {
		optional := append(slices.Clone(way[:len(way)-1]), "?"+way[len(way)-1])
		reached = operand + "." + strings.Join(optional, ".") + ".orValue([])"
	}
	clause, places := replaceChain(tokens, text, operand+"."+asked, operand+"."+list+"."+asked)
	negated := strings.Contains(text, "!has("+operand+"."+asked+")")
	if places == 1 && !negated && from == last {
		repaired = strings.ReplaceAll(a.throughLists(clause), operand+"."+list+".all(", reached+a.ofItems())
	}
	if repaired == "" {
		repaired = a.ofEach(tokens, reached, way[len(way)-1], operand, asked)
	}
	if repaired == "" {
		return "", ""
	}
	return list, repaired
}

// ofEach asks the whole expression of each item of a list, with what it reads of the operand read
// of the item; also where has() asks for what that is read of first. It is empty where that has as
// many problems.
func (a *analysis) ofEach(tokens *source.Tokens, list, name, operand, asked string) string {
	item := name[:1]
	for i := range tokens.List {
		if tokens.Is(i, item) && !tokens.Is(i-1, ".") {
			item = "item"
		}
	}
	text, _ := replaceChain(tokens, a.expression.Text, operand+"."+asked, item+"."+asked)
	if above, _, deep := strings.Cut(asked, "."); deep {
		text = strings.ReplaceAll(text, "has("+operand+"."+above+")", "has("+item+"."+above+")")
	}
	return a.better(list + a.ofItems() + item + ", " + strings.TrimSpace(text) + ")")
}

// ofItems is the call that asks about the items of a list at the place of the expression.
func (a *analysis) ofItems() string {
	if a.expression.Place == model.MatchCondition {
		return ".exists("
	}
	return ".all("
}

// itemsWith leads from a type to the one list whose items have the fields, one below the other: to
// one that is always there, where several have them. It is nil where there is none.
func itemsWith(t *catalog.Type, fields ...string) []string {
	if t == nil || t.Kind != catalog.Struct {
		return nil
	}
	for _, way := range [][]string{nil, {"template", "spec"}, {"jobTemplate", "spec", "template", "spec"},
		{"spec"}, {"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}} {
		of := t.At(way...)
		if of == nil || of.Kind != catalog.Struct {
			continue
		}
		var always, found []string
		for _, field := range of.Fields() {
			if field.Name == "status" || field.Name == "metadata" || field.Type == nil || field.Type.Kind != catalog.List || field.Type.Elem == nil {
				continue
			}
			below := field.Type.Elem
			for _, name := range fields {
				if below != nil && (below.Kind != catalog.Struct || below.Field(name) == nil) {
					below = nil
				}
				if below != nil {
					below = below.Field(name).Type
				}
			}
			if below == nil {
				continue
			}
			found = append(found, field.Name)
			if !field.OmitEmpty {
				always = append(always, field.Name)
			}
		}
		switch {
		case len(found) == 1:
			return append(slices.Clone(way), found[0])
		case len(always) == 1:
			return append(slices.Clone(way), always[0])
		}
	}
	return nil
}

// fieldAt is the field that a way leads to from a type; nil where it leads nowhere.
func fieldAt(t *catalog.Type, way []string) *catalog.Field {
	t = t.At(way[:len(way)-1]...)
	if t == nil || t.Kind != catalog.Struct {
		return nil
	}
	return t.Field(way[len(way)-1])
}

// replaceChain writes another chain of fields for one, at all of its places, and counts them.
func replaceChain(tokens *source.Tokens, text, was, is string) (replaced string, places int) {
	length := len(source.NewTokens(was).List)
	var out strings.Builder
	from := 0
	for i := 0; i+length <= len(tokens.List); i++ {
		start, end := tokens.List[i].Bytes, tokens.List[i+length-1].EndBytes()
		if start < from || tokens.Is(i-1, ".") || text[start:end] != was {
			continue
		}
		out.WriteString(text[from:start] + is)
		from = end
		places++
	}
	out.WriteString(text[from:])
	return out.String(), places
}

// maxLists is how many fields of lists are asked of each item in one expression.
const maxLists = 8

// throughLists asks for each item where a text reads a field of a list; empty where it has as many
// problems as the expression then.
func (a *analysis) throughLists(text string) string {
	for range maxLists {
		result, err := a.checker.Check(text, a.view)
		if err != nil {
			return ""
		}
		next := ""
		if result.Issues != nil {
			for _, e := range result.Issues.Errors() {
				if m := noSelection.FindStringSubmatch(e.Message); m != nil && strings.HasPrefix(m[1], "list(") {
					start, _ := placeOf(source.NewText(text), e)
					next = expressions.Typed(text, e.Message, start)
					break
				}
			}
		}
		if next == "" {
			break
		}
		text = next
	}
	return a.better(text)
}

// better is a text that has fewer problems than the expression; empty where it has not.
func (a *analysis) better(text string) string {
	before, err := a.problems(a.expression.Text)
	if err != nil {
		return ""
	}
	if after, err := a.problems(text); err != nil || after >= before {
		return ""
	}
	return text
}
