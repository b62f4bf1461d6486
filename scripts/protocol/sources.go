package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

const module = "github.com/preadmit/preadmit/"

// sources read from the source of packages what a type does not tell at run time.
type sources struct {
	root string
	read map[string]*source
}

// source is that of one package.
type source struct {
	types  map[string]string   // comments, by the name of the type
	fields map[string]string   // comments, by Type.Field
	values map[string][]string // constants as they are written, by the name of their type
}

func (s sources) of(pkg string) (*source, error) {
	if src := s.read[pkg]; src != nil {
		return src, nil
	}
	folder, ok := strings.CutPrefix(pkg, module)
	if !ok {
		return nil, fmt.Errorf("%s is not ours", pkg)
	}
	files, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(folder), "*.go"))
	if err != nil {
		return nil, err
	}
	src := &source{types: map[string]string{}, fields: map[string]string{}, values: map[string][]string{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		src.note(parsed)
	}
	s.read[pkg] = src
	return src, nil
}

func (s *source) note(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.types[spec.Name.Name] = comment(g.Doc, spec.Doc)
				if t, ok := spec.Type.(*ast.StructType); ok {
					s.noteFields(spec.Name.Name, t)
				}
			case *ast.ValueSpec:
				t, typed := spec.Type.(*ast.Ident)
				if !typed || len(spec.Values) != 1 {
					continue
				}
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
					s.values[t.Name] = append(s.values[t.Name], lit.Value)
				}
			}
		}
	}
}

func (s *source) noteFields(of string, t *ast.StructType) {
	for _, f := range t.Fields.List {
		for _, name := range f.Names {
			s.fields[of+"."+name.Name] = comment(f.Doc, f.Comment)
		}
	}
}

// comment joins comments to one line.
func comment(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		parts = append(parts, strings.Fields(g.Text())...)
	}
	return strings.Join(parts, " ")
}
