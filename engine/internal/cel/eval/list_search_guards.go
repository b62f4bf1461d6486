package eval

import (
	"context"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Functions that look for items in lists compare each with each. cel-go does not
// look up while it compares, and lists that share parts are large at almost no cost.
// So a single call is bounded before it is made, and charged to the run when it is
// known to be made.

// Limits of one call.
const (
	// MaxPairs is how many pairs of items it may compare.
	MaxPairs = 25_000_000
	// searchWork is what comparing the parts of the items may take, in units of work.
	searchWork = 10_000_000
)

var lists = []*cel.Type{cel.ListType(cel.TypeParamType("T")), cel.ListType(cel.TypeParamType("T"))}

var itemInList = []*cel.Type{cel.ListType(cel.TypeParamType("T")), cel.TypeParamType("T")}

// searches are the guards of these functions; "in" has [comparison].
var searches = []guard{
	{function: "distinct", overload: "list_distinct", args: lists[:1], result: lists[0], check: checkSearch("distinct")},
	{function: "indexOf", overload: "list_a_index_of_int", args: itemInList, result: cel.IntType, check: checkSearch("indexOf")},
	{function: "lastIndexOf", overload: "list_a_last_index_of_int", args: itemInList, result: cel.IntType, check: checkSearch("lastIndexOf")},
	{function: "sets.contains", overload: "list_sets_contains_list", args: lists, result: cel.BoolType, check: checkSearch("sets.contains"), global: true},
	{function: "sets.equivalent", overload: "list_sets_equivalent_list", args: lists, result: cel.BoolType, check: checkSearch("sets.equivalent"), global: true},
	{function: "sets.intersects", overload: "list_sets_intersects_list", args: lists, result: cel.BoolType, check: checkSearch("sets.intersects"), global: true},
}

// checkSearch stops a call that would compare too much.
func checkSearch(function string) func([]ref.Val) {
	return func(args []ref.Val) {
		pairs := 0
		each(function, args, func(wanted, list traits.Lister, half bool) { pairs += pairsOf(wanted, list, half) })
		if pairs > MaxPairs {
			stop("%s would compare more than %d million pairs of items; the API server compares them all", function, MaxPairs/1_000_000)
		}
		b := worklimit.New(context.Background(), worklimit.Limits{Work: searchWork})
		if b.Run(func() {
			each(function, args, func(wanted, list traits.Lister, _ bool) { chargeParts(b, wanted, list) })
		}) != nil {
			stop("%s would compare more than %d million parts of items; the API server compares them all", function, searchWork/10_000_000)
		}
	}
}

// each calls f for each list in which a call looks for items; half where the items
// are those of the list, and each is looked for among those before it.
func each(function string, args []ref.Val, f func(wanted, list traits.Lister, half bool)) {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return
	}
	switch function {
	case "distinct":
		f(list, list, true)
	case "indexOf", "lastIndexOf":
		f(types.NewRefValList(adapt.Default, args[1:2]), list, false)
	default:
		if other, ok := args[1].(traits.Lister); ok {
			f(list, other, false)
			if function == "sets.equivalent" {
				f(other, list, false)
			}
		}
	}
}

func pairsOf(wanted, list traits.Lister, half bool) int {
	pairs := items(wanted) * items(list)
	if half {
		pairs /= 2
	}
	return pairs
}

// pairWork is what comparing two values without parts takes.
const pairWork = 2

// chargeSearch charges for what a call compares.
func chargeSearch(b *worklimit.Budget, function string, args []ref.Val) {
	each(function, args, func(wanted, list traits.Lister, half bool) {
		b.Work(pairWork * pairsOf(wanted, list, half))
		chargeParts(b, wanted, list)
	})
}

// chargeParts charges for the parts of the items that are compared.
func chargeParts(b *worklimit.Budget, wanted, list traits.Lister) {
	if !nested(wanted) || !nested(list) {
		return
	}
	for x := wanted.Iterator(); x.HasNext() == types.True; {
		a := x.Next()
		for y := list.Iterator(); y.HasNext() == types.True; {
			if chargeEquality(b, a, y.Next()) {
				break // it is found
			}
		}
	}
}

// nested reports whether items of a list have parts.
func nested(list traits.Lister) bool {
	for it := list.Iterator(); it.HasNext() == types.True; {
		switch it.Next().(type) {
		case traits.Lister, traits.Mapper:
			return true
		}
	}
	return false
}
