package suggest

import "strings"

// OneOf is the allowed value that another one stands for: the same in other capitals, or
// the nearest; empty if there is none.
func OneOf(options []string, got string) string {
	for _, option := range options {
		if strings.EqualFold(option, got) {
			return option
		}
	}
	best, _ := Of(options, got)
	return best
}
