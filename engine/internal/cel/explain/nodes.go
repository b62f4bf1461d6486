package explain

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report"
)

// nodes describes the parts of an expression. place gives the place in the text
// of a range of runes.
func nodes(t *values.Trace, expression string, place func(start, end int) diag.Span) []report.Node {
	count := len(t.Tree.Nodes)
	b := &nodeBuilder{Trace: t, source: []rune(expression), place: place, varies: make([]bool, count), room: make([]report.Node, count)}
	b.vary(t.Tree.Root, nil)
	root := b.list(1)
	b.node(&root[0], t.Tree.Root, nil, true)
	return root
}

type nodeBuilder struct {
	*values.Trace
	source []rune
	place  func(start, end int) diag.Span
	// varies says of a part, by its index, whether it may differ from one iteration to the next.
	varies []bool
	// room is for the descriptions that are not made yet.
	room []report.Node
}

// list takes room for so many descriptions.
func (b *nodeBuilder) list(n int) []report.Node {
	if n == 0 {
		return nil
	}
	out := b.room[:n:n]
	b.room = b.room[n:]
	return out
}

// vary finds the parts in which a variable of a macro occurs. declared are the
// names that the macros around declare.
func (b *nodeBuilder) vary(n *values.Node, declared []string) bool {
	varies := n.Kind == values.Ident && slices.Contains(declared, n.Name)
	for _, child := range n.Children {
		if child.Kind == values.Declared {
			declared = append(slices.Clip(declared), child.Name)
		}
	}
	for _, child := range n.Children {
		varies = b.vary(child, declared) || varies
	}
	b.varies[n.Index] = varies
	return varies
}

// node describes a part. known says that it was evaluated if it is a constant:
// the planner folds constants into the part around them.
func (b *nodeBuilder) node(out *report.Node, n, parent *values.Node, known bool) {
	rec := &b.Records[n.Index]
	*out = report.Node{Kind: n.Kind.String(), Name: n.Name, Start: n.Start, End: n.End, Span: b.place(n.Start, n.End), Cost: b.ownCost(n)}
	switch {
	case n.Kind == values.Declared:
		b.elements(out, n, parent)
	case rec.Count > 0:
		out.Evaluated = true
		b.values(out, n)
		b.decided(out, n)
	case known && b.Constants[n.Index] != nil:
		out.Evaluated = true
		b.value(out, b.Constants[n.Index])
	case b.unreached(n):
		out.Evaluated, out.Failed = true, true
	}
	if rec.Interrupted {
		b.interrupted(out, n)
	}
	// Of these a constant operand may be left out; everywhere else it has been
	// evaluated if the whole has.
	chosen := n.Kind == values.Logical || n.Kind == values.Ternary || n.Kind == values.Macro
	out.Children = b.list(len(n.Children))
	for i, child := range n.Children {
		b.node(&out.Children[i], child, n, out.Evaluated && !chosen)
		if run := b.beside(n, child); run != nil && out.Error != "" {
			b.value(&out.Children[i], run.Value())
		}
	}
}

// beside is the run of an operand in the iteration in which a part failed first; nil where it was not kept, or failed.
func (b *nodeBuilder) beside(n, operand *values.Node) *values.Run {
	of, runs := &b.Records[n.Index], b.Records[operand.Index].Runs
	at := slices.IndexFunc(of.Runs, func(r values.Run) bool { return r.Err != nil })
	if at < 0 || len(runs) != len(of.Runs) || len(runs) < 2 || b.Records[operand.Index].Count != of.Count || runs[at].Err != nil {
		return nil
	}
	return &runs[at]
}

func (b *nodeBuilder) ownCost(n *values.Node) int64 {
	own := int64(b.Records[n.Index].Cost)
	for _, child := range n.Children {
		own -= int64(b.Records[child.Index].Cost)
	}
	return own
}

// interrupted describes a part that was being evaluated when the evaluation
// was stopped. The innermost one has the error.
func (b *nodeBuilder) interrupted(out *report.Node, n *values.Node) {
	out.Evaluated, out.Value, out.Type = true, nil, ""
	if out.Failed = b.anyInterrupted(n.Children); !out.Failed {
		out.Error = b.Err.Error()
	}
}

func (b *nodeBuilder) anyInterrupted(list []*values.Node) bool {
	return slices.ContainsFunc(list, func(n *values.Node) bool { return b.Records[n.Index].Interrupted })
}

// unreached says that a selection was not made because what it selects from
// failed.
func (b *nodeBuilder) unreached(n *values.Node) bool {
	if n.Kind != values.Select && n.Kind != values.Index {
		return false
	}
	child := n.Children[0]
	return failure(&b.Records[child.Index]) != nil || b.Records[child.Index].Count == 0 && b.unreached(child)
}

// kept are the runs of a part that were kept, in their order.
func kept(rec *values.Record) iter.Seq[*values.Run] {
	return func(yield func(*values.Run) bool) {
		for i := range rec.Runs {
			if !yield(&rec.Runs[i]) {
				return
			}
		}
		if rec.Failed != nil && !yield(rec.Failed) {
			return
		}
		if rec.Last != nil {
			yield(rec.Last)
		}
	}
}

// keptCount is how many runs were kept.
func keptCount(rec *values.Record) int {
	n := len(rec.Runs)
	for _, run := range [...]*values.Run{rec.Failed, rec.Last} {
		if run != nil {
			n++
		}
	}
	return n
}

// last is the last run that was kept; nil when there is none.
func last(rec *values.Record) *values.Run {
	switch {
	case rec.Last != nil:
		return rec.Last
	case rec.Failed != nil:
		return rec.Failed
	case len(rec.Runs) > 0:
		return &rec.Runs[len(rec.Runs)-1]
	}
	return nil
}

// failure is the first run that failed.
func failure(rec *values.Record) *values.Run {
	for run := range kept(rec) {
		if run.Err != nil {
			return run
		}
	}
	return nil
}

func (b *nodeBuilder) value(out *report.Node, v ref.Val) {
	value, shown, cut := eval.Part(v)
	out.Value, out.Type, out.Shown = value, eval.TypeName(v), shown
	out.Cut = out.Cut || cut
}

// values fills in what the runs of a part gave. Outside of loops a part may
// still be evaluated twice, by a macro that expands to two uses of it.
func (b *nodeBuilder) values(out *report.Node, n *values.Node) {
	rec := &b.Records[n.Index]
	if last := last(rec); last.Err == nil {
		b.value(out, last.Value())
	} else {
		out.Failed = true
	}
	if failed := failure(rec); failed != nil && !b.passedOn(n, failed.Err) {
		out.Failed, out.Error = false, failed.Err.Error()
		b.explain(out, n, failed)
	}
	if n.Depth == 0 || rec.Count < 2 {
		return
	}
	out.Count = rec.Count
	if !b.varies[n.Index] {
		return
	}
	out.Cut = out.Cut || rec.Count > keptCount(rec)
	for run := range kept(rec) {
		b.addRun(out, run)
	}
}

func (b *nodeBuilder) addRun(out *report.Node, run *values.Run) {
	out.At = append(out.At, run.At)
	if run.Err != nil {
		out.Values = append(out.Values, "error: "+run.Err.Error())
		return
	}
	value, shown, cut := eval.RunPart(run.Value())
	out.Values = append(out.Values, value)
	out.Cut = out.Cut || cut
	if shown != "" {
		for len(out.ShownValues) < len(out.Values) {
			out.ShownValues = append(out.ShownValues, "")
		}
		out.ShownValues[len(out.Values)-1] = shown
	}
}

// passedOn reports whether an error comes from a part below.
func (b *nodeBuilder) passedOn(n *values.Node, err error) bool {
	for _, child := range n.Children {
		for run := range kept(&b.Records[child.Index]) {
			if run.Err != nil && run.Err.Error() == err.Error() {
				return true
			}
		}
		if b.unreached(child) || b.Records[child.Index].Interrupted {
			return true
		}
	}
	return false
}

// elements fills in the values that a variable of a macro took in the last run
// of the macro.
func (b *nodeBuilder) elements(out *report.Node, variable, macro *values.Node) {
	iterations, at := b.iterations(macro)
	target := last(&b.Records[macro.Children[0].Index])
	if iterations == 0 || target == nil || target.Err != nil {
		return
	}
	out.Evaluated = true
	over := target.Value()
	if optional, ok := over.(*types.Optional); ok && optional.HasValue() {
		b.value(out, optional.GetValue())
		return
	}
	twoVariables := macro.Children[2].Kind == values.Declared
	list := items(over, min(iterations, values.MaxRuns))
	for i, item := range list {
		v := item.value
		if twoVariables && variable == macro.Children[1] || !twoVariables && item.isMap {
			v = item.key
		}
		b.addRun(out, values.NewRun(append(slices.Clone(at), i), v))
		b.value(out, v)
	}
	if out.Count = iterations; iterations < 2 {
		out.Count, out.Values, out.At = 0, nil, nil
	}
	out.Cut = out.Cut || iterations > len(list)
}

// iterations is how often the body of a macro ran in the macro's last run, and
// where the loops around it stood.
func (b *nodeBuilder) iterations(macro *values.Node) (n int, at []int) {
	run := last(&b.Records[macro.Index])
	if run == nil {
		return 0, nil
	}
	at = run.At
	for _, child := range macro.Children[1:] {
		run := last(&b.Records[child.Index])
		if run == nil {
			continue
		}
		inner := run.At
		switch {
		case len(inner) > len(at) && slices.Equal(inner[:len(at)], at):
			n = max(n, inner[len(at)]+1)
		case len(inner) == len(at): // it binds a name, and runs once
			n = max(n, 1)
		}
	}
	return n, at
}

// body is the last argument of a macro: what is evaluated for each item.
func (b *nodeBuilder) body(macro *values.Node) *values.Node {
	if n := len(macro.Children); n > 1 && macro.Member {
		return macro.Children[n-1]
	}
	return nil
}

type item struct {
	key, value ref.Val
	isMap      bool
}

// items are the first items of a list or map.
func items(v ref.Val, most int) []item {
	var out []item
	switch v := v.(type) {
	case traits.Lister:
		size, _ := v.Size().(types.Int)
		for i := types.Int(0); i < size && len(out) < most; i++ {
			out = append(out, item{key: i, value: v.Get(i)})
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && len(out) < most; {
			k := it.Next()
			out = append(out, item{key: k, value: v.Get(k), isMap: true})
		}
	}
	return out
}

// decided says which iteration decided a loop: the last one, if it gave what
// ends it, or the first that failed.
func (b *nodeBuilder) decided(out *report.Node, macro *values.Node) {
	body := b.body(macro)
	if macro.Kind != values.Macro || body == nil || body.Depth <= macro.Depth {
		return
	}
	rec := &b.Records[body.Index]
	deciding := last(rec)
	if deciding == nil {
		return
	}
	verb := ""
	switch ends, _ := out.Value.(bool); {
	case !out.Failed && (macro.Name == "exists_one" || macro.Name == "existsOne"):
		b.exactlyOne(out, macro, rec)
		return
	case out.Failed:
		if deciding = failure(rec); deciding == nil {
			return
		}
		verb = "failed at"
	case macro.Name == "all" && !ends && deciding.Value() == types.False:
		verb = "is false because of"
	case macro.Name == "exists" && ends && deciding.Value() == types.True:
		verb = "is true because of"
	default:
		return
	}
	i := deciding.At[macro.Depth]
	if i < 0 {
		return // it failed outside of an iteration
	}
	out.Decided = &i
	out.Note = fmt.Sprintf("%s %s %s", macro.Name, verb, b.itemName(macro, i))
}

// exactlyOne says for which items the test of exists_one is true, if all its
// runs were kept.
func (b *nodeBuilder) exactlyOne(out *report.Node, macro *values.Node, rec *values.Record) {
	if macro.Depth > 0 || rec.Count > keptCount(rec) { // of several runs of the macro only the last decided its value
		return
	}
	var items []string
	for run := range kept(rec) {
		if run.Value() == types.True {
			items = append(items, b.itemName(macro, run.At[0]))
			out.Decided = &run.At[0]
		}
	}
	switch len(items) {
	case 0:
		out.Note = macro.Name + " is false because there is no such item"
	case 1:
		out.Note = macro.Name + " is true because of " + items[0] + " alone"
	default:
		out.Decided = nil
		out.Note = macro.Name + " is false because of " + strings.Join(items, " and ")
	}
}

// itemName names an item for a reader: by the name it has, by its key, else by
// its number.
func (b *nodeBuilder) itemName(macro *values.Node, i int) string {
	target := last(&b.Records[macro.Children[0].Index])
	number := fmt.Sprintf("item %d", i)
	if target == nil || target.Value() == nil {
		return number
	}
	list := items(target.Value(), i+1)
	if i >= len(list) {
		return number
	}
	if list[i].isMap {
		return fmt.Sprintf("key %v", list[i].key.Value())
	}
	if m, ok := list[i].value.(traits.Mapper); ok {
		if name, found := m.Find(types.String("name")); found {
			return fmt.Sprintf("%s (name: %v)", number, name.Value())
		}
	}
	return number
}
