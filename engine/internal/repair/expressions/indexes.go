package expressions

import (
	"fmt"
	"strconv"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// Indexes finds indexes that no list has: CEL counts from 0 and not from the end.
func Indexes(expression string) []Doubt {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	var out []Doubt
	for i := range d.List {
		if !d.Is(i, "[") || i == 0 || !d.ends(i-1) || d.Partner[i] < 0 {
			continue
		}
		if doubt := d.index(i, d.Partner[i]); doubt != nil {
			doubt.Start, doubt.End = d.List[i+1].Start, d.List[d.Partner[i]-1].End
			out = append(out, *doubt)
		}
	}
	return out
}

// index is what is wrong with the index between two brackets; nil for nothing.
func (d *draft) index(open, closing int) *Doubt {
	first := open + 1
	if d.Is(first, "?") {
		first++
	}
	from := d.chainStart(open - 1)
	list := d.slice(from, open-1)
	index := d.slice(first, closing-1)
	replaced := func(text string) string { return d.with(edit{d.start(first), d.end(closing - 1), text}) }
	last := "size(" + list + ") - "
	switch {
	case first+2 == closing && d.Is(first, "-") && d.isNumber(first+1) && d.List[first+1].Text != "0":
		doubt := &Doubt{
			Summary:  fmt.Sprintf("no list has an item %s: CEL does not count from the end", index),
			Detail:   "It fails at run time: index out of bounds. The last item of a list is list[size(list) - 1]; an empty list has none.",
			Repaired: replaced(last + d.List[first+1].Text),
		}
		return doubt
	case first+1 == closing && d.isNumber(first) && d.Is(from, "[") && d.Partner[from] == open-1:
		n, err := strconv.Atoi(d.List[first].Text)
		if items := len(d.arguments(from)); err != nil || n < items {
			return nil
		}
		doubt := &Doubt{
			Summary: fmt.Sprintf("this list has no item %s: the first one is 0", index),
			Detail:  "It fails at run time: index out of bounds.",
		}
		if n == len(d.arguments(from)) && n > 0 {
			doubt.Repaired = replaced(strconv.Itoa(n - 1))
		}
		return doubt
	case index == "size("+list+")", index == list+".size()":
		return &Doubt{
			Summary:  fmt.Sprintf("no list has an item %s: the first one is 0, the last one before it", index),
			Detail:   "It fails at run time: index out of bounds.",
			Repaired: replaced(index + " - 1"),
		}
	}
	return nil
}
