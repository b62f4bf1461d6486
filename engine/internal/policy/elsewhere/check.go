package elsewhere

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	repairs "github.com/preadmit/preadmit/engine/internal/repair/expressions"
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
// not checked. plain is the text that the document is in. It fails if a base environment cannot be extended.
func (c *Checker) Check(d *scenario.Document, plain string) (Result, error) {
	var out Result
	for _, f := range expressions(d) {
		if reason := c.unchecked(f.scope); reason != "" {
			out.Diagnostics = append(out.Diagnostics, problem(d, f, codes.CELNotChecked, diag.Info, "CEL in this field is not checked.", reason))
			continue
		}
		refused, err := c.expression(d, plain, f)
		if err != nil {
			return Result{}, err
		}
		if refused == nil {
			continue
		}
		for i := range refused.problems {
			one := &refused.problems[i]
			one.Detail = strings.TrimPrefix(one.Detail+" The API server: "+refused.server.Error(), " ")
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
func (c *Checker) expression(d *scenario.Document, plain string, f found) (*refusal, error) {
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
		problems := c.problems(f.scope, f.expression, rewrite.In(d, plain, f.path), problem(d, f, codes.CELCompile, diag.Error, "", ""))
		return &refusal{problems, field.Invalid(at, f.expression, "compilation failed: "+source.Issues(f.expression, issues))}, nil
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

// problems has one for each error of the compiler, at its characters, with the repair where there is one.
// The first error of the parser is the mistake. The server has all errors in one text. source is nil where
// the characters cannot be found.
func (c *Checker) problems(s scope, expression string, source *rewrite.Source, base diag.Diagnostic) []diag.Diagnostic {
	compile := func(text string) *eval.Compiled {
		env, _, _ := c.environment(s) // made when the expression was compiled
		return eval.Parse(env, c.version, text)
	}
	if source != nil {
		base.Fixes, base.Detail = repairs.Elsewhere(source, typesOf(s, c.version).names(), compile)
	}
	var out []diag.Diagnostic
	for i, issue := range compile(expression).Issues {
		if strings.HasPrefix(issue.Message, "Syntax error") && i > 0 {
			continue
		}
		one := base
		one.Summary = hints.Terse(issue.Message)
		if source != nil {
			one.Span = source.Place(issue.Start, issue.End)
		}
		out = append(out, one)
	}
	return out
}

// names are the variable and the names of all fields.
func (t types) names() []string {
	out := []string{t.variable}
	var add func(at *apiservercel.DeclType)
	add = func(at *apiservercel.DeclType) {
		for _, name := range slices.Sorted(maps.Keys(at.Fields)) {
			out = append(out, name)
			add(at.Fields[name].Type)
		}
	}
	add(t.root)
	return out
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
