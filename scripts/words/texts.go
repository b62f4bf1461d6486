package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// goTexts returns the string literals of a Go file that are sentences. Parts that are
// joined with + are one text.
func goTexts(data []byte) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []text
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil { // visit the type, not the tag
				n.Tag = nil
			}
		case ast.Expr:
			value, whole := literal(n)
			if value == "" {
				return true
			}
			if sentence(value) {
				texts = append(texts, text{files.Position(n.Pos()).Line, plain(value)})
			}
			return !whole
		}
		return true
	})
	return texts, nil
}

// literal returns the string that an expression is, with … for the parts that are not
// literals. whole says that nothing inside is left to look at.
func literal(e ast.Expr) (value string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, leftWhole := literal(e.X)
		right, rightWhole := literal(e.Y)
		if left == "" && right == "" {
			return "", false
		}
		if left == "" {
			left = "…"
		}
		if right == "" {
			right = "…"
		}
		return left + right, leftWhole && rightWhole
	}
	return "", false
}

var words = regexp.MustCompile(`\pL{2,} +\pL+ +\pL{2,}`)

// sentence reports whether a string is written for people: three words in a row.
func sentence(s string) bool { return words.MatchString(s) }

var (
	paragraph = regexp.MustCompile(`\n\s*\n|\n[ \t#-]+`)
	ended     = regexp.MustCompile(`[.!?:]["”)]*$`)
)

// plain puts a text on one line, with a full stop after each paragraph.
func plain(s string) string {
	if strings.Contains(s, "apiVersion: ") { // a manifest
		return ""
	}
	var out []string
	for _, part := range paragraph.Split(s, -1) {
		if part = strings.Join(strings.Fields(part), " "); part != "" && !ended.MatchString(part) {
			part += "."
		}
		out = append(out, part)
	}
	return strings.Join(out, " ")
}

var (
	comment  = regexp.MustCompile(`(?m)^\s*//.*$|(?m)\s//.*$|(?s)/\*.*?\*/`)
	quoted   = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|(?s)`(?:[^`\\\\]|\\\\.)*`")
	inserted = regexp.MustCompile(`\$\{[^}]*\}`)
)

// scriptTexts returns the strings of a TypeScript file that are sentences.
func scriptTexts(data []byte) ([]text, error) {
	source := comment.ReplaceAllStringFunc(string(data), blank)
	var texts []text
	for _, at := range quoted.FindAllStringIndex(source, -1) {
		value := source[at[0]+1 : at[1]-1]
		if value = inserted.ReplaceAllString(value, "…"); sentence(value) {
			texts = append(texts, text{1 + strings.Count(source[:at[0]], "\n"), plain(value)})
		}
	}
	return texts, nil
}

// blank keeps only the line breaks, so that lines keep their numbers.
func blank(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }

var (
	goLine = regexp.MustCompile(`(?m)^\s*(package|import|func|templ|type|var|const|if|for|switch|case|default|return|\}|\)|@|\w+ :?= |\w+\(|//).*$`)
	inline = regexp.MustCompile(`</?(a|b|em|strong|code|span|kbd|small|i)\b(?:[^>"]|"[^"]*")*>`)
	tag    = regexp.MustCompile(`(?s)<(?:[^<>"{]|"[^"]*"|\{[^}]*\})*>`)
	value  = regexp.MustCompile(`\{[^{}]*\}`)
)

// templTexts returns the texts between the tags of a templ file.
func templTexts(data []byte) ([]text, error) {
	source := goLine.ReplaceAllString(string(data), "\x00")
	source = value.ReplaceAllString(source, "…")
	source = inline.ReplaceAllStringFunc(source, blank)
	source = tag.ReplaceAllStringFunc(source, func(s string) string { return "\x00" + blank(s) + "\x00" })
	var texts []text
	line := 1
	for part := range strings.SplitSeq(source, "\x00") {
		if sentence(part) {
			begins := line + strings.Count(part[:len(part)-len(strings.TrimLeft(part, " \t\n"))], "\n")
			texts = append(texts, text{begins, plain(part)})
		}
		line += strings.Count(part, "\n")
	}
	return texts, nil
}

// yamlTexts returns title, description and further texts of a scenario.
func yamlTexts(data []byte) ([]text, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	var texts []text
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			switch n.Content[i].Value {
			case "title", "description", "name", "want", "hint":
				if v := n.Content[i+1]; v.Kind == yaml.ScalarNode && sentence(v.Value) {
					texts = append(texts, text{v.Line, plain(v.Value)})
				}
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(&document)
	return texts, nil
}
