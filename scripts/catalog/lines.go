package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// typeLines is one type in one release as lines of types.txt, without version ranges.
type typeLines struct {
	head  string   // `struct`, `custom`, a named type's underlying type, or `=` and an alias's type
	lines []string // fields in source order, then enum values
	docs  map[string]string
	refs  []string // types that the lines mention
}

// lines renders one declaration. data/README.md describes the format.
func (r *release) lines(decl *typeDecl) (typeLines, error) {
	w := lineWriter{rel: r, decl: decl, out: typeLines{docs: map[string]string{}}}
	if decl.doc != "" {
		w.out.docs[""] = decl.doc
	}
	switch {
	case decl.custom:
		w.out.head = "custom"
	default:
		if st, ok := decl.spec.Type.(*ast.StructType); ok {
			w.out.head = "struct" + structMarks(decl.marks)
			for _, f := range st.Fields.List {
				if err := w.field(f); err != nil {
					return typeLines{}, fmt.Errorf("%s: %w", decl.id, err)
				}
			}
			break
		}
		expr, err := w.expr(decl.spec.Type)
		if err != nil {
			return typeLines{}, fmt.Errorf("%s: %w", decl.id, err)
		}
		w.out.head = expr
		if decl.spec.Assign.IsValid() {
			w.out.head = "=" + expr // an alias: another name for the type
		}
		if decl.marks.has("enum") {
			for _, value := range decl.enum {
				w.out.lines = append(w.out.lines, "="+value)
			}
		}
	}
	return w.out, nil
}

// structMarks renders what a type's own comment says about merging.
func structMarks(m markers) string {
	switch {
	case m.first("structType") != "":
		return " map=" + m.first("structType")
	case m.first("mapType") != "":
		return " map=" + m.first("mapType")
	}
	return ""
}

// lineWriter renders the lines of one type.
type lineWriter struct {
	rel  *release
	decl *typeDecl
	out  typeLines
}

func (w *lineWriter) field(f *ast.Field) error {
	var tag reflect.StructTag
	if f.Tag != nil {
		text, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return err
		}
		tag = reflect.StructTag(text)
	}
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	if name == "-" {
		return nil
	}
	expr, err := w.expr(f.Type)
	if err != nil {
		return err
	}
	if len(f.Names) == 0 && name == "" {
		w.out.lines = append(w.out.lines, "+ "+expr)
		return nil
	}
	if name == "" {
		if len(f.Names) != 1 || !f.Names[0].IsExported() {
			return nil
		}
		name = f.Names[0].Name
	}
	marks, doc := readComment(f.Doc)
	if doc != "" {
		w.out.docs[name] = doc
	}
	key := name
	for _, option := range strings.Split(options, ",") {
		switch option {
		case "omitempty":
			key += "?"
		case "omitzero":
			key += "!"
		case "":
		default:
			return fmt.Errorf("field %s: unknown JSON option %q", name, option)
		}
	}
	merging, err := w.fieldMarks(marks, tag)
	if err != nil {
		return fmt.Errorf("field %s: %w", name, err)
	}
	w.out.lines = append(w.out.lines, key+" "+expr+merging)
	return nil
}

// fieldMarks renders what a field's comment and struct tag say about merging and defaults. Patch
// strategies only count without a list type, as in kube-openapi's schema conversion.
func (w *lineWriter) fieldMarks(m markers, tag reflect.StructTag) (string, error) {
	var b strings.Builder
	keys := m["listMapKey"]
	switch list := m.first("listType"); {
	case list == "map":
		b.WriteString(" list=map(" + strings.Join(keys, ",") + ")")
	case list != "":
		b.WriteString(" list=" + list)
	case strings.HasPrefix(tag.Get("patchStrategy"), "merge"):
		if key := tag.Get("patchMergeKey"); key != "" {
			b.WriteString(" list=map(" + key + ")")
		} else {
			b.WriteString(" list=set")
		}
	}
	b.WriteString(structMarks(m))
	if value := m.first("default"); value != "" {
		value, err := w.defaultValue(value)
		if err != nil {
			return "", err
		}
		b.WriteString(" default=" + value)
	}
	return b.String(), nil
}

// defaultValue renders a default as compact JSON; "ref(Constant)" names a string
// constant of the same package.
func (w *lineWriter) defaultValue(value string) (string, error) {
	if name, ok := strings.CutPrefix(value, "ref("); ok {
		name = strings.TrimSuffix(name, ")")
		constant, ok := w.rel.consts[w.decl.file.pkg.id+"."+name]
		if !ok {
			return "", fmt.Errorf("default refers to the unknown constant %s", name)
		}
		return strconv.Quote(constant), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(value)); err != nil {
		return "", fmt.Errorf("default %s: %w", value, err)
	}
	return b.String(), nil
}

// expr renders a Go type expression, packages by their catalog names.
func (w *lineWriter) expr(e ast.Expr) (string, error) {
	switch t := e.(type) {
	case *ast.StarExpr:
		inner, err := w.expr(t.X)
		return "*" + inner, err
	case *ast.ArrayType:
		inner, err := w.expr(t.Elt)
		return "[]" + inner, err
	case *ast.MapType:
		key, err := w.expr(t.Key)
		if err != nil {
			return "", err
		}
		value, err := w.expr(t.Value)
		return "map[" + key + "]" + value, err
	case *ast.Ident:
		if !t.IsExported() {
			return t.Name, nil
		}
		w.out.refs = append(w.out.refs, w.decl.file.pkg.id+"."+t.Name)
		return t.Name, nil
	case *ast.SelectorExpr:
		pkg, ok := t.X.(*ast.Ident)
		if !ok {
			break
		}
		id := w.decl.file.imports[pkg.Name] + "." + t.Sel.Name
		w.out.refs = append(w.out.refs, id)
		return id, nil
	}
	return "", fmt.Errorf("cannot render type expression %T", e)
}
