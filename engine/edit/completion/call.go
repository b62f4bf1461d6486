package completion

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Call is a call around a place.
type Call struct {
	// Signature is the name with its parameters and result, such as split(separator[, limit]) → list(string).
	Signature string `json:"signature"`
	// Parameters are their names, without the receiver, and Argument is the index of the one at the place.
	Parameters []string `json:"parameters"`
	Argument   int      `json:"argument"`
	Doc        string   `json:"doc,omitempty"`
}

// Call returns the innermost call of a function or macro whose arguments are at an offset of one text
// of a scenario; nil where there is none.
func (c *Completer) Call(s scenario.Scenario, text diag.Text, offset int) (_ *Call, err error) {
	defer guard.Error(&err)
	q := c.query(s, text, offset)
	if q == nil {
		return nil, nil
	}
	if ok, err := q.enterCEL(); err != nil || !ok {
		return nil, err
	}
	tokens := source.Lex(q.before)
	stack := brackets(tokens)
	for i := len(stack) - 1; i > 0; i-- {
		open := stack[i]
		if open.open != "(" || open.at == 0 || tokens[open.at-1].Kind != source.Word {
			continue // grouping, a list or a literal within the arguments
		}
		name := tokens[open.at-1]
		item, err := q.named(name.Text, tokens[:open.at-1], q.before[:name.Bytes], true)
		if err != nil || item == nil {
			return nil, err
		}
		return &Call{Signature: name.Text + item.Detail, Parameters: item.parameters, Argument: open.args, Doc: item.Doc}, nil
	}
	return nil, nil
}

// named is the item that completion offers for a name after a text, whose tokens are given; nil if it
// offers none. called says that arguments follow the name.
func (q *query) named(name string, tokens []source.Token, head string, called bool) (*Item, error) {
	var best *Item
	for _, view := range q.views {
		items, err := q.itemsAt(tokens, head, view)
		if err != nil {
			return nil, err
		}
		for i := range items {
			if items[i].Label == name && (best == nil || isCall(items[i].Kind) == called && isCall(best.Kind) != called) {
				best = &items[i]
			}
		}
	}
	if best == nil || isCall(best.Kind) != called {
		return nil, nil
	}
	return best, nil
}

// parametersOf are the names in the parameters of a function's help.
func parametersOf(h help) []string {
	if h.params == "" {
		return nil
	}
	return strings.Split(h.params, ", ")
}
