package elsewhere

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The limits of a device selector (k8s.io/api/resource/v1).
const (
	maxSelectorBytes = 10 << 10
	maxSelectorCost  = 1_000_000
)

// Checker compiles the expressions of one release. Its environments are made when they
// are needed.
type Checker struct {
	version      version.Version
	environments map[string]*cel.Env // by variable
}

// New returns the checker of a release.
func New(v version.Version) *Checker { return &Checker{v, map[string]*cel.Env{}} }

// Result is what there is to say about the CEL in a document.
type Result struct {
	Diagnostics []diag.Diagnostic
	// Errors are those of the server, one for each field.
	Errors field.ErrorList
}

// Check returns what the server rejects of the CEL in a document, and says which CEL is
// not checked. It fails if a base environment cannot be extended.
func (c *Checker) Check(d *scenario.Document) (Result, error) {
	var out Result
	for _, f := range expressions(d) {
		if reason := c.unchecked(f.scope); reason != "" {
			out.Diagnostics = append(out.Diagnostics, problem(d, f, codes.CELNotChecked, diag.Info, "CEL in this field is not checked.", reason))
			continue
		}
		refused, err := c.expression(d, f)
		if err != nil {
			return Result{}, err
		}
		if refused == nil {
			continue
		}
		for i := range refused.problems {
			refused.problems[i].Detail = "The API server: " + refused.server.Error()
		}
		out.Diagnostics = append(out.Diagnostics, refused.problems...)
		out.Errors = append(out.Errors, refused.server)
	}
	return out, nil
}

// unchecked says why the CEL of a scope is not checked on this release; empty if it is.
func (c *Checker) unchecked(s scope) string {
	switch {
	case s == unknown:
		return "Preadmit does not know this field."
	case s == device && c.version.Before(version.MustParse(firstDevices)):
		return "Device selectors are checked from Kubernetes " + firstDevices + " on."
	}
	return ""
}

// refusal is what the server says of an expression, and the problems in it.
type refusal struct {
	problems []diag.Diagnostic
	server   *field.Error
}

func problem(d *scenario.Document, f found, code string, severity diag.Severity, summary, detail string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Severity: severity, Text: d.Text, Span: d.Locate(f.path), Path: f.path, Summary: summary, Detail: detail, Document: d.Kind}
}

// expression checks one expression in the order of the server; nil is right.
func (c *Checker) expression(d *scenario.Document, f found) (*refusal, error) {
	at := field.NewPath(f.path)
	refused := func(code, summary string, server *field.Error) *refusal {
		return &refusal{[]diag.Diagnostic{problem(d, f, code, diag.Error, summary, "")}, server}
	}
	if f.scope == device && len(f.expression) > maxSelectorBytes {
		return refused(codes.CELCompile, "the expression is longer than 10 KiB", field.TooLong(at, "", maxSelectorBytes)), nil
	}
	p, issues, err := c.compiled(f.scope, f.expression)
	if err != nil {
		return nil, err
	}
	if issues != nil {
		return &refusal{compileErrors(d, f, issues), field.Invalid(at, f.expression, "compilation failed: "+issues.String())}, nil
	}
	if reason := wrongType(f.scope, typesOf(f.scope, c.version), p.ast.OutputType()); reason != "" {
		return refused(codes.CELReturnType, reason, field.Invalid(at, f.expression, reason)), nil
	}
	if f.scope != device {
		return nil, nil
	}
	cost, err := c.estimate(p)
	if err != nil {
		return nil, err
	}
	if cost > maxSelectorCost {
		return refused(codes.SelectorCost, tooExpensive(cost), field.Forbidden(at, "too complex, exceeds cost limit")), nil
	}
	return nil, nil
}

// environment is that of a scope, made when it is first needed.
func (c *Checker) environment(s scope) (*cel.Env, types, error) {
	t := typesOf(s, c.version)
	if env := c.environments[t.variable]; env != nil {
		return env, t, nil
	}
	env, err := environmentOf(s, c.version, t)
	if err != nil {
		return nil, types{}, fmt.Errorf("the CEL environment of %s: %w", t.variable, err)
	}
	c.environments[t.variable] = env
	return env, t, nil
}

// estimate is what a device selector costs at most, in CEL cost units.
func (c *Checker) estimate(p *program) (uint64, error) {
	env, t, err := c.environment(device)
	if err != nil {
		return 0, err
	}
	cost, err := env.EstimateCost(p.ast, &library.CostEstimator{SizeEstimator: &sizes{t}})
	if err != nil {
		return 0, fmt.Errorf("cost estimation failed: %w", err)
	}
	return cost.Max, nil
}

func tooExpensive(cost uint64) string {
	return fmt.Sprintf("the expression may cost %d, more than %d", cost, maxSelectorCost)
}

// compileErrors has one problem for each error, at its characters. The server has them in
// one text.
func compileErrors(d *scenario.Document, f found, issues *cel.Issues) []diag.Diagnostic {
	scalar, mapped := d.Scalar(f.path)
	var out []diag.Diagnostic
	for _, issue := range issues.Errors() {
		one := problem(d, f, codes.CELCompile, diag.Error, issue.Message, "")
		if at := runeOf(f.expression, issue.Location.Line(), issue.Location.Column()); mapped && at >= 0 {
			at = min(at, utf8.RuneCountInString(f.expression)-1) // the end is after the last one
			one.Span = scalar.SpanOfRunes(at, at+1)
		}
		out = append(out, one)
	}
	return out
}

// runeOf is the character of a line (from 1) and column (from 0); -1 if there is none.
func runeOf(text string, line, column int) int {
	lines := strings.SplitAfter(text, "\n")
	if line < 1 || line > len(lines) || column < 0 {
		return -1
	}
	return utf8.RuneCountInString(strings.Join(lines[:line-1], "")) + column
}

// wrongType says what the type of an expression should be, in the server's words; empty if
// it is right.
func wrongType(s scope, t types, got *cel.Type) string {
	switch s {
	case mapping:
		return ""
	case device:
		if got.IsExactType(cel.BoolType) || got.IsExactType(t.attribute.CelType()) {
			return ""
		}
		return fmt.Sprintf("must evaluate to %v or the unknown type, not %v", cel.BoolType, got)
	case review:
		if got == cel.BoolType {
			return ""
		}
		return fmt.Sprintf("must evaluate to %v but got %v", cel.BoolType, got)
	}
	if got == cel.BoolType {
		return ""
	}
	return fmt.Sprintf("must evaluate to %v", cel.BoolType)
}

// sizes tells the estimate how large the parts of a device can be, as the server's does.
type sizes struct{ types }

// EstimateSize is the size of a part of the device; nil where it is not known.
func (s *sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 || path[0] != s.variable {
		return nil
	}
	at := s.root
	for _, name := range path[1:] {
		if at = s.below(at, name); at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (s *sizes) below(at *apiservercel.DeclType, name string) *apiservercel.DeclType {
	switch name {
	case "@items", "@values":
		return at.ElemType
	case "@keys":
		return at.KeyType
	}
	if f, ok := at.Fields[name]; ok {
		return f.Type
	}
	if at.ElemType == s.attribute {
		return s.attribute // every attribute is of this size, whatever its name
	}
	return nil
}

// EstimateCallCost leaves the cost of functions to the library.
func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
