package site

import "strings"

// firstDocument is the first document of a text.
func firstDocument(text string) string {
	first, _, _ := strings.Cut(text, "\n---\n")
	return first + "\n"
}
