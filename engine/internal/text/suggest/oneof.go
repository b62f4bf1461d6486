package suggest

import "strings"

// OneOf is the allowed value that was most likely meant by another one: the same in other
// capitals, or the nearest; empty if there is none.
func OneOf(options []string, got string) string {
	for _, option := range options {
		if strings.EqualFold(option, got) {
			return option
		}
	}
	best, _ := Of(options, got)
	return best
}

// Supported is OneOf for the values that a message of the server lists (supported values:
// "a", "b"); empty if it lists none.
func Supported(message, got string) string {
	_, list, ok := strings.Cut(message, "supported values: ")
	if !ok {
		return ""
	}
	return OneOf(strings.Split(strings.NewReplacer(`"`, "", " ", "").Replace(list), ","), got)
}
