package eval

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// What changed between the cel-go of an older Kubernetes version and ours.

// formatTwice is for versions without version.SyntaxErrorsVerbatim: they use the
// text of a syntax error as a format once more, which shows when it has a % in it.
func formatTwice(issues *cel.Issues) {
	for _, e := range issues.Errors() {
		if strings.HasPrefix(e.Message, "Syntax error: ") {
			e.Message = fmt.Sprintf(e.Message, []any{}...)
		}
	}
}

// backticks returns the errors of an expression that has field names in backticks,
// on versions that do not allow them.
func backticks(env *cel.Env, v version.Version, expression string) (*cel.Issues, error) {
	if v.Has(version.BacktickFields) || !strings.Contains(expression, "`") {
		return nil, nil
	}
	p, err := parser.NewParser(parser.Macros(env.Macros()...), parser.EnableOptionalSyntax(true), parser.EnableIdentEscapeSyntax(false))
	if err != nil {
		return nil, err
	}
	text := common.NewTextSource(expression)
	if v.Has(version.BacktickTokens) {
		if _, errs := p.Parse(text); len(errs.GetErrors()) > 0 {
			return cel.NewIssues(errs), nil
		}
		return nil, nil
	}
	places := source.Backticks(expression)
	if len(places) == 0 {
		return nil, nil
	}
	errs := common.NewErrors(text)
	without := []rune(expression) // the lexer leaves out what it does not know
	for _, at := range places {
		without[at] = ' '
		location, _ := text.OffsetLocation(int32(at))
		errs.ReportError(location, "Syntax error: token recognition error at: '`'")
	}
	_, others := p.Parse(common.NewTextSource(string(without)))
	for _, e := range others.GetErrors() {
		errs.ReportError(e.Location, "%s", e.Message)
	}
	return cel.NewIssues(errs), nil
}

// oldFormats is the function validate of formats without version.FormatLabelKeys.
func oldFormats(base *cel.Env) (cel.EnvOption, error) {
	const overload = "format-validate"
	call, err := callOf(base, "validate", overload)
	if err != nil {
		return nil, err
	}
	worded := func(format, text ref.Val) ref.Val {
		result := call(format, text)
		o, ok := result.(*types.Optional)
		if !ok || !o.HasValue() {
			return result
		}
		texts, err := o.GetValue().ConvertToNative(reflect.TypeFor[[]string]())
		if err != nil {
			return result
		}
		for i, t := range texts.([]string) {
			texts.([]string)[i] = strings.Replace(t, "a valid label key must consist", "a qualified name must consist", 1)
		}
		return types.OptionalOf(adapt.Default.NativeToValue(texts))
	}
	return cel.Function("validate", cel.MemberOverload(overload, []*cel.Type{apiservercel.FormatType, cel.StringType},
		cel.OptionalType(cel.ListType(cel.StringType)), cel.BinaryBinding(worded))), nil
}

// exponents are what %e of format writes.
var exponents = lazy.Regexp{Text: `(\d)×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)`}

// exponentVerb is %e, with or without a precision.
var exponentVerb = lazy.Regexp{Text: `%(\.\d+)?e`}

// spacedExponents is the function format without version.PlainExponents: narrow spaces are
// around the × of what %e writes.
func spacedExponents(call func(...ref.Val) ref.Val) func(...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		out := call(args...)
		text, ok := out.(types.String)
		if !ok || !exponentVerb.MatchString(stringOf(args[0])) {
			return out
		}
		return types.String(exponents.ReplaceAllString(string(text), "$1\u202f×\u202f10$2"))
	}
}

// oldIndexes are indexOf and lastIndexOf with an offset, and indexOf, without
// version.SearchBehindEnd: they fail when they begin to search past the end,
// which in an empty text is everywhere. They check the offset and leave the rest
// to today's functions.
func oldIndexes(base *cel.Env) ([]cel.EnvOption, error) {
	var out []cel.EnvOption
	for _, f := range []struct{ name, overload string }{
		{"indexOf", "string_index_of_string"}, {"indexOf", "string_index_of_string_int"}, {"lastIndexOf", "string_last_index_of_string_int"},
	} {
		call, err := callOf(base, f.name, f.overload)
		if err != nil {
			return nil, err
		}
		checked := func(values ...ref.Val) ref.Val {
			offset := types.Int(0)
			if len(values) == 3 {
				offset = values[2].(types.Int)
			}
			if text := values[0].(types.String); values[1].(types.String) != "" && offset >= text.Size().(types.Int) {
				return types.NewErr("index out of range: %d", offset)
			}
			return call(values...)
		}
		args := []*cel.Type{cel.StringType, cel.StringType}
		// A call that fails costs by the form of its binding.
		binding := cel.BinaryBinding(func(text, part ref.Val) ref.Val { return checked(text, part) })
		if strings.HasSuffix(f.overload, "_int") {
			args, binding = append(args, cel.IntType), cel.FunctionBinding(checked)
		}
		out = append(out, cel.Function(f.name, cel.MemberOverload(f.overload, args, cel.IntType, binding)))
	}
	return out, nil
}

func callOf(env *cel.Env, function, overload string) (func(...ref.Val) ref.Val, error) {
	bindings, err := env.Functions()[function].Bindings()
	if err != nil {
		return nil, err
	}
	for _, b := range bindings {
		switch {
		case b.Operator != overload:
		case b.Unary != nil:
			return func(v ...ref.Val) ref.Val { return b.Unary(v[0]) }, nil
		case b.Binary != nil:
			return func(v ...ref.Val) ref.Val { return b.Binary(v[0], v[1]) }, nil
		case b.Function != nil:
			return func(v ...ref.Val) ref.Val { return b.Function(v...) }, nil
		}
	}
	return nil, fmt.Errorf("the CEL library has no %s", overload)
}

// maxRange is the longest list that the older lists.range makes here. The
// server has no limit; a list as long as this costs more than a call may.
const maxRange = PerCallLimit

// oldRange is lists.range without version.NegativeRangeErrors.
func oldRange() cel.EnvOption {
	return cel.Function("lists.range", cel.Overload("lists_range", []*cel.Type{cel.IntType}, cel.ListType(cel.IntType),
		cel.UnaryBinding(func(n ref.Val) ref.Val {
			count := int64(n.(types.Int))
			if count > maxRange {
				return types.NewErr("lists.range: %d items are too many to evaluate here", count)
			}
			list := make([]ref.Val, max(count, 0))
			for i := range list {
				list[i] = types.Int(i)
			}
			return adapt.Default.NativeToValue(list)
		})))
}
