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

// TestEveryCode compares the registry with the codes in the source: a code that
// is used has an entry, an entry is of a code that is used.
func TestEveryCode(t *testing.T) {
	used := codesInSource(t, "../../..", "engine", "cmd")
	if len(used) < 100 {
		t.Fatalf("found only %d codes in the source; the search is broken", len(used))
	}
	known := map[string]bool{}
	for _, c := range codes.All() {
		if known[c.Code] {
			t.Errorf("%s is there twice", c.Code)
		}
		known[c.Code] = true
		if used[c.Code] == "" {
			t.Errorf("%s has an entry, but nothing reports it", c.Code)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(used)) {
		if !known[code] {
			t.Errorf("%s has no entry; it is reported in %s", code, used[code])
		}
	}
}

// codesInSource finds the codes of diagnostics, notes, findings and link errors
// by the syntax of the source: constants called Code..., constants of type
// LinkErrorCode, arguments for a parameter called code, and fields called Code
// or code. The value says where the code was found.
func codesInSource(t *testing.T, root string, folders ...string) map[string]string {
	t.Helper()
	s := &search{fset: token.NewFileSet(), consts: map[string]map[string]string{}, params: map[string]map[string]int{}, fields: map[string]map[string]int{}, found: map[string]string{}}
	packages := map[string][]*ast.File{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "engine/report/codes") {
				return err
			}
			file, err := parser.ParseFile(s.fset, path, nil, parser.SkipObjectResolution)
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, files := range packages {
		for _, f := range files {
			s.declarations(f)
		}
	}
	for _, files := range packages {
		for _, f := range files {
			s.uses(f)
		}
	}
	return s.found
}

// search holds what is declared, by the name of the package.
type search struct {
	fset   *token.FileSet
	consts map[string]map[string]string // values of string constants
	params map[string]map[string]int    // the index of the parameter code of functions
	fields map[string]map[string]int    // the index of the field code of structs
	found  map[string]string
}

func (s *search) declarations(f *ast.File) {
	name := f.Name.Name
	if s.consts[name] == nil {
		s.consts[name], s.params[name], s.fields[name] = map[string]string{}, map[string]int{}, map[string]int{}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					if value, ok := literal(n.Values[i]); ok {
						s.consts[name][id.Name] = value
						if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "LinkErrorCode" {
							s.add(n, value)
						}
					}
				}
			}
		case *ast.FuncDecl:
			if i := fieldIndex(n.Type.Params); i >= 0 {
				s.params[name][n.Name.Name] = i
			}
		case *ast.TypeSpec:
			if st, ok := n.Type.(*ast.StructType); ok {
				if i := fieldIndex(st.Fields); i >= 0 {
					s.fields[name][n.Name.Name] = i
				}
			}
		}
		return true
	})
}

// fieldIndex is the index of the parameter or field that is called code and is
// a string, -1 without one.
func fieldIndex(list *ast.FieldList) int {
	i := 0
	for _, f := range list.List {
		for _, id := range f.Names {
			if kind, ok := f.Type.(*ast.Ident); ok && strings.EqualFold(id.Name, "code") && kind.Name == "string" {
				return i
			}
			i++
		}
	}
	return -1
}

func (s *search) uses(f *ast.File) {
	name := f.Name.Name
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if strings.HasPrefix(n.Name, "Code") {
				s.add(n, s.consts[name][n.Name])
			}
		case *ast.CallExpr:
			called := n.Fun
			in := name
			if sel, ok := called.(*ast.SelectorExpr); ok {
				called = sel.Sel
				if sel.Sel.IsExported() {
					in = s.packageOf(sel.Sel.Name, name)
				}
			}
			if id, ok := called.(*ast.Ident); ok {
				if i, ok := s.params[in][id.Name]; ok && i < len(n.Args) {
					s.value(name, n.Args[i])
				}
			}
		case *ast.CompositeLit:
			s.composite(name, n)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name == "code" && i < len(n.Rhs) {
					s.value(name, n.Rhs[i])
				}
			}
		}
		return true
	})
}

// packageOf finds the package of an exported method: that of the caller, or the
// only other one that has it.
func (s *search) packageOf(method, caller string) string {
	if _, ok := s.params[caller][method]; ok {
		return caller
	}
	for name, params := range s.params {
		if _, ok := params[method]; ok {
			return name
		}
	}
	return caller
}

func (s *search) composite(name string, n *ast.CompositeLit) {
	in, typeName := name, ""
	switch kind := n.Type.(type) {
	case *ast.Ident:
		typeName = kind.Name
	case *ast.SelectorExpr:
		if id, ok := kind.X.(*ast.Ident); ok {
			in, typeName = id.Name, kind.Sel.Name
		}
	}
	for i, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "code") {
				s.value(name, kv.Value)
			}
		} else if index, ok := s.fields[in][typeName]; ok && index == i {
			s.value(name, e)
		}
	}
}

// value adds the code that an expression stands for, if it is a literal or a
// constant.
func (s *search) value(name string, e ast.Expr) {
	if v, ok := literal(e); ok {
		s.add(e, v)
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		s.add(e, s.consts[name][e.Name])
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			s.add(e, s.consts[id.Name][e.Sel.Name])
		}
	}
}

func (s *search) add(at ast.Node, code string) {
	if code != "" && s.found[code] == "" {
		s.found[code] = s.fset.Position(at.Pos()).String()
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
