package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report"
)

// maxKeys is the number of keys that are listed of an object.
const maxKeys = 30

// shortestName is the length from which another name can be a misspelling.
const shortestName = 3

// DidYouMean goes between what there is and the nearest of it.
const DidYouMean = "; did you mean"

// What CEL says when there is nothing to select.
const (
	noSuchKey   = "no such key: "
	outOfBounds = "index out of bounds: "
	notAnIndex  = "unsupported index type "
	noOverload  = "no such overload"
)

// explain says what an error means for the values that it arose from.
func (b *nodeBuilder) explain(out *report.Node, n *values.Node, failed *values.Run) {
	text := failed.Err.Error()
	key, missing := strings.CutPrefix(text, noSuchKey)
	index, beyond := strings.CutPrefix(text, outOfBounds)
	switch {
	case strings.HasPrefix(text, noOverload) && n.Kind != values.Select:
		out.Note = b.typesNote(n)
	case failed.On() != nil && beyond:
		out.Missing = index
		b.beyond(out, n, failed.On())
	case failed.On() != nil && (missing || strings.HasPrefix(text, notAnIndex) || strings.HasPrefix(text, noOverload)):
		if key == text {
			key = n.Name
		}
		out.Missing = key
		b.absent(out, n, failed.On())
	}
}

// absent says what there is instead of a key that is missing.
func (b *nodeBuilder) absent(out *report.Node, n *values.Node, on ref.Val) {
	operand := b.operand(n)
	switch on := on.(type) {
	case types.Null:
		out.Note = operand + " is null"
	case traits.Mapper:
		keys := keysOf(on)
		if len(out.Missing) >= shortestName && !declared(n) && !(n.Kind == values.Index && (len(out.Missing) == shortestName || WellKnownKeys[out.Missing])) {
			out.Nearest, _ = suggest.Of(keys, out.Missing)
		}
		if out.Nearest == "" && n.Kind == values.Select {
			out.Nearest = below(n, on, out.Missing)
		}
		out.Note = keysNote(operand, keys)
		if ZeroWhenAbsent[out.Missing] {
			out.Note += fmt.Sprintf("; the server omits %s when it is 0 or false", out.Missing)
		}
		out.Has = keys[:min(len(keys), maxKeys)]
		if out.Nearest != "" {
			out.Note += fmt.Sprintf("%s %s?", DidYouMean, out.Nearest)
		}
	default:
		out.Note = fmt.Sprintf("%s is %s, which has no fields", operand, article(eval.TypeName(on)))
	}
}

// below is the path to a key that a root does not have, but its spec or data;
// empty if they have none.
func below(n *values.Node, root traits.Mapper, key string) string {
	if len(n.Children) != 1 || n.Children[0].Kind != values.Ident {
		return ""
	}
	for _, name := range []string{"spec", "data", "metadata"} {
		if inner, ok := root.Find(types.String(name)); ok {
			if m, ok := inner.(traits.Mapper); ok && m.Contains(types.String(key)) == types.True {
				return name + "." + key
			}
		}
	}
	return ""
}

// declared reports whether a field belongs to a variable whose fields the
// compiler knows: then it is no misspelling.
func declared(n *values.Node) bool {
	for len(n.Children) > 0 {
		n = n.Children[0]
	}
	return n.Kind == values.Ident && (n.Name == "request" || n.Name == "namespaceObject")
}

// beyond says how long a list is.
func (b *nodeBuilder) beyond(out *report.Node, n *values.Node, on ref.Val) {
	sized, ok := on.(traits.Sizer)
	if !ok {
		return
	}
	list := b.operand(n)
	if list == wholeValue {
		list = "the list"
	}
	switch size, _ := sized.Size().(types.Int); size {
	case 0:
		out.Note = list + " is empty"
	case 1:
		out.Note = list + " has only item 0"
	default:
		out.Note = fmt.Sprintf("%s has items 0 to %d", list, size-1)
	}
}

// typesNote names the types of the operands that have no function.
func (b *nodeBuilder) typesNote(n *values.Node) string {
	var list []string
	for _, child := range n.Children {
		run := cmp.Or(b.beside(n, child), last(&b.Records[child.Index]))
		switch constant := b.Constants[child.Index]; {
		case run != nil && run.Err == nil:
			list = append(list, eval.TypeName(run.Value()))
		case constant != nil:
			list = append(list, eval.TypeName(constant))
		}
	}
	if len(list) == 0 {
		return ""
	}
	name := strings.Trim(n.Name, "_@")
	return fmt.Sprintf("there is no %s for %s", name, strings.Join(list, " and "))
}

// longOperand is the length in runes from which an operand is not repeated.
const longOperand = 40

// wholeValue stands for an operand that is not repeated.
const wholeValue = "the value"

// operand is what is selected from, as it was written.
func (b *nodeBuilder) operand(n *values.Node) string {
	if len(n.Children) > 0 && (n.Kind == values.Select || n.Kind == values.Index || n.Kind == values.Macro) {
		if c := n.Children[0]; c.End-c.Start <= longOperand {
			return string(b.source[c.Start:c.End])
		}
	}
	return wholeValue
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func keysOf(m traits.Mapper) []string {
	var keys []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, fmt.Sprint(it.Next().Value()))
	}
	slices.Sort(keys)
	return keys
}

func keysNote(operand string, keys []string) string {
	switch n := len(keys); {
	case n == 0:
		return operand + " is empty"
	case n > maxKeys:
		return fmt.Sprintf("%s has %s and %d more", operand, strings.Join(keys[:maxKeys], ", "), n-maxKeys)
	}
	return operand + " has " + strings.Join(keys, ", ")
}
