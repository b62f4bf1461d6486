package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// exampleMark begins an example in a document: a Go file's name, and a function's unless the whole
// file is meant.
var exampleMark = regexp.MustCompile(`<!-- begin: (\S+_test\.go)(?: (\w+))? -->`)

// examples inserts a document's Go examples.
func examples(root, text string) (string, error) {
	for _, mark := range exampleMark.FindAllStringSubmatch(text, -1) {
		source, err := os.ReadFile(filepath.Join(root, mark[1]))
		if err != nil {
			return "", err
		}
		part, code := mark[1], string(source)
		if mark[2] != "" {
			part += " " + mark[2]
			if code, err = function(mark[1], code, mark[2]); err != nil {
				return "", err
			}
		}
		if text, err = between(text, part, "```go\n"+strings.TrimSpace(code)+"\n```"); err != nil {
			return "", err
		}
	}
	return text, nil
}

// function returns a function from a Go file, with its comment.
func function(file, source, name string) (string, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			start := f.Pos()
			if f.Doc != nil {
				start = f.Doc.Pos()
			}
			return source[set.Position(start).Offset:set.Position(f.End()).Offset], nil
		}
	}
	return "", fmt.Errorf("%s has no function %s", file, name)
}
