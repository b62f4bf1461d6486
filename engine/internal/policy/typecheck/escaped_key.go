package typecheck

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unescape undoes the escapes of property names, which keys of maps do not have.
var unescape = strings.NewReplacer("__underscores__", "__", "__dot__", ".", "__dash__", "-", "__slash__", "/")

// escapedKey finds the key of a map that is written as the names of properties are escaped:
// has(labels.app__dash__id) is always false, as the key is app-id.
func (a *analysis) escapedKey(e ast.Expr) {
	if e.Kind() != ast.SelectKind {
		return
	}
	sel := e.AsSelect()
	key := unescape.Replace(sel.FieldName())
	of := a.checked.AST.NativeRep().GetType(sel.Operand().ID())
	if key == sel.FieldName() || of == nil || of.Kind() != types.MapKind {
		return
	}
	w := keyWriter{source.NewTokens(a.expression.Text), a.expression.Text, sel.FieldName(), "'" + key + "'"}
	offset, _ := a.place(e.ID())
	name := w.next(w.Starting(offset))
	if name < 0 || name > w.next(0) {
		return // its first place is reported, with a repair of all
	}
	target := w.target(name)
	a.add(finding{code: codes.DoubtfulText, start: w.List[name].Start, end: w.List[name].End,
		summary:  fmt.Sprintf("%s is not a key of %s: only names of properties are escaped", sel.FieldName(), target),
		detail:   fmt.Sprintf("Map keys are strings: %s in %s, %s[%s].", w.quoted, target, target, w.quoted),
		repaired: w.write()})
}

// keyWriter writes a key of maps as what it is wherever an expression reads it.
type keyWriter struct {
	*source.Tokens
	text, name, quoted string
}

// next is the first token from one on that reads the key; -1 where there is none.
func (w keyWriter) next(from int) int {
	for i := max(from, 2); i < len(w.List); i++ {
		if w.List[i].Text == w.name && w.Is(i-1, ".") && w.IsWord(i-2) {
			return i
		}
	}
	return -1
}

// first is the first token of the chain before the key.
func (w keyWriter) first(name int) int {
	for name > 1 && w.Is(name-1, ".") && w.IsWord(name-2) {
		name -= 2
	}
	return name
}

// target is the map that is read.
func (w keyWriter) target(name int) string {
	return w.text[w.List[w.first(name)].Bytes:w.List[name-1].Bytes]
}

// write is the whole expression with the key in brackets, and with in where has() asks for it.
func (w keyWriter) write() string {
	var b strings.Builder
	asked := strings.Contains(w.text, "."+w.name+")") || strings.Contains(w.text, w.name+"' in ") || strings.Contains(w.text, w.quoted+" in ")
	at := 0
	for name := w.next(0); name >= 0; name = w.next(name + 1) {
		first, last, text := w.first(name), name, w.target(name)+"["+w.quoted+"]"
		if !asked && (w.Is(name+1, "==") || w.Is(name+1, "!=")) {
			text = w.target(name) + "[?" + w.quoted + "].orValue('')" // no guard says that the map has the key
		}
		if w.Is(first-1, "(") && w.Is(first-2, "has") && w.Is(name+1, ")") {
			first, last, text = first-2, name+1, w.quoted+" in "+w.target(name)
			if w.Is(first-1, "!") {
				text = "(" + text + ")"
			}
		}
		b.WriteString(w.text[at:w.List[first].Bytes] + text)
		at = w.List[last].EndBytes()
	}
	return b.String() + w.text[at:]
}
