package expr

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// What changed between the cel-go of an older Kubernetes version and ours.

// formattedTwiceUntil is the last minor version in which the text of a syntax
// error is used as a format once more, which shows when it has a % in it.
const formattedTwiceUntil = 32

func formatTwice(issues *cel.Issues) {
	for _, e := range issues.Errors() {
		if strings.HasPrefix(e.Message, "Syntax error: ") {
			e.Message = fmt.Sprintf(e.Message, []any{}...)
		}
	}
}

// negativeRangeUntil is the last minor version in which lists.range of a
// negative number is an empty list; later it is an error.
const negativeRangeUntil = 36

// maxRange is the longest list that the older lists.range makes here. The
// server has no limit; a list as long as this costs more than a call may.
const maxRange = PerCallLimit

// oldRange is lists.range up to 1.36.
func oldRange() cel.EnvOption {
	return cel.Function("lists.range", cel.Overload("lists_range", []*cel.Type{cel.IntType}, cel.ListType(cel.IntType),
		cel.UnaryBinding(func(n ref.Val) ref.Val {
			count := int64(n.(types.Int))
			if count > maxRange {
				return types.NewErr("lists.range: %d items are more than can be evaluated here", count)
			}
			list := make([]ref.Val, max(count, 0))
			for i := range list {
				list[i] = types.Int(i)
			}
			return types.DefaultTypeAdapter.NativeToValue(list)
		})))
}
