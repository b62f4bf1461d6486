package suggest

import "strings"

// OneOf returns the allowed value that was most likely intended: the same in different case, or the
// nearest; empty if there is none.
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

// withWords returns the only option that has all words of got, in order, and more:
// FieldValueForbidden for FieldForbidden. It is empty if there are several or none.
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

// words splits a name at capitals, if it has at least two words.
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

// Supported is OneOf for the values that a server message lists (supported values: "a", "b"); empty
// if it lists none.
func Supported(message, got string) string { return OneOf(Listed(message), got) }

// Listed returns the values that a server message lists as supported or valid.
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
