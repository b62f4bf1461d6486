package version_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// engine is the engine's folder.
var engine = filepath.Join("..", "..")

// sources parses the engine's Go files, without tests and this package.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(engine, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, engine+string(filepath.Separator)))
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/version/") {
			return err
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("only %d files are read", len(files))
	}
	return files
}

// TestEveryBehaviourIsUsed fails for an unused entry of the table: no code, no line in the
// catalog's data and no other entry depends on it.
func TestEveryBehaviourIsUsed(t *testing.T) {
	used := map[string]bool{}
	for name, file := range sources(t) {
		if strings.HasPrefix(name, "analysis/versions/") {
			continue // it only explains differences
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if p, ok := s.X.(*ast.Ident); ok && p.Name == "version" {
					used[s.Sel.Name] = true
				}
			}
			return true
		})
	}
	for _, b := range version.Behaviours() {
		line, follows := b.Data(), b.Follows()
		switch {
		case line != "":
			if err := inData(b, line); err != nil {
				t.Errorf("%s: %v", b, err)
			}
		case follows != nil:
			if follows.Since() != b.Since() || follows.Until() != b.Until() || follows.Follows() != nil {
				t.Errorf("%s cannot follow from %s", b, *follows)
			}
		case !used[b.String()]:
			t.Errorf("nothing in the engine depends on %s", b)
		}
	}
}

// inData checks that the catalog's data has a line whose version range begins or ends where the
// behaviour begins.
func inData(b version.Behaviour, line string) error {
	files, err := filepath.Glob(filepath.Join(engine, "internal", "kube", "catalog", "data", "*.txt"))
	if err != nil {
		return err
	}
	found := false
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for l := range strings.Lines(string(text)) {
			found = found || strings.TrimSpace(l) == line
		}
	}
	if !found {
		return fmt.Errorf("no data has the line %q", line)
	}
	_, ranges, _ := strings.Cut(line, " @")
	with, err := b.Since().In(ranges)
	if err != nil {
		return err
	}
	if without, err := b.Since().Previous().In(ranges); err != nil || with == without {
		return fmt.Errorf("the line %q does not change in %s", line, b.Since())
	}
	return nil
}

// minorText matches a string for splitting or comparing a version.
var minorText = regexp.MustCompile("^[\"`](1\\.|1\\.%d|1\\.3[0-9])[\"`]$")

// TestNobodyElseComparesVersions fails for code outside this package that splits or compares a
// version's text. A Version does not expose its number.
func TestNobodyElseComparesVersions(t *testing.T) {
	for name, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if !slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}, n.Op) {
					return true
				}
				for _, side := range []ast.Expr{n.X, n.Y} {
					if what := bare(side); what != "" {
						t.Errorf("%s: a comparison with %s", name, what)
					}
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					if literal, ok := e.(*ast.BasicLit); ok && minorText.MatchString(literal.Value) {
						t.Errorf("%s: a case for %s", name, literal.Value)
					}
				}
			case *ast.CallExpr:
				for _, arg := range n.Args {
					if literal, ok := arg.(*ast.BasicLit); ok && minorText.MatchString(literal.Value) {
						t.Errorf("%s: a call with %s", name, literal.Value)
					}
				}
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "MajorMinor" || s.Sel.Name == "ParseGeneric" || s.Sel.Name == "AtLeast") {
					t.Errorf("%s: a call of %s", name, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// bare names an operand that is a minor number; empty otherwise.
func bare(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT && regexp.MustCompile(`^3[0-9]$`).MatchString(e.Value) || e.Kind == token.STRING && minorText.MatchString(e.Value) {
			return e.Value
		}
	case *ast.Ident:
		if strings.EqualFold(e.Name, "minor") {
			return e.Name
		}
	case *ast.SelectorExpr:
		return bare(e.Sel)
	case *ast.CallExpr:
		return bare(e.Fun)
	}
	return ""
}

// TestTable checks the table's entries.
func TestTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "behaviours.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, s := range d.Specs {
				names = append(names, s.(*ast.ValueSpec).Names[0].Name)
			}
		}
	}
	semantics, err := os.ReadFile(filepath.Join(engine, "semantics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range version.Behaviours() {
		if b.String() != names[i] {
			t.Errorf("the entry of %s is named %q", names[i], b)
		}
		if !version.Oldest().Before(b.Since()) || !b.Since().Known() || (b.Until() != version.Version{}) && b.Until().Before(b.Since()) {
			t.Errorf("%s is from %s to %s: no two versions differ", b, b.Since(), b.Until())
		}
		if v := b.Since(); !v.Has(b) || v.Previous().Has(b) {
			t.Errorf("%s does not begin in %s", b, v)
		}
		if text := b.Markdown(); text == "" || strings.HasSuffix(text, ".") || strings.Count(text, "`")%2 != 0 || strings.Contains(b.Text(), "`") {
			t.Errorf("%s is no sentence: %q", b, text)
		}
		section, cited := strings.CutPrefix(b.Source(), "semantics §")
		if b.Source() == "" || cited && !strings.Contains(string(semantics), "\n## "+section+". ") && !strings.Contains(string(semantics), "\n### "+section+" ") {
			t.Errorf("%s has the source %q", b, b.Source())
		}
	}
}

func TestAPIs(t *testing.T) {
	for _, test := range []struct{ kind, version, want string }{
		{"ValidatingAdmissionPolicy", "1.30", "v1"}, {"MutatingAdmissionPolicy", "1.31", ""}, {"MutatingAdmissionPolicy", "1.33", "v1alpha1"},
		{"MutatingAdmissionPolicyBinding", "1.35", "v1beta1"}, {"MutatingAdmissionPolicy", "1.36", "v1"}, {"MutatingWebhookConfiguration", "1.37", "v1"},
		{"Pod", "1.37", ""},
	} {
		if got := version.NewestAPI(test.kind, version.MustParse(test.version)); got != test.want {
			t.Errorf("%s on %s: %q, want %q", test.kind, test.version, got, test.want)
		}
	}
	beta := version.APIs("MutatingAdmissionPolicy")[1]
	for text, want := range map[string][2]bool{"1.33": {false, false}, "1.34": {true, false}, "1.36": {true, false}, "1.37": {true, true}} {
		if v := version.MustParse(text); beta.Includes(v) != want[0] || beta.IsDeprecated(v) != want[1] {
			t.Errorf("v1beta1 on %s: %v, %v", v, beta.Includes(v), beta.IsDeprecated(v))
		}
	}
}

func TestFunctions(t *testing.T) {
	for name, want := range map[string]string{"lists.range": "1.35", "first": "1.33", "all": "", "size": "", "ip": "1.31", "includes": "1.38"} {
		since := version.FunctionSince(name)
		if got := since.String(); since != (version.Version{}) && got != want || since == (version.Version{}) && want != "" {
			t.Errorf("%s since %s, want %q", name, got, want)
		}
	}
	for word, want := range map[string]string{"lists": "1.35", "range": "1.35", "all": "1.33", "named": "1.32", "first": "", "jsonpatch": ""} {
		since := version.WordSince(word)
		if got := since.String(); since != (version.Version{}) && got != want || since == (version.Version{}) && want != "" {
			t.Errorf("%s may be known since %s, want %q", word, got, want)
		}
	}
}

func TestIn(t *testing.T) {
	for ranges, want := range map[string]string{"34-": "1.34 1.35 1.36 1.37", "-31": "1.30 1.31", "31-32,36": "1.31 1.32 1.36", "29": ""} {
		var got []string
		for _, v := range version.All() {
			in, err := v.In(ranges)
			if err != nil {
				t.Errorf("%s: %v", ranges, err)
			}
			if in {
				got = append(got, v.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", ranges, got, want)
		}
	}
	for _, ranges := range []string{"x", "3-y", "3x-"} {
		if _, err := version.Oldest().In(ranges); err == nil {
			t.Errorf("%q is accepted", ranges)
		}
	}
}
