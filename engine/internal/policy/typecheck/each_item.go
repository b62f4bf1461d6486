package typecheck

import (
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// eachItem is the expression with one literal for all items of a list, which has no key of
// its own, written for each of the items: containers: [Object.spec.containers{...}] becomes
// object.spec.containers.map(c, Object.spec.containers{name: c.name, ...}). It is empty where
// the value is another one, or the list may be absent: then an item is most likely a new one.
func (a *analysis) eachItem(value ast.Expr, f *catalog.Field, list string) string {
	literal := value
	if value.Kind() == ast.ListKind && len(value.AsList().Elements()) == 1 {
		literal = value.AsList().Elements()[0]
	}
	if literal.Kind() != ast.StructKind || f.OmitEmpty || len(literal.AsStruct().Fields()) == 0 || !a.oneByOne(list) {
		return ""
	}
	for _, field := range literal.AsStruct().Fields() {
		if field.AsStructField().Name() == f.ListMapKeys[0] {
			return ""
		}
	}
	start, brace, end, ok := a.braces(literal)
	if !ok {
		return ""
	}
	text := []rune(a.expression.Text)
	inner := brace + 1
	item := string(text[start:inner]) + f.ListMapKeys[0] + ": c." + f.ListMapKeys[0] + ", " + strings.TrimLeft(string(text[inner:end]), " ")
	if value.Kind() == ast.ListKind {
		before := strings.TrimRight(string(text[:start]), " \n")
		after := strings.TrimLeft(string(text[end:]), " \n")
		if !strings.HasSuffix(before, "[") || !strings.HasPrefix(after, "]") {
			return ""
		}
		return strings.TrimSuffix(before, "[") + "object." + list + ".map(c, " + item + ")" + strings.TrimPrefix(after, "]")
	}
	return a.replaced(start, end, "object."+list+".map(c, "+item+")")
}

// oneByOne reports whether a path leads to a list of the object through mappings only.
func (a *analysis) oneByOne(path string) bool {
	t := a.view.Object
	for _, name := range strings.Split(path, ".") {
		if t == nil || t.Kind != catalog.Struct || t.Field(name) == nil {
			return false
		}
		t = t.Field(name).Type
	}
	return t != nil && t.Kind == catalog.List
}
