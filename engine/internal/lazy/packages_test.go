package lazy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingCompiledAtStart looks for regular expressions that packages of the
// engine for the browser compile when the program starts.
func TestNothingCompiledAtStart(t *testing.T) {
	files := 0
	for _, root := range []string{"../..", "../../../web/bridge", "../../../wasm", "../../../render/html", "../../../render/path"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declaration := range file.Decls {
				if g, ok := declaration.(*ast.GenDecl); ok && g.Tok == token.VAR && compiles(g) {
					t.Errorf("%s: a variable of the package compiles a regular expression; use lazy.Regexp", path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 200 {
		t.Errorf("only %d files were found", files)
	}
}

// compiles reports whether a declaration calls the package regexp outside of
// functions.
func compiles(declaration ast.Node) bool {
	found := false
	ast.Inspect(declaration, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "regexp" && (n.Sel.Name == "MustCompile" || n.Sel.Name == "Compile") {
				found = true
			}
		}
		return true
	})
	return found
}
