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
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Input is what expressions outside admission are evaluated on.
type Input struct {
	// Devices are those of the ResourceSlices at hand.
	Devices []Device
	// User is the user of the request, and Review the spec of the SubjectAccessReview of it; nil
	// where there is no request.
	User, Review map[string]any
}

// Device is a device of a ResourceSlice with its variable.
type Device struct {
	Name  string
	value map[string]any
}

// Evaluate says what the CEL in a document evaluates to, or why it is not evaluated. Expressions
// that the server rejects are left out. It fails if a base environment cannot be extended.
func (c *Checker) Evaluate(d *scenario.Document, in Input) ([]diag.Diagnostic, error) {
	var out []diag.Diagnostic
	for _, f := range expressions(d) {
		if c.unchecked(f.scope) != "" {
			continue
		}
		refused, err := c.expression(d, f)
		if err != nil {
			return nil, err
		}
		if refused != nil {
			continue
		}
		t := typesOf(f.scope, c.version)
		env := c.environments[t.variable]
		ast, issues := env.Compile(f.expression)
		if issues.Err() != nil {
			return nil, issues.Err()
		}
		program, err := env.Program(ast, cel.CostLimit(maxSelectorCost), cel.EvalOptions(cel.OptTrackCost))
		if err != nil {
			return nil, err
		}
		summary, detail := f.evaluated(program, t.variable, in)
		out = append(out, problem(d, f, codes.CELResult, diag.Info, summary, detail))
	}
	return out, nil
}

// evaluated says what an expression evaluates to.
func (f found) evaluated(program cel.Program, variable string, in Input) (summary, detail string) {
	one := func(value map[string]any) (string, string) {
		if value == nil {
			return "not evaluated: there is no request", "The expression compiles. With a request, it is evaluated for the request's user and resource."
		}
		result, _, err := program.Eval(map[string]any{variable: value})
		if err != nil {
			return "for this request the expression fails: " + err.Error(), ""
		}
		return fmt.Sprintf("for this request the expression evaluates to %v", result.Value()), ""
	}
	switch f.scope {
	case user:
		return one(in.User)
	case review:
		return one(in.Review)
	case device:
		return onDevices(program, in.Devices)
	}
	return "not evaluated: a request has no claims", "The expression compiles. Claims come from the token, which a scenario's request does not have."
}

// onDevices says which devices a selector selects.
func onDevices(program cel.Program, devices []Device) (summary, detail string) {
	if len(devices) == 0 {
		return "not evaluated: the scenario has no ResourceSlice with devices", "The expression compiles. Add a ResourceSlice to see which devices it selects."
	}
	var selected, failed []string
	for _, d := range devices {
		result, _, err := program.Eval(map[string]any{"device": d.value})
		switch {
		case err != nil:
			failed = append(failed, fmt.Sprintf("It fails for %s: %v.", d.Name, err))
		case result == celtypes.True:
			selected = append(selected, d.Name)
		}
	}
	summary = fmt.Sprintf("the selector selects %d of %d devices", len(selected), len(devices))
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
