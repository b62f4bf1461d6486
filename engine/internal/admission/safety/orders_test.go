package safety

import (
	"slices"
	"testing"
)

func TestOrders(t *testing.T) {
	for n, want := range map[int]int{2: 1, 3: 5, 4: 4, 5: 5, 9: maxOrders} {
		list := orders(n)
		if len(list) != want {
			t.Errorf("%d policies: %d other orders, want %d", n, len(list), want)
		}
		for _, order := range list {
			sorted := slices.Sorted(slices.Values(order))
			if slices.Equal(order, sorted) || len(slices.Compact(sorted)) != n {
				t.Errorf("%d policies: %v is no other order", n, order)
			}
		}
	}
}
