package elsewhere

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Input is what expressions outside admission are evaluated on.
type Input struct {
	// Devices are those of the ResourceSlices at hand, and Tokens the claims of the TokenClaims.
	Devices []Device
	Tokens  []Token
	// User is the user of the request, and Review the spec of the SubjectAccessReview of it; nil
	// where there is no request.
	User, Review map[string]any
}

// Device is a device of a ResourceSlice with its variable.
type Device struct {
	Name  string
	value map[string]any
}

// subject is what an expression is evaluated on once.
type subject struct {
	name  string
	value any
}

// subjects are what the expressions of a scope are evaluated on.
func (in Input) subjects(s scope) []subject {
	var out []subject
	switch {
	case s == user && in.User != nil:
		return []subject{{value: userOf(in.User)}}
	case s == review && in.Review != nil:
		return []subject{{value: in.Review}}
	}
	switch s {
	case claims, mapping:
		for _, t := range in.Tokens {
			out = append(out, subject{t.Name, t.value()})
		}
	case device:
		for _, d := range in.Devices {
			out = append(out, subject{d.Name, d.value})
		}
	}
	return out
}

// missing says what a scenario lacks for expressions of a scope, and how to add it.
func missing(s scope) (lacks, add string) {
	switch s {
	case device:
		return "the scenario has no ResourceSlice with devices", "Add a ResourceSlice to see which devices it selects."
	case claims, mapping:
		return "the scenario has no TokenClaims", "Add the claims of a token to the cluster objects, as kind TokenClaims (preadmit.dev/v1) with the field claims."
	}
	if s == user {
		return "there is no request", "With a request, it is evaluated for the request's user. With TokenClaims (preadmit.dev/v1), an AuthenticationConfiguration's rules are evaluated for the users that its claim mappings make."
	}
	return "there is no request", "With a request, it is evaluated for the request's user and resource."
}

// outcome is what an expression evaluates to for a subject.
type outcome struct {
	subject
	result ref.Val
	cost   uint64
	err    error
}

// program is an expression that can be evaluated.
type program struct {
	cel.Program
	ast      *cel.Ast
	variable string
}

// compiled compiles an expression. The issues are those of the expression; the error is for an environment that
// cannot be made.
func (c *Checker) compiled(s scope, expression string) (*program, *cel.Issues, error) {
	env, t, err := c.environment(s)
	if err != nil {
		return nil, nil, err
	}
	ast, issues := env.Compile(expression)
	if source.Failed(issues) {
		return nil, issues, nil
	}
	p, err := env.Program(ast, cel.CostLimit(maxSelectorCost), cel.EvalOptions(cel.OptTrackCost))
	return &program{p, ast, t.variable}, nil, err
}

// on evaluates a program for each subject.
func (p *program) on(subjects []subject) []outcome {
	var out []outcome
	for _, s := range subjects {
		o := outcome{subject: s}
		var details *cel.EvalDetails
		o.result, details, o.err = p.Eval(map[string]any{p.variable: s.value})
		if cost := details.ActualCost(); cost != nil {
			o.cost = *cost
		}
		out = append(out, o)
	}
	return out
}

// Evaluate says what the CEL in a document evaluates to, or why it is not evaluated. Expressions
// that the server rejects are left out. It fails if a base environment cannot be extended.
func (c *Checker) Evaluate(d *scenario.Document, in Input) ([]diag.Diagnostic, error) {
	var out []diag.Diagnostic
	for _, f := range expressions(d) {
		if c.unchecked(f.scope) != "" {
			continue
		}
		refused, err := c.expression(d, "", f)
		if err != nil {
			return nil, err
		}
		if refused != nil {
			continue
		}
		p, issues, err := c.compiled(f.scope, f.expression)
		if err == nil && issues != nil {
			err = issues.Err()
		}
		if err != nil {
			return nil, err
		}
		summary, detail := c.evaluated(d, f, p, in)
		out = append(out, problem(d, f, codes.CELResult, diag.Info, summary, detail))
	}
	return out, nil
}

// evaluated says what an expression evaluates to.
func (c *Checker) evaluated(d *scenario.Document, f found, p *program, in Input) (summary, detail string) {
	if i := c.issuerOf(d, f); i != nil {
		if tokens := i.tokens(in.Tokens); len(tokens) > 0 {
			return i.evaluated(d, f, p, tokens)
		}
		in.Tokens = nil
	}
	subjects := in.subjects(f.scope)
	if len(subjects) == 0 {
		lacks, add := missing(f.scope)
		return "not evaluated: " + lacks, "The expression compiles. " + add
	}
	outcomes := p.on(subjects)
	if f.scope == device {
		summary, detail = onDevices(outcomes)
		if cost, err := c.estimate(p); err == nil { // it has been checked
			detail = strings.TrimSpace(fmt.Sprintf("It costs at most %d of %d. ", cost, maxSelectorCost) + detail)
		}
		return summary, detail
	}
	if o := outcomes[0]; o.err != nil {
		return "for this request the expression fails: " + o.err.Error(), ""
	}
	return fmt.Sprintf("for this request the expression evaluates to %v", outcomes[0].result.Value()), ""
}

// onDevices says which devices a selector selects.
func onDevices(outcomes []outcome) (summary, detail string) {
	var selected, failed []string
	for _, o := range outcomes {
		switch {
		case o.err != nil:
			failed = append(failed, fmt.Sprintf("It fails for %s: %v.", o.name, o.err))
		case o.result == celtypes.True:
			selected = append(selected, o.name)
		}
	}
	summary = fmt.Sprintf("the selector selects %d of %d devices", len(selected), len(outcomes))
	if len(selected) > 0 {
		summary += ": " + strings.Join(selected, ", ")
	}
	if len(failed) > 0 {
		failed = append(failed, "A selector that fails for a device keeps the claim from being allocated.")
	}
	return summary, strings.Join(failed, " ")
}

// Devices are the devices of a document, if it is a ResourceSlice.
func Devices(d *scenario.Document) []Device {
	group, _, _ := strings.Cut(d.APIVersion, "/")
	spec, _ := d.Value["spec"].(map[string]any)
	if group != resourceGroup || d.Kind != "ResourceSlice" {
		return nil
	}
	driver, _ := spec["driver"].(string)
	list, _ := spec["devices"].([]any)
	var out []Device
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		if basic, ok := fields["basic"].(map[string]any); ok { // v1beta1
			fields = basic
		}
		multiple, _ := fields["allowMultipleAllocations"].(bool)
		out = append(out, Device{name, map[string]any{
			"driver": driver, "allowMultipleAllocations": multiple,
			"attributes": domains(fields["attributes"], driver, attribute), "capacity": domains(fields["capacity"], driver, capacity),
		}})
	}
	return out
}

// domains are the values of a device by the domain of their names, and below it by the rest: the
// domain of a name without one is the driver.
func domains(fields any, driver string, read func(any) any) ref.Val {
	all, _ := fields.(map[string]any)
	out := map[string]map[string]any{}
	for name, value := range all {
		domain, id, qualified := strings.Cut(name, "/")
		if !qualified {
			domain, id = driver, name
		}
		if out[domain] == nil {
			out[domain] = map[string]any{}
		}
		if v := read(value); v != nil {
			out[domain][id] = v
		}
	}
	return withEmpty{celtypes.DefaultTypeAdapter.NativeToValue(out).(traits.Mapper)}
}

// withEmpty is a map in which every domain is, most of them empty, as the server has it.
type withEmpty struct{ traits.Mapper }

// Find returns the map of a domain.
func (m withEmpty) Find(key ref.Val) (ref.Val, bool) {
	if value, ok := m.Mapper.Find(key); ok {
		return value, true
	}
	return celtypes.DefaultTypeAdapter.NativeToValue(map[string]any{}), true
}

// Get returns the map of a domain.
func (m withEmpty) Get(key ref.Val) ref.Val {
	value, _ := m.Find(key)
	return value
}

// attribute is the value of an attribute: a text, a number, a truth value or a version.
func attribute(value any) any {
	fields, _ := value.(map[string]any)
	for _, kind := range []string{"string", "int", "bool"} {
		if v, ok := fields[kind]; ok {
			return v
		}
	}
	text, _ := fields["version"].(string)
	if v, err := semver.Parse(text); err == nil {
		return apiservercel.Semver{Version: v}
	}
	return nil
}

// capacity is the value of a capacity, a quantity.
func capacity(value any) any {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	q, err := resource.ParseQuantity(fmt.Sprint(fields["value"]))
	if err != nil {
		return nil
	}
	return apiservercel.Quantity{Quantity: &q}
}

// Kinds reports whether one of the documents has CEL that this package evaluates.
func Kinds(docs []*scenario.Document) bool {
	return slices.ContainsFunc(docs, func(d *scenario.Document) bool { return Has(d.APIVersion, d.Kind) })
}
