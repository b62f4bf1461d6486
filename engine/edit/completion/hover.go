package completion

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Hover says what is at an offset of one text of a scenario; nil where
// there is nothing to say.
func (c *Completer) Hover(s scenario.Scenario, text diag.Text, offset int) (_ *Help, err error) {
	defer guard.Error(&err)
	q := c.query(s, text, offset)
	if q == nil {
		return nil, nil
	}
	if ok, err := q.enterCEL(); err != nil {
		return nil, err
	} else if ok {
		return q.celHelp()
	}
	if q.cursor == nil {
		return nil, nil
	}
	return q.keyHelp(), nil
}

// enterCEL goes to the expression at the cursor, and reports whether there is one.
func (q *query) enterCEL() (bool, error) {
	if q.text == diag.Expression && !q.alone() {
		return true, q.enterFree()
	}
	if q.cursor = locate(q.src, q.offset); q.cursor == nil {
		return false, nil
	}
	return q.enterExpression()
}

// celHelp explains the name at the cursor: the same item that completion would
// have offered for it.
func (q *query) celHelp() (*Help, error) {
	prefix, suffix := wordAround(q.before, q.after)
	name := prefix + suffix
	head := q.before[:len(q.before)-len(prefix)]
	tokens := source.Lex(head)
	if name == "" || len(tokens) > 0 && tokens[len(tokens)-1].Open {
		return nil, nil
	}
	rest := strings.TrimLeft(q.after[len(suffix):], " \t\n")
	item, err := q.named(name, tokens, head, strings.HasPrefix(rest, "("))
	if err != nil || item == nil {
		return nil, err
	}
	return q.help(name, *item, prefix, suffix), nil
}

func isCall(k Kind) bool { return k == FunctionItem || k == MethodItem || k == MacroItem }

func (q *query) help(name string, item Item, prefix, suffix string) *Help {
	title := name
	switch {
	case isCall(item.Kind):
		title += item.Detail
	case item.Detail != "":
		title += ": " + item.Detail
	}
	return &Help{From: q.offset - len(prefix), To: q.offset + len(suffix), Title: title, Doc: item.Doc}
}

// keyHelp explains a field of a manifest, on its key or its value.
func (q *query) keyHelp() *Help {
	c := q.cursor
	path := c.path
	prefix, suffix := keyPrefix(c.before), keySuffix(c.after)
	if c.isKey {
		// An attempt that ended a bare word with a colon has nothing to explain.
		path = path.Child(prefix + suffix)
	}
	if len(path) == 0 {
		return nil
	}
	t := q.typeOfDocument()
	for _, step := range path[:len(path)-1] {
		t = stepInto(t, step)
	}
	name := path.Last()
	if t == nil || path[len(path)-1].IsIndex() || structOf(t) != t || t.Field(name) == nil {
		return nil
	}
	f := t.Field(name)
	return q.help(name, Item{Kind: FieldItem, Detail: describeField(f), Doc: q.fieldDoc(t, f)}, prefix, suffix)
}
