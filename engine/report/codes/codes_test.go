package codes_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// TestEveryCode scans the source: codes are always reported by their constants, and every constant
// is used.
func TestEveryCode(t *testing.T) {
	s := search{test: t, constants: constants(t), unused: map[string]bool{}, parameters: map[string]int{}}
	for name := range s.constants {
		s.unused[name] = true
	}
	const root = "../../.."
	for _, folder := range []string{"engine", "cmd", "render", "web", "wasm"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !handwritten(path) {
				return err
			}
			file, err := parser.ParseFile(s.files(), path, nil, parser.SkipObjectResolution)
			s.parsed = append(s.parsed, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range s.parsed {
		ast.Inspect(f, s.declaration)
	}
	for _, f := range s.parsed {
		ast.Inspect(f, s.use)
	}
	for _, name := range slices.Sorted(maps.Keys(s.unused)) {
		t.Errorf("%s has an entry, but nothing reports it", s.constants[name])
	}
}

// handwritten reports whether a source file may report a code.
func handwritten(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "_templ.go") &&
		!strings.Contains(filepath.ToSlash(path), "engine/report/codes/") &&
		!strings.Contains(filepath.ToSlash(path), "web/build/") // copies of libraries
}

// constants returns this package's constants by name.
func constants(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "constants.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			out[spec.Names[0].Name], _ = literal(spec.Values[0])
		}
		return true
	})
	var known []string
	for _, e := range codes.All() {
		known = append(known, e.Code)
	}
	if got := slices.Sorted(maps.Values(out)); !slices.Equal(got, slices.Sorted(slices.Values(known))) {
		t.Errorf("the constants are not those of the files in data: go run ./scripts/docs")
	}
	return out
}

// search walks the source's syntax trees.
type search struct {
	test       *testing.T
	set        *token.FileSet
	parsed     []*ast.File
	constants  map[string]string // values by name
	unused     map[string]bool   // names of unused constants
	parameters map[string]int    // index of the code parameter, by folder and function
}

func (s *search) files() *token.FileSet {
	if s.set == nil {
		s.set = token.NewFileSet()
	}
	return s.set
}

// function names a node's function in its folder.
func (s *search) function(at ast.Node, name string) string {
	return filepath.Dir(s.set.Position(at.Pos()).Filename) + " " + name
}

// declaration records functions with a code parameter.
func (s *search) declaration(n ast.Node) bool {
	f, ok := n.(*ast.FuncDecl)
	if !ok {
		return true
	}
	i := 0
	for _, field := range f.Type.Params.List {
		for _, id := range field.Names {
			if id.Name == "code" {
				s.parameters[s.function(f, f.Name.Name)] = i
			}
			i++
		}
	}
	return true
}

func (s *search) use(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok && id.Name == "codes" {
			delete(s.unused, n.Sel.Name)
		}
	case *ast.BasicLit:
		value, ok := literal(n)
		for name, code := range s.constants {
			if ok && code == value {
				s.test.Errorf("%s: write codes.%s instead of %s", s.set.Position(n.Pos()), name, n.Value)
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "code") {
			s.named(n.Value)
		}
	case *ast.CallExpr:
		called := n.Fun
		if selector, ok := called.(*ast.SelectorExpr); ok {
			called = selector.Sel
		}
		if id, ok := called.(*ast.Ident); ok {
			if i, ok := s.parameters[s.function(n, id.Name)]; ok && i < len(n.Args) {
				s.named(n.Args[i])
			}
		}
	}
	return true
}

// named reports a code that is not a constant.
func (s *search) named(e ast.Expr) {
	if value, ok := literal(e); ok {
		s.test.Errorf("%s: %q is no constant of package codes: give it a file in data, and run go run ./scripts/docs", s.set.Position(e.Pos()), value)
	}
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	v, err := strconv.Unquote(lit.Value)
	return v, err == nil
}

// TestParse: an invalid file is rejected with its reason.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"title: A\ngroup: texts\nseverity: error\nrepairs: no\n\nMeaning.\n", ""},
		{"title: A\nGroup\n\nMeaning.\n", `"Group" is not a line of the head`},
		{"title: A\ncolour: red\n\nMeaning.\n", `the head has no field "colour"`},
	} {
		_, err := codes.Parse("a-code", []byte(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}
