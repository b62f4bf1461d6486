package main

import (
	"go/ast"
	"strings"
)

// markers holds a comment's lines that begin with "+", by name: "+listType=map" is listType ->
// [map].
type markers map[string][]string

func (m markers) add(other markers) {
	for name, values := range other {
		m[name] = append(m[name], values...)
	}
}

func (m markers) has(name string) bool { _, ok := m[name]; return ok }

func (m markers) first(name string) string {
	if values := m[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// readComment splits a comment into its markers and its first sentence.
func readComment(group *ast.CommentGroup) (markers, string) {
	marks := markers{}
	if group == nil {
		return marks, ""
	}
	var text []string
	ended := false // lines after "---" are for maintainers
	for _, line := range strings.Split(group.Text()+directives(group), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "+"):
			name, value, _ := strings.Cut(line[1:], "=")
			marks[strings.TrimSpace(name)] = append(marks[strings.TrimSpace(name)], strings.TrimSpace(value))
		case line == "---":
			ended = true
		case ended || strings.HasPrefix(line, "TODO"):
		case line == "" && len(text) > 0:
			ended = true
		case line != "":
			text = append(text, line)
		}
	}
	return marks, firstSentence(strings.Join(text, " "))
}

// directives returns the comment lines that CommentGroup.Text omits because they look like compiler
// directives ("//+marker").
func directives(group *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range group.List {
		if strings.HasPrefix(c.Text, "//+") {
			b.WriteString("\n" + c.Text[2:])
		}
	}
	return b.String()
}

// firstSentence cuts a text after its first sentence, for hover help.
func firstSentence(text string) string {
	const limit = 200
	for i := 0; i+1 < len(text); i++ {
		abbreviation := i >= 3 && (strings.HasSuffix(text[:i+1], "e.g.") || strings.HasSuffix(text[:i+1], "i.e.") || strings.HasSuffix(text[:i+1], "ex."))
		if text[i] == '.' && text[i+1] == ' ' && !abbreviation {
			text = text[:i+1]
			break
		}
	}
	if len(text) > limit {
		cut := strings.LastIndexByte(text[:limit], ' ')
		text = text[:max(cut, 1)] + " ..."
	}
	return text
}
