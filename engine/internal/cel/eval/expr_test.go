package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

func environments(t testing.TB, minor string) *Environments {
	t.Helper()
	e, err := NewSet().ForVersion(version.MustParse(minor))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var deployment = map[string]any{
	"metadata": map[string]any{"name": "web", "labels": map[string]any{"a": "1"}},
	"spec":     map[string]any{"replicas": int64(3), "n": int64(1), "containers": []any{map[string]any{"name": "x"}}},
}

// The costs are those of semantics §2.2, measured on the server's library.
func TestCosts(t *testing.T) {
	for expression, want := range map[string]int64{
		"true":                               0,
		"1 == 1":                             1,
		"object.spec.replicas > 1":           4,
		"has(object.spec.replicas)":          2,
		"object.metadata.labels['a'] == '1'": 5,
		"authorizer.path('/x').check('get').allowed()": 350004,
	} {
		t.Run(expression, func(t *testing.T) {
			c := environments(t, "1.37").NewCompiler(Run, false, true)
			r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, nil, Budget).Run(c.Compile(expression, Condition))
			if strings.Contains(expression, "authorizer") {
				if !strings.Contains(r.Err, "no such attribute(s): authorizer") {
					t.Fatalf("error %q", r.Err)
				}
				return
			}
			if r.Err != "" || r.Cost != want {
				t.Fatalf("cost %d, error %q; want cost %d", r.Cost, r.Err, want)
			}
		})
	}
}

func TestObjectLiteralCost(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
	r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, nil, Budget).
		Run(c.Compile("Object{spec: Object.spec{n: object.spec.n + 1}}", ApplyConfiguration))
	if r.Err != "" || r.Cost != 84 {
		t.Fatalf("cost %d, error %q; want 84", r.Cost, r.Err)
	}
}

func TestVariablesAreComputedOncePerPass(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
	c.AddVariable(Declaration{"replicas", "object.spec.replicas"})
	c.AddVariable(Declaration{"unused", "object.nope"})
	c.AddVariable(Declaration{"forward", "variables.later"})
	c.AddVariable(Declaration{"later", "1"})
	p := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, c.Variables, Budget)
	for _, expression := range []string{"variables.replicas == 3", "variables.replicas > 2"} {
		if r := p.Run(c.Compile(expression, Condition)); r.Err != "" || r.Value.Value() != true {
			t.Fatalf("%s: %v, error %q", expression, r.Value, r.Err)
		}
	}
	if len(p.Variables) != 1 || p.Variables[0].Reads != 2 || p.Variables[0].Cost != 3 {
		t.Fatalf("variables %+v", p.Variables)
	}
	r := p.Run(c.Compile("variables.forward == 1", Condition))
	if want := `composited variable "forward" fails to compile: compilation failed: ERROR: <input>:1:10: undefined field 'later'`; !strings.Contains(r.Err, want) {
		t.Fatalf("error %q", r.Err)
	}
}

func TestBudgets(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
	e := c.Compile("object.spec.replicas > 1", Condition)
	if p := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, nil, 4); p.Run(e).Err != "" || p.Abort != "" || p.Remaining != 0 {
		t.Error("a budget of exactly the cost must do")
	}
	if p := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, nil, 3); p.Run(e).Value != nil || p.Abort != OutOfBudget {
		t.Error("a budget one unit short must abort")
	}
}

func TestReturnTypes(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Write, false, true)
	for _, test := range []struct {
		expression string
		place      Place
		want       string
	}{
		{"object.spec.paused", Condition, "must evaluate to bool but got dyn"},
		{"object.metadata.name", Message, "must evaluate to string but got dyn"},
		{"1", AuditAnnotation, "must evaluate to one of [string null_type] but got int"},
		{"[]", JSONPatch, "must evaluate to list(JSONPatch) but got list(dyn)"},
		{"{'a': {'b': 1}}", ApplyConfiguration, "must evaluate to Object but got map(string, map(string, int))"},
		{"authorizer.path('/').check('get').allowed() ? 'a' : 'b'", Message, "undeclared reference to 'authorizer' (in container '')"},
		{"true", Condition, ""},
		{"has(object.x) ? [JSONPatch{op: 'remove', path: '/x'}] : []", JSONPatch, ""},
		{"Object{spec: Object.spec{namespace: 1}}", ApplyConfiguration, ""},
	} {
		if got := c.Compile(test.expression, test.place).Err; (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.expression, got, test.want)
		}
	}
}

func TestNullsAndVersions(t *testing.T) {
	c := environments(t, "1.30").NewCompiler(Run, true, true)
	p := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, nil, Budget)
	for _, expression := range []string{"oldObject == null", "params == null", "namespaceObject == null", "!has(oldObject.spec)"} {
		if r := p.Run(c.Compile(expression, Condition)); r.Err != "" || r.Value.Value() != true {
			t.Errorf("%s: %v %q", expression, r.Value, r.Err)
		}
	}
	if got := c.Compile("isSemver('1.0.0')", Condition).Err; !strings.Contains(got, "undeclared reference to 'isSemver'") {
		t.Errorf("1.30 knows semver: %q", got)
	}
	if r := p.Run(c.Compile("quantity('1Gi').isGreaterThan(quantity('1Mi'))", Condition)); r.Cost != 3 {
		t.Errorf("library calls cost 1 each before 1.32: %d %q", r.Cost, r.Err)
	}
}

// TestIndexOfBehindTheEnd: up to 1.31 (cel-go 0.20) it is an error.
func TestIndexOfBehindTheEnd(t *testing.T) {
	for _, test := range []struct {
		expression string
		old        string // the error up to 1.31
	}{
		{"''.indexOf('e') == -1", "index out of range: 0"},
		{"'abc'.indexOf('c', 3) == -1", "index out of range: 3"},
		{"'abc'.lastIndexOf('c', 3) == -1", "index out of range: 3"},
		{"'a'.split('b')[1].indexOf('e') == 1", ""},
		{"'äbc'.indexOf('c', 2) == 2", ""},
		{"'abc'.lastIndexOf('b') == 1 && 'abc'.indexOf('') == 0 && ''.indexOf('') == 0 && [1, 2].indexOf(2) == 1", ""},
	} {
		for minor, want := range map[string]string{"1.31": test.old, "1.32": ""} {
			envs, err := NewSet().ForVersion(version.MustParse(minor))
			if err != nil {
				t.Fatal(err)
			}
			compiled := envs.NewCompiler(Run, false, false).Compile(test.expression, Condition)
			if !compiled.OK() {
				t.Fatal(compiled.Err)
			}
			r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{}, nil, Budget).Run(compiled)
			if strings.Contains(test.expression, "split") { // fails before the search
				if r.Cost != 5 {
					t.Errorf("%s on %s costs %d", test.expression, minor, r.Cost)
				}
				continue
			}
			if r.CELErr != want || want == "" && r.Value.Value() != true {
				t.Errorf("%s on %s: %v, error %q, want %q", test.expression, minor, r.Value, r.CELErr, want)
			}
		}
	}
}

// TestSyntaxErrorWithPercent: up to 1.32 (cel-go 0.22) the text of a syntax error
// is a format once more.
func TestSyntaxErrorWithPercent(t *testing.T) {
	for minor, want := range map[string]string{"1.32": "mismatched input '%!'(MISSING) expecting", "1.33": "mismatched input '%' expecting"} {
		envs, err := NewSet().ForVersion(version.MustParse(minor))
		if err != nil {
			t.Fatal(err)
		}
		if got := envs.NewCompiler(Run, false, false).Compile("%", Condition).Err; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", minor, got, want)
		}
	}
}

// TestBackticks: the texts are those of the reference of the conformance module.
func TestBackticks(t *testing.T) {
	const refused = "ERROR: <input>:1:24: unsupported syntax: '`'"
	const unknown = "ERROR: <input>:1:24: Syntax error: token recognition error at: '`'"
	for _, test := range []struct {
		expression          string
		v1_32, v1_36, v1_37 string
	}{
		{"object.metadata.labels.`a.b/c` == ''",
			unknown + "\n | object.metadata.labels.`a.b/c` == ''\n | .......................^\n" +
				"ERROR: <input>:1:30: Syntax error: token recognition error at: '`'\n | object.metadata.labels.`a.b/c` == ''\n | .............................^",
			refused + "\n | object.metadata.labels.`a.b/c` == ''\n | .......................^", ""},
		{"'`' == \"`\" // `", "", "", ""},
		{"`object` == 1",
			"ERROR: <input>:1:1: Syntax error: token recognition error at: '`'\n | `object` == 1\n | ^\n" +
				"ERROR: <input>:1:8: Syntax error: token recognition error at: '`'\n | `object` == 1\n | .......^",
			"ERROR: <input>:1:1: Syntax error: mismatched input '`object`' expecting",
			"ERROR: <input>:1:1: Syntax error: mismatched input '`object`' expecting"},
	} {
		for minor, want := range map[string]string{"1.32": test.v1_32, "1.36": test.v1_36, "1.37": test.v1_37} {
			for _, mode := range []Mode{Write, Run} {
				got := environments(t, minor).NewCompiler(mode, false, false).Compile(test.expression, Condition).Err
				if want == "" && got != "" || !strings.HasPrefix(strings.TrimPrefix(got, "compilation failed: "), want) {
					t.Errorf("%s in %s: %q, want %q", test.expression, minor, got, want)
				}
			}
		}
	}
}

// TestExponents: up to 1.32 narrow spaces are around the × of an exponent, and nowhere else.
func TestExponents(t *testing.T) {
	for expression, want := range map[string][2]string{
		"'%e, %e, %s'.format([12345.678, 0.05, 'a×10⁴'])": {"1.234568\u202f×\u202f10⁰⁴, 5.000000\u202f×\u202f10⁻⁰², a×10⁴", "1.234568×10⁰⁴, 5.000000×10⁻⁰², a×10⁴"},
		"'%s'.format(['2×10⁴'])":                          {"2×10⁴", "2×10⁴"},
	} {
		for minor, want := range map[string]string{"1.30": want[0], "1.32": want[0], "1.33": want[1], "1.37": want[1]} {
			c := environments(t, minor).NewCompiler(Run, false, false)
			r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{}, nil, Budget).Run(c.Compile(expression, Message))
			if r.Err != "" || r.Value.Value() != want {
				t.Errorf("%s: %q, error %q, want %q", minor, r.Value, r.Err, want)
			}
		}
	}
}

// TestFormatTexts: up to 1.33 format.qualifiedName speaks of qualified names.
func TestFormatTexts(t *testing.T) {
	for minor, want := range map[string]string{"1.32": "a qualified name must consist", "1.33": "a qualified name must consist", "1.34": "a valid label key must consist", "1.37": "a valid label key must consist"} {
		c := environments(t, minor).NewCompiler(Run, false, false)
		r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{}, nil, Budget).Run(c.Compile("format.qualifiedName().validate('a/b/c').value()[0]", Message))
		if got, ok := r.Value.Value().(string); r.Err != "" || !ok || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %v, error %q, want %q", minor, r.Value, r.Err, want)
		}
		r = NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{}, nil, Budget).Run(c.Compile("format.qualifiedName().validate('a/b').hasValue()", Condition))
		if r.Err != "" || r.Value.Value() != false {
			t.Errorf("%s: %v, error %q, want no complaint", minor, r.Value, r.Err)
		}
	}
}
