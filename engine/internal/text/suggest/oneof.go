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
	if best, ok := Of(options, got); ok {
		return best
	}
	return withWords(options, got)
}

// withWords is the one option that has all words of got, in their order, and more:
// FieldValueForbidden for FieldForbidden. It is empty where there are several or none.
func withWords(options []string, got string) string {
	best := ""
	for _, option := range options {
		rest, ok := option, true
		for _, word := range words(got) {
			i := strings.Index(rest, word)
			if ok = i >= 0; !ok {
				break
			}
			rest = rest[i+len(word):]
		}
		if !ok {
			continue
		}
		if best != "" {
			return ""
		}
		best = option
	}
	return best
}

// words are the parts of a name that begin with capitals, where there are at least two.
func words(name string) []string {
	var out []string
	from := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || 'A' <= name[i] && name[i] <= 'Z' {
			out, from = append(out, name[from:i]), i
		}
	}
	if len(out) < 2 {
		return []string{"\x00"}
	}
	return out
}

// Supported is OneOf for the values that a message of the server lists (supported values:
// "a", "b"); empty if it lists none.
func Supported(message, got string) string { return OneOf(Listed(message), got) }

// Listed are the values that a message of the server lists as supported or valid.
func Listed(message string) []string {
	_, list, ok := strings.Cut(message, "supported values: ")
	if !ok {
		_, list, ok = strings.Cut(message, "valid values: ")
	}
	if !ok {
		return nil
	}
	return strings.Split(strings.NewReplacer(`"`, "", " ", "").Replace(list), ",")
}
