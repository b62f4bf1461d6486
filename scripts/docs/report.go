package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reportTables describes the report's types, from engine/report and engine/diag.
func reportTables(root string) (string, error) {
	c := contract{structs: map[string]*structType{}, enums: map[string]*enumType{}, lists: map[string]string{}}
	for _, folder := range []string{"report", "diag"} {
		files, err := filepath.Glob(filepath.Join(root, "engine", folder, "*.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return "", err
			}
			c.read(parsed)
		}
	}
	c.spellLists()
	c.visit("Report")
	var b strings.Builder
	b.WriteString(links(c.order))
	for _, name := range c.order {
		c.write(&b, name)
	}
	return b.String(), nil
}

// contract holds the types by name.
type contract struct {
	structs map[string]*structType
	enums   map[string]*enumType
	lists   map[string]string // the items of types that are lists
	order   []string          // documentation order: first use first
}

type structType struct {
	doc    string
	fields []structField
}

type structField struct {
	name, typ, doc string
	optional       bool
	// embedded is a type whose fields are inlined into this one.
	embedded string
}

type enumType struct {
	doc    string
	values [][2]string // value and comment
}

func (c *contract) read(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				doc := plain(g.Doc, spec.Doc)
				switch t := spec.Type.(type) {
				case *ast.StructType:
					c.structs[spec.Name.Name] = &structType{doc: doc, fields: fieldsOf(t)}
				case *ast.Ident:
					c.enum(spec.Name.Name).doc = doc
				case *ast.ArrayType:
					c.lists[spec.Name.Name] = typeName(t.Elt)
				}
			case *ast.ValueSpec:
				if t, ok := spec.Type.(*ast.Ident); ok && len(spec.Values) == 1 {
					if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
						if value, err := strconv.Unquote(lit.Value); err == nil {
							e := c.enum(t.Name)
							e.values = append(e.values, [2]string{value, plain(spec.Comment)})
						}
					}
				}
			}
		}
	}
}

// spellLists writes "list of T" for fields whose type is a named list.
func (c *contract) spellLists() {
	for _, s := range c.structs {
		for i, f := range s.fields {
			if item := c.lists[f.typ]; item != "" {
				s.fields[i].typ = "list of " + item
			}
		}
	}
}

func (c *contract) enum(name string) *enumType {
	if c.enums[name] == nil {
		c.enums[name] = &enumType{}
	}
	return c.enums[name]
}

// fieldsOf returns the fields with a JSON name.
func fieldsOf(t *ast.StructType) []structField {
	var out []structField
	for _, f := range t.Fields.List {
		if len(f.Names) == 0 {
			out = append(out, structField{embedded: typeName(f.Type)})
			continue
		}
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		doc := plain(f.Doc, f.Comment)
		if doc == "" {
			doc = shared(out, f.Names[0].Name)
		}
		out = append(out, structField{name: name, typ: typeName(f.Type), doc: doc, optional: options != ""})
	}
	return out
}

// shared finds an earlier comment that also covers this field: "Text and Span are the place".
func shared(above []structField, name string) string {
	mention := regexp.MustCompile(`\b` + name + `\b`)
	for i := len(above) - 1; i >= 0 && i >= len(above)-3; i-- {
		if mention.MatchString(above[i].doc) {
			return above[i].doc
		}
	}
	return ""
}

// typeName returns a type's name for readers of JSON.
func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return "boolean"
		case "int", "int64":
			return "integer"
		}
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.ArrayType:
		return "list of " + typeName(t.Elt)
	case *ast.MapType:
		if value := typeName(t.Value); value != "any" {
			return "map of " + value
		}
		return "object"
	}
	return "any"
}

var (
	source = regexp.MustCompile(` \(semantics [^)]*\)`)
)

// plain joins comments into one line, without references for programmers.
func plain(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			parts = append(parts, text)
		}
	}
	return source.ReplaceAllString(strings.Join(parts, " "), "")
}

// visit records a type and its fields' types.
func (c *contract) visit(name string) {
	if slices.Contains(c.order, name) {
		return
	}
	s := c.structs[name]
	if s == nil {
		if c.enums[name] != nil {
			c.order = append(c.order, name)
		}
		return
	}
	c.order = append(c.order, name)
	for _, f := range s.fields {
		c.visit(element(f.typ))
		c.visit(f.embedded)
	}
}

// element returns the type of a list's items or a map's values, or the type itself.
func element(typ string) string { return typ[strings.LastIndexByte(typ, ' ')+1:] }

func (c *contract) write(b *strings.Builder, name string) {
	fmt.Fprintf(b, "\n## %s\n\n", name)
	if e := c.enums[name]; e != nil && c.structs[name] == nil {
		fmt.Fprintf(b, "%s One of:\n\n", e.doc)
		for _, v := range e.values {
			fmt.Fprintf(b, "- `%s`", v[0])
			if v[1] != "" {
				b.WriteString(": " + v[1])
			}
			b.WriteString("\n")
		}
		return
	}
	s := c.structs[name]
	fmt.Fprintf(b, "%s\n\n", s.doc)
	var rows [][]string
	for _, f := range s.fields {
		if f.embedded != "" {
			fmt.Fprintf(b, "It has the fields of %s, and:\n\n", c.linked(f.embedded))
			continue
		}
		typ := c.linked(f.typ)
		if f.optional {
			typ += ", optional"
		}
		rows = append(rows, []string{"`" + f.name + "`", typ, f.doc})
	}
	b.WriteString(table([]string{"field", "type", "meaning"}, rows))
}

// linked returns a type with a link to its table.
func (c *contract) linked(typ string) string {
	last := element(typ)
	if c.structs[last] == nil && c.enums[last] == nil {
		return typ
	}
	return strings.TrimSuffix(typ, last) + "[" + last + "](#" + anchor(last) + ")"
}
