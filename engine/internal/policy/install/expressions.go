package install

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// compiler compiles the expressions of one document, and keeps with what it was
// made, so that the same can be made for another version.
type compiler struct {
	*eval.Compiler
	params, composed bool
}

// newCompiler returns a compiler for new objects. params says that there is a
// paramKind, composed that `variables` is declared.
func (c *checker) newCompiler(params, composed bool) *compiler {
	return &compiler{c.environments.NewCompiler(eval.Write, params, composed), params, composed}
}

// compile compiles an expression and reports what is wrong with it, if anything.
// source is the text of the field; of some fields the server compiles it trimmed.
func (c *checker) compile(path *field.Path, place *model.Place, compiler *compiler, source, trimmed string) {
	c.expression(path, place, compiler, compiler.Compile(trimmed, place.Result), source, trimmed)
}

// expression reports what is wrong with a compiled expression, if anything.
func (c *checker) expression(path *field.Path, place *model.Place, compiler *compiler, compiled *eval.Compiled, source, shown string) {
	if compiled.OK() {
		return
	}
	e := field.Invalid(path, shown, compiled.Err)
	code := codes.CELReturnType
	switch {
	case compiled.Crashes():
		e, code = crash.Error(path, compiled.Issues[0].Message), codes.CELCompile
	case compiled.Internal:
		e, code = field.InternalError(path, errors.New(compiled.Err)), codes.CELProgram
	case len(compiled.Issues) > 0:
		code = codes.CELCompile
	}
	indent := 0
	if before, _, found := strings.Cut(source, compiled.Expression); found {
		indent = utf8.RuneCountInString(before)
	}
	seen := len(compiler.Variables)
	if place == model.Variable {
		seen-- // not itself
	}
	c.add(code, e).expression = &failedExpression{compiled: compiled, compiler: compiler, variables: seen, place: place, indent: indent}
}

// matchConditions checks the conditions of a policy or webhook. They are
// compiled without `variables`, whatever the policy declares.
func (c *checker) matchConditions(path *field.Path, place *model.Place, conditions []v1.MatchCondition, params bool) {
	if c.kept.conditions {
		return
	}
	if len(conditions) > maxMatchConditions {
		c.add(codes.TooMany, field.TooMany(path, len(conditions), maxMatchConditions))
	}
	compiler := c.newCompiler(params, false)
	seen := map[string]bool{}
	for i, condition := range conditions {
		at := path.Index(i)
		if trimmed := strings.TrimSpace(condition.Expression); trimmed == "" {
			c.required(at.Child("expression"), "")
		} else {
			c.compile(at.Child("expression"), place, compiler, condition.Expression, trimmed)
		}
		if condition.Name == "" {
			c.required(at.Child("name"), "")
			continue
		}
		c.qualifiedName(at.Child("name"), condition.Name, condition.Name)
		if seen[condition.Name] {
			c.duplicate(at.Child("name"), condition.Name)
		}
		seen[condition.Name] = true
	}
}

const maxMatchConditions = 64

// qualifiedName checks a name with an optional DNS prefix, as of a label.
func (c *checker) qualifiedName(path *field.Path, name, shown string) {
	for _, msg := range validation.IsQualifiedName(name) {
		c.invalid(codes.InvalidName, path, shown, msg)
	}
}

var identifier = lazy.Regexp{Text: `^[_a-zA-Z][_a-zA-Z0-9]*$`}

// reservedWords cannot name a variable: CEL's literals and reserved words.
var reservedWords = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function",
	"if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while",
}

// variables compiles spec.variables in order. Each sees those before it. The
// server does not mind two of the same name (see duplicateVariables).
func (c *checker) variables(path *field.Path, variables []v1.Variable, compiler *compiler) {
	for i, v := range variables {
		at := path.Index(i)
		switch {
		case strings.TrimSpace(v.Name) == "":
			c.required(at.Child("name"), "name is not specified")
		case !identifier.MatchString(v.Name) || slices.Contains(reservedWords, v.Name):
			p := c.invalid(codes.InvalidVariableName, at.Child("name"), v.Name, "must be a valid CEL identifier")
			p.hint = "Use letters, digits and underscores, not starting with a digit and not a reserved word of CEL."
		}
		if strings.TrimSpace(v.Expression) == "" {
			c.required(at.Child("expression"), "expression is not specified")
			continue
		}
		compiled := compiler.AddVariable(eval.Declaration{Name: v.Name, Expression: v.Expression})
		c.expression(at.Child("expression"), model.Variable, compiler, compiled.Compiled, v.Expression, v.Expression)
	}
}
