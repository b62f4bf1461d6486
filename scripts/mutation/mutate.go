package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of one operator or statement.
type mutant struct {
	ID   int
	File string // from the top of the repository
	Line int
	What string // what changes, in words
	Text string // the line
}

// row is the mutant as a row of a table.
func (m mutant) row() string {
	return fmt.Sprintf("| %s:%d | %s | `%s` |", m.File, m.Line, m.What, strings.ReplaceAll(m.Text, "|", `\|`))
}

// edit replaces a range of a file.
type edit struct {
	from, to int
	text     string
	order    int // of edits at one place: those that open outer ones first
}

// mutator makes all mutants of files at once: each is a call with its number, which does
// what was written unless that number is chosen when the program runs.
type mutator struct {
	mutants []mutant
	files   *token.FileSet
	file    string
	source  []byte
	edits   []edit
}

// mutate returns the text of a file with all of its mutants in it.
func (m *mutator) mutate(path string) ([]byte, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m.files = token.NewFileSet()
	parsed, err := parser.ParseFile(m.files, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	m.file, m.source, m.edits = filepath.ToSlash(path), source, nil
	before := len(m.mutants)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			m.walk(f.Body)
		}
	}
	if len(m.mutants) == before {
		return source, nil
	}
	name := m.offset(parsed.Name.End())
	m.edits = append(m.edits, edit{from: name, to: name, text: `; import "github.com/preadmit/preadmit/engine/internal/mutated"`})
	return m.apply(), nil
}

// apply makes the edits, from the front.
func (m *mutator) apply() []byte {
	slices.SortStableFunc(m.edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.order - b.order
	})
	var out []byte
	at := 0
	for _, e := range m.edits {
		out = append(append(out, m.source[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, m.source[at:]...)
}

func (m *mutator) offset(p token.Pos) int { return m.files.Position(p).Offset }

// add notes a mutant.
func (m *mutator) add(at token.Pos, what string) int {
	line := m.files.Position(at).Line
	text, _, _ := strings.Cut(string(m.source[m.offset(at)-m.files.Position(at).Column+1:]), "\n")
	m.mutants = append(m.mutants, mutant{ID: len(m.mutants) + 1, File: m.file, Line: line, What: what, Text: strings.TrimSpace(text)})
	return len(m.mutants)
}

// around puts text before and after a node. Nodes are visited from the outside: before
// one, what belongs to the outer comes first, and behind it last.
func (m *mutator) around(n ast.Node, before, after string) {
	from, to := m.offset(n.Pos()), m.offset(n.End())
	m.edits = append(m.edits, edit{from, from, before, len(m.edits) + 1_000_000}, edit{to, to, after, -len(m.edits)})
}

func (m *mutator) replace(at token.Pos, old, text string) {
	from := m.offset(at)
	m.edits = append(m.edits, edit{from: from, to: from + len(old), text: text})
}

// boundaries are the functions for comparisons that have one.
var boundaries = map[token.Token][2]string{token.LSS: {"Less", "<="}, token.LEQ: {"LessOrEqual", "<"}, token.GTR: {"Greater", ">="}, token.GEQ: {"GreaterOrEqual", ">"}}

// walk makes the mutants of a body.
func (m *mutator) walk(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok && s != body && onlyReports(s) {
			if choice, ok := s.(*ast.IfStmt); ok && choice.Init != nil {
				m.walk(choice.Init)
			}
			return false
		}
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.IfStmt:
			m.around(n.Cond, fmt.Sprintf("mutated.Never(%d, ", m.add(n.Cond.Pos(), "the body of the if is removed")), ")")
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				m.around(n, fmt.Sprintf("mutated.Flip(%d, ", m.add(n.Pos(), "! is dropped")), ")")
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if name, ok := r.(*ast.Ident); ok && (name.Name == "true" || name.Name == "false") {
					m.around(r, fmt.Sprintf("mutated.Flip(%d, ", m.add(r.Pos(), "returns the opposite of "+name.Name)), ")")
				}
			}
		case *ast.BinaryExpr:
			m.binary(n)
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		}
		return true
	})
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.EQL, token.NEQ:
		m.around(n, fmt.Sprintf("mutated.Flip(%d, ", m.add(n.OpPos, "the opposite of "+n.Op.String())), ")")
	case token.LAND, token.LOR:
		name, other := "And", "||"
		if n.Op == token.LOR {
			name, other = "Or", "&&"
		}
		m.around(n, fmt.Sprintf("mutated.%s(%d, ", name, m.add(n.OpPos, n.Op.String()+" becomes "+other)), ") })")
		m.replace(n.OpPos, n.Op.String(), ", func() bool { return (")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		b := boundaries[n.Op]
		m.around(n, fmt.Sprintf("mutated.%s(%d, ", b[0], m.add(n.OpPos, n.Op.String()+" becomes "+b[1])), ")")
		m.replace(n.OpPos, n.Op.String(), ", ")
	}
}

// statements removes calls whose results nobody wants, and assignments.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		if onlyReports(s) {
			continue
		}
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); !ok || isPanic(call) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || isBlank(s) {
				continue
			}
		default:
			continue
		}
		m.around(s, fmt.Sprintf("if mutated.Runs(%d) { ", m.add(s.Pos(), "the statement is removed")), " }")
	}
}

func isPanic(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return ok && name.Name == "panic"
}

// isBlank reports whether an assignment only keeps the compiler quiet.
func isBlank(s *ast.AssignStmt) bool {
	return !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return !ok || name.Name != "_"
	})
}
