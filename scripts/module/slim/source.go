package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// source is a package whose declarations can be cut.
type source struct {
	set   *token.FileSet
	files []*file
	known map[string]*listed
	// shaken keeps packages that are imported for what they do when the program starts.
	shaken bool
}

type file struct {
	name    string
	text    []byte
	tree    *ast.File
	dropped bool
	units   []*unit
}

// unit is what is kept or cut as a whole: a function, a method, a type, the
// constants of one block, the variables of one line.
type unit struct {
	names    []string // "Name", "Type.Method", "init", "_"
	node     ast.Node
	doc      *ast.CommentGroup
	group    *ast.GenDecl // the declaration in brackets that it is part of
	cut      bool
	mentions map[string]bool
	// selected are the names after a dot, by the name before it where that is no variable of the unit: those of
	// packages are among them.
	selected map[string]map[string]bool
}

func readPackage(dir string, names []string, known map[string]*listed) (*source, error) {
	s := &source{set: token.NewFileSet(), known: known}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(s.set, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		f := &file{name: name, text: text, tree: tree}
		for _, d := range tree.Decls {
			f.units = append(f.units, unitsOf(d)...)
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

func unitsOf(d ast.Decl) []*unit {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		return []*unit{newUnit(d, d.Doc, nil, name)}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return nil
		}
		if d.Tok == token.CONST { // the value of one may be that of the line before
			var names []string
			for _, spec := range d.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					names = append(names, name.Name)
				}
			}
			return []*unit{newUnit(d, d.Doc, nil, names...)}
		}
		var units []*unit
		for _, spec := range d.Specs {
			var doc *ast.CommentGroup
			var names []string
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				doc, names = spec.Doc, []string{spec.Name.Name}
			case *ast.ValueSpec:
				doc = spec.Doc
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
			if d.Lparen.IsValid() {
				units = append(units, newUnit(spec, doc, d, names...))
			} else {
				units = append(units, newUnit(d, d.Doc, nil, names...))
			}
		}
		return units
	}
	return nil
}

func newUnit(node ast.Node, doc *ast.CommentGroup, group *ast.GenDecl, names ...string) *unit {
	u := &unit{names: names, node: node, doc: doc, group: group, mentions: map[string]bool{}, selected: map[string]map[string]bool{}}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			u.mentions[n.Name] = true
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Obj == nil {
				if u.selected[of.Name] == nil {
					u.selected[of.Name] = map[string]bool{}
				}
				u.selected[of.Name][n.Sel.Name] = true
			}
		}
		return true
	})
	return u
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func (s *source) applyAll(cuts []cut) error {
	for _, c := range cuts {
		if err := s.apply(c); err != nil {
			return err
		}
	}
	return nil
}

// apply does one cut. What it names has to be there.
func (s *source) apply(c cut) error {
	for _, pattern := range c.Files {
		found := false
		for _, f := range s.files {
			if ok, err := path.Match(pattern, f.name); err != nil {
				return err
			} else if ok {
				f.dropped, found = true, true
			}
		}
		if !found {
			return fmt.Errorf("there is no file %s to cut", pattern)
		}
	}
	for _, pattern := range c.Without {
		found := false
		for u := range s.units() {
			if !u.named(pattern) || c.In != "" && s.set.File(u.node.Pos()).Name() != c.In {
				continue
			}
			u.cut, found = true, true
		}
		if !found {
			return fmt.Errorf("there is no declaration %s to cut", pattern)
		}
	}
	if c.Keep != nil {
		return s.keep(c.Keep)
	}
	return nil
}

// units are those that are not cut yet.
func (s *source) units() func(func(*unit) bool) {
	return func(yield func(*unit) bool) {
		for _, f := range s.files {
			if f.dropped {
				continue
			}
			for _, u := range f.units {
				if !u.cut && !yield(u) {
					return
				}
			}
		}
	}
}

func (u *unit) named(pattern string) bool {
	return slices.ContainsFunc(u.names, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// keep cuts everything but the named declarations and what they mention, with the
// methods of the types among it.
func (s *source) keep(patterns []string) error {
	kept := map[*unit]bool{}
	var work []*unit
	add := func(u *unit) {
		if !kept[u] {
			kept[u] = true
			work = append(work, u)
		}
	}
	byName := map[string][]*unit{}
	for u := range s.units() {
		for _, name := range u.names {
			name, _, _ = strings.Cut(name, ".") // a method belongs to its type
			byName[name] = append(byName[name], u)
		}
	}
	for _, pattern := range patterns {
		found := false
		for u := range s.units() {
			if u.named(pattern) {
				add(u)
				found = true
			}
		}
		if !found {
			return fmt.Errorf("there is no declaration %s to keep", pattern)
		}
	}
	for len(work) > 0 {
		u := work[0]
		work = work[1:]
		for _, name := range sortedKeys(u.mentions) {
			if name != "init" && name != "_" {
				for _, other := range byName[name] {
					add(other)
				}
			}
		}
	}
	for u := range s.units() {
		u.cut = !kept[u]
	}
	return nil
}

// write writes the files that still declare something.
func (s *source) write(dir string) error {
	wrote := false
	for _, f := range s.files {
		text, empty := s.print(f)
		if f.dropped || empty && len(f.units) > 0 {
			continue
		}
		wrote = true
		if err := writeFile(filepath.Join(dir, f.name), flatten(text)); err != nil {
			return err
		}
	}
	if !wrote {
		return os.MkdirAll(dir, 0o755)
	}
	return nil
}

// print is the text of a file without what is cut, and whether nothing is left.
func (s *source) print(f *file) (text []byte, empty bool) {
	type span struct{ from, to token.Pos }
	var spans []span
	empty = true
	used := map[string]bool{}
	gone, changed := map[*ast.GenDecl]int{}, false
	for _, u := range f.units {
		if !u.cut {
			empty = false
			for name := range u.selected {
				used[name] = true
			}
			continue
		}
		changed = true
		from := u.node.Pos()
		if u.doc != nil {
			from = u.doc.Pos()
		}
		spans = append(spans, span{from, u.node.End()})
		if u.group != nil {
			gone[u.group]++
		}
	}
	if !changed {
		return f.text, empty
	}
	for _, d := range f.tree.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		if gone[d] > 0 && gone[d] == len(d.Specs) {
			from := d.Pos()
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
			spans = append(spans, span{from, d.End()})
		}
		if d.Tok != token.IMPORT {
			continue
		}
		for _, spec := range d.Specs {
			spec := spec.(*ast.ImportSpec)
			name := s.nameOf(strings.Trim(spec.Path.Value, `"`))
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if name == "." || name == "_" && s.shaken || used[name] {
				continue
			}
			if d.Lparen.IsValid() {
				spans = append(spans, span{spec.Pos(), spec.End()})
			} else {
				spans = append(spans, span{d.Pos(), d.End()})
			}
		}
	}
	text = slices.Clone(f.text)
	for _, span := range spans {
		from, to := s.set.Position(span.from).Offset, s.set.Position(span.to).Offset
		for i := from; i < to; i++ {
			if text[i] != '\n' { // lines keep their numbers
				text[i] = ' '
			}
		}
	}
	return text, empty
}

// nameOf is the name of a package that is imported. Those for other systems are
// not among the known ones, and named by the end of their path.
func (s *source) nameOf(importPath string) string {
	for _, p := range []string{importPath, "vendor/" + importPath} {
		if p := s.known[p]; p != nil {
			return p.Name
		}
	}
	return path.Base(importPath)
}
