package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// release has everything from one Kubernetes minor version's modules.
type release struct {
	releaseSource
	types  map[string]*typeDecl // by catalog name: "apps/v1.Deployment"
	kinds  []kindDecl
	consts map[string]string // string constants by catalog name
}

// typeDecl is one Go type declaration.
type typeDecl struct {
	id     string
	spec   *ast.TypeSpec
	file   *goFile
	marks  markers // from the type's own doc comment
	above  markers // and from the comment above: client generator marks
	doc    string
	custom bool     // decodes itself: has a method UnmarshalJSON
	enum   []string // string constants in source order
}

// kindDecl is one kind registered in a scheme.
type kindDecl struct {
	pkg   string // "apps/v1"
	group string // "apps", "" for core
	name  string
}

// goFile is a parsed source file. imports maps its package names to import paths.
type goFile struct {
	pkg     sourcePackage
	ast     *ast.File
	imports map[string]string
}

// loader collects one release's declarations.
type loader struct {
	fset   *token.FileSet
	rel    *release
	byPath map[string]string // import path -> catalog package name
	groups map[string]string // catalog package name -> API group
	enums  map[string][]string
	custom map[string]bool
}

// loadRelease reads all packages of one release.
func loadRelease(root string, src releaseSource) (*release, error) {
	packages, err := packagesOf(root, src)
	if err != nil {
		return nil, err
	}
	l := &loader{
		fset:   token.NewFileSet(),
		rel:    &release{releaseSource: src, types: map[string]*typeDecl{}, consts: map[string]string{}},
		byPath: map[string]string{},
		groups: map[string]string{},
		enums:  map[string][]string{},
		custom: map[string]bool{},
	}
	for _, p := range packages {
		l.byPath[p.path] = p.id
	}
	for _, p := range packages {
		if err := l.loadPackage(p); err != nil {
			return nil, err
		}
	}
	for id, decl := range l.rel.types {
		decl.enum, decl.custom = l.enums[id], l.custom[id]
		decl.file.resolve(l.byPath)
	}
	for i := range l.rel.kinds {
		l.rel.kinds[i].group = l.groups[l.rel.kinds[i].pkg]
	}
	return l.rel, nil
}

func (l *loader) loadPackage(p sourcePackage) error {
	names, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no Go files for %s", p.path)
	}
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_") || strings.HasPrefix(base, "generated.") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(l.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		l.loadFile(p, file)
	}
	return nil
}

func (l *loader) loadFile(p sourcePackage, file *ast.File) {
	f := &goFile{pkg: p, ast: file, imports: map[string]string{}}
	for _, imp := range file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value) // the parser accepted it
		name := filepath.Base(path)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		f.imports[name] = path
	}
	previous := file.Name.End()
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			l.loadMethod(p, d)
			l.loadRegistration(p, d)
		case *ast.GenDecl:
			switch d.Tok {
			case token.TYPE:
				l.loadTypes(f, d, previous)
			case token.CONST:
				l.loadConstants(p, d)
			}
		}
		previous = decl.End()
	}
}

// loadTypes records one declaration's types. previous is the end of the preceding declaration: all
// comments in between belong to this one.
func (l *loader) loadTypes(f *goFile, d *ast.GenDecl, previous token.Pos) {
	for _, s := range d.Specs {
		spec := s.(*ast.TypeSpec)
		if spec.TypeParams != nil || !spec.Name.IsExported() {
			continue
		}
		doc := spec.Doc
		if doc == nil {
			doc = d.Doc
		}
		decl := &typeDecl{id: f.pkg.id + "." + spec.Name.Name, spec: spec, file: f}
		decl.marks, decl.doc = readComment(doc)
		decl.above = markers{}
		for _, group := range f.ast.Comments {
			if group.Pos() > previous && group.End() < spec.Pos() {
				marks, _ := readComment(group)
				decl.above.add(marks)
			}
		}
		l.rel.types[decl.id] = decl
	}
}

// loadConstants records string constants by their declared type, for enums,
// and the API group that the package names.
func (l *loader) loadConstants(p sourcePackage, d *ast.GenDecl) {
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		for i, name := range spec.Names {
			if i >= len(spec.Values) {
				break
			}
			lit, ok := spec.Values[i].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			value, _ := strconv.Unquote(lit.Value)
			l.rel.consts[p.id+"."+name.Name] = value
			if name.Name == "GroupName" {
				l.groups[p.id] = value
			}
			if typ, ok := spec.Type.(*ast.Ident); ok {
				id := p.id + "." + typ.Name
				l.enums[id] = append(l.enums[id], value)
			}
		}
	}
}

// loadMethod records the types that decode themselves from JSON.
func (l *loader) loadMethod(p sourcePackage, d *ast.FuncDecl) {
	if d.Recv == nil || d.Name.Name != "UnmarshalJSON" {
		return
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if ident, ok := typ.(*ast.Ident); ok {
		l.custom[p.id+"."+ident.Name] = true
	}
}

// loadRegistration finds calls of AddKnownTypes(version, &Kind{}, ...).
func (l *loader) loadRegistration(p sourcePackage, d *ast.FuncDecl) {
	if d.Body == nil || !strings.Contains(p.id, "/") || p.id == "meta/v1" {
		return
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "AddKnownTypes" {
			return true
		}
		for _, arg := range call.Args[1:] {
			unary, ok := arg.(*ast.UnaryExpr)
			if !ok {
				continue
			}
			lit, ok := unary.X.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if ident, ok := lit.Type.(*ast.Ident); ok {
				l.rel.kinds = append(l.rel.kinds, kindDecl{pkg: p.id, name: ident.Name})
			}
		}
		return true
	})
}

// resolve replaces import paths by catalog package names.
func (f *goFile) resolve(byPath map[string]string) {
	for name, path := range f.imports {
		if id, ok := byPath[path]; ok {
			f.imports[name] = id
		}
	}
}
