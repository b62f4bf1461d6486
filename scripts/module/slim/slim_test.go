package main

import (
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/cel/environment"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	_ "k8s.io/apiextensions-apiserver/pkg/features" // registers its gates
	_ "k8s.io/apiserver/pkg/features"               // as above
)

// TestStubs compares what the files of wasm/slim answer with the originals.
func TestStubs(t *testing.T) {
	gates := regexp.MustCompile(`"(\w+)": +(true|false)`).FindAllStringSubmatch(stub(t, "k8s.io/apiserver/pkg/util/feature/feature.go.txt"), -1)
	if len(gates) == 0 {
		t.Fatal("no feature gates found")
	}
	for _, gate := range gates {
		if got := utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(gate[1])); got != (gate[2] == "true") {
			t.Errorf("%s is %v, and %s in wasm/slim", gate[1], got, gate[2])
		}
	}
	version := stub(t, "k8s.io/apiserver/pkg/cel/environment/version.go.txt")
	want := environment.DefaultCompatibilityVersion()
	if call := "version.MajorMinor(" + strings.ReplaceAll(want.String(), ".", ", ") + ")"; !strings.Contains(version, call) {
		t.Errorf("DefaultCompatibilityVersion is %v, and wasm/slim says otherwise", want)
	}
}

// TestOneSortForAll shows that the algorithm of package sort, which the engine for the browser
// has in place of that of slices, puts equal elements where slices does.
func TestOneSortForAll(t *testing.T) {
	type element struct{ key, place int }
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := make([]element, random.IntN(300))
		keys := 1 + random.IntN(40)
		for i := range a {
			a[i] = element{random.IntN(keys), i}
			if random.IntN(3) == 0 && i > 0 { // runs, which have a branch of their own
				a[i].key = a[i-1].key + 1
			}
		}
		b := slices.Clone(a)
		slices.SortFunc(a, func(x, y element) int { return x.key - y.key })
		sort.Slice(b, func(i, j int) bool { return b[i].key < b[j].key })
		if !slices.Equal(a, b) {
			t.Fatalf("%d elements, %d keys: slices %v, sort %v", len(a), keys, a, b)
		}
	}
}

func stub(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../wasm/slim", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const example = `// Package p is an example.
package p

import (
	"fmt"
	"strings"
)

// A is kept.
type A struct{ b B }

// Print is a method of A.
func (A) Print() { fmt.Println(one) }

// Join goes: strings are not needed without it.
func (A) Join() string { return strings.Join(nil, "") }

type B struct{}

const (
	one = iota
	two
)

var (
	left  = 1
	right = two
)

func init() { left++ }
`

func read(t *testing.T, text string) *source {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := readPackage(dir, []string{"p.go"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCut(t *testing.T) {
	tests := []struct {
		name         string
		cut          cut
		there, gone  []string
		wantMistakes bool
	}{
		{"without", cut{Without: []string{"A.Join"}}, []string{"Print", "init", `"fmt"`}, []string{"Join", `"strings"`}, false},
		{"keep", cut{Keep: []string{"B"}}, []string{"type B"}, []string{"type A", "init", `"fmt"`, "iota", "left"}, false},
		{"keep with what it mentions", cut{Without: []string{"*.Join"}, Keep: []string{"A"}}, []string{"type B", "Print", "iota", "two"}, []string{"init", "left"}, false},
		{"one variable of several", cut{Keep: []string{"right"}}, []string{"right", "iota"}, []string{"left"}, false},
		{"a name that is not there", cut{Without: []string{"C"}}, nil, nil, true},
		{"a name to keep that is not there", cut{Keep: []string{"C"}}, nil, nil, true},
		{"a file that is not there", cut{Files: []string{"q.go"}}, nil, nil, true},
		{"another file", cut{In: "q.go", Without: []string{"A"}}, nil, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := read(t, example)
			err := s.apply(test.cut)
			if (err != nil) != test.wantMistakes {
				t.Fatalf("apply: %v", err)
			}
			if err != nil {
				return
			}
			text, _ := s.print(s.files[0])
			for _, part := range test.there {
				if !strings.Contains(string(text), part) {
					t.Errorf("%s is gone from\n%s", part, text)
				}
			}
			for _, part := range test.gone {
				if strings.Contains(string(text), part) {
					t.Errorf("%s is still in\n%s", part, text)
				}
			}
		})
	}
}

// TestFlatten compares the tokens of this folder's files before and after.
func TestFlatten(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		flat := flatten(text)
		if got, want := tokens(flat), tokens(text); got != want {
			t.Errorf("%s has other tokens when it is flat", name)
		}
		if embeds := strings.Count(string(text), "\n//go:embed "); strings.Count(string(flat), "\n//line x:1\n") != 1+embeds {
			t.Errorf("%s does not have the line that all files have at its begin and behind %d directives", name, embeds)
		}
	}
	flat := string(flatten([]byte("//go:build js\n\npackage p\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar a string // a comment\n")))
	if !strings.HasPrefix(flat, "\n//go:build js\n") || !strings.Contains(flat, "\n//go:embed a.txt\n//line x:1\nvar a string") || strings.Contains(flat, "comment") {
		t.Errorf("directives and comments: %q", flat)
	}
}

func tokens(text []byte) string {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", set.Base(), len(text)), text, nil, 0)
	var out strings.Builder
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return out.String()
		}
		if tok == token.SEMICOLON {
			literal = ";" // written or not
		}
		out.WriteString(tok.String() + " " + literal + "\n")
	}
}

// wasm is a module with an import and two functions of four and two bytes.
var wasm = []byte("\x00asm\x01\x00\x00\x00" +
	"\x02\x07\x01\x01m\x01f\x00\x00" +
	"\x0a\x08\x02\x04abcd\x01e" +
	"\x00\x20\x04name\x01\x19\x02\x01\x0fk8s.io_a_b.Keep\x02\x05x.yyy")

func TestReadModule(t *testing.T) {
	m, err := readModule(wasm, map[string]*listed{"k8s.io/a-b": {}})
	if err != nil {
		t.Fatal(err)
	}
	if m.packages["k8s.io/a-b"] != 5 || m.packages["other"] != 2 {
		t.Errorf("bytes of code: %v", m.packages)
	}
	if strings.Contains(string(m.stripped), "Keep") || m.total != len(m.stripped) {
		t.Errorf("%q has names", m.stripped)
	}
	for end := range wasm {
		if _, err := readModule(wasm[:end], nil); err == nil && end < len(wasm)-10 {
			t.Errorf("the first %d bytes are a module", end)
		}
	}
}

func TestCompare(t *testing.T) {
	was := map[string]int{"total": 1_000_000, "a": 500_000}
	tests := []struct {
		name string
		now  map[string]int
		want string
	}{
		{"the same", was, ""},
		{"smaller", map[string]int{"total": 1, "a": 1}, ""},
		{"one percent", map[string]int{"total": 1_010_000, "a": 510_000}, ""},
		{"more", map[string]int{"total": 1_010_001, "a": 510_001}, "a by 10001"},
		{"a new package", map[string]int{"total": 1_000_000, "a": 480_000, "b": 20_000}, "b is new"},
	}
	for _, test := range tests {
		err := compare(was, test.now)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	m := module{total: 30_000, packages: map[string]int{"a": 20_000, "b": 5}}
	got, err := parseTable(m.table())
	if err != nil || got["total"] != 30_000 || got["a"] != 20_000 || len(got) != 2 {
		t.Errorf("the table is read as %v, %v", got, err)
	}
}
