package crd

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// inOrder sorts errors about labels and annotations by key. The server walks these maps in random
// order; here the result is stable.
func inOrder(list field.ErrorList) {
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].Field == list[start].Field {
			end++
		}
		if at := list[start].Field; strings.HasSuffix(at, "labels") || strings.HasSuffix(at, "annotations") {
			slices.SortStableFunc(list[start:end], func(a, b *field.Error) int {
				return strings.Compare(fmt.Sprint(a.BadValue), fmt.Sprint(b.BadValue))
			})
		}
		start = end
	}
}
