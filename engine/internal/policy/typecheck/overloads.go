package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// overload says what becomes of an operation on types that it is not declared
// for. To the compiler of the server they are all unknown, and at run time many
// of them work.
func (a *analysis) overload(f finding, function string, args []string) {
	switch {
	case function == "_?_:_" || slices.ContainsFunc(args, isStruct) && !isEquality(function):
		// A struct is a map: it can be indexed, measured and searched.
		return
	case mixed(a.checker, a.view, function, args) != nil:
		return
	case slices.Contains(args, "null") && a.nullField():
		return
	case slices.Contains(args, "null") && f.repaired != "":
		// It fails only where the field is absent, which is what is asked.
		f.code, f.info = codes.WrongOperandType, true
		f.summary = "a missing field is not null: reading it fails"
		f.detail = "Use has() to check whether a field exists."
		a.add(f)
		return
	case slices.Contains(args, "null") || slices.Contains(args, "dyn"):
		return
	case !slices.ContainsFunc(args, func(t string) bool { return !isNumber(t) }) && len(args) > 1:
		// A field of type number holds an int when it is written as one.
		return
	case isEquality(function) && len(args) == 2:
		a.neverEqual(f, function, args)
		return
	case function == operators.In && strings.HasPrefix(args[1], "list("):
		f.code = codes.NeverEqual
		f.summary = readable(fmt.Sprintf("no %s is in a %s: this is always false", args[0], args[1]))
		a.add(f)
		return
	}
	f.code = codes.WrongOperandType
	if converted, or := a.converted(f.start, args); converted != "" {
		f.repaired, f.or = converted, or
	}
	f.summary = readable(fmt.Sprintf("%s does not accept %s", describeFunction(function), strings.Join(args, " and ")))
	f.detail = "The expression fails here at run time: no such overload."
	switch {
	case finds(function):
		f.detail = "The expression fails here at run time." // a list, a map and other values have an error each
	case function == "_+_" && slices.Contains(args, "string"):
		f.detail += " Only strings are added to a string: string(...) converts the other value."
		a.convertTogether(&f)
	case slices.Contains(args, "string"):
		f.detail += " Times and quantities in objects are strings: timestamp(...) and quantity(...) convert them, int(...) converts digits."
	}
	a.add(f)
}

var comparedWithNull = lazy.Regexp{Text: `\b(?:object|oldObject)\.([\w.]+)\s*[=!]=\s*null\b`}

// nullField reports whether the expression compares a list or map with null that the API writes as null when it is
// empty, such as the rules of a ClusterRole: there the comparison is right, and has() is true.
func (a *analysis) nullField() bool {
	for _, match := range comparedWithNull.FindAllStringSubmatch(a.expression.Text, -1) {
		at := a.view.Object
		var field *catalog.Field
		for _, name := range strings.Split(match[1], ".") {
			if field = nil; at != nil {
				field = at.Field(name)
			}
			if field == nil {
				break
			}
			at = field.Type
		}
		if field != nil && !field.OmitEmpty && (field.Type.Kind == catalog.List || field.Type.Kind == catalog.Map) {
			return true
		}
	}
	return false
}

// convertTogether makes one repair of those of all values that are added to a string in an expression:
// a message with two of them fails until both are converted.
func (a *analysis) convertTogether(f *finding) {
	text, all := a.expression.Text, f.repaired
	var others []int
	joinedAlready := ""
	for i, other := range a.found {
		if other.code != f.code || other.detail != f.detail || other.repaired == "" {
			continue
		}
		others = append(others, i)
		if other.repaired == joinedAlready {
			continue
		}
		joinedAlready = other.repaired
		var ok bool
		if all, ok = bothChanges(text, other.repaired, all); !ok {
			return
		}
	}
	for _, i := range others {
		a.found[i].repaired = all
	}
	f.repaired = all
}

// bothChanges joins two changes of a text that do not touch each other.
func bothChanges(text, a, b string) (string, bool) {
	startA, endA, newA := changed(text, a)
	startB, endB, newB := changed(text, b)
	if startB < startA {
		startA, endA, newA, startB, endB, newB = startB, endB, newB, startA, endA, newA
	}
	if endA > startB || a == "" || b == "" {
		return "", false
	}
	return text[:startA] + newA + text[endA:startB] + newB + text[endB:], true
}

// changed is the part of a text that differs in another one, in bytes, and what is there instead.
func changed(text, other string) (start, end int, now string) {
	shorter := min(len(text), len(other))
	for start < shorter && text[start] == other[start] {
		start++
	}
	same := 0
	for same < shorter-start && text[len(text)-1-same] == other[len(other)-1-same] {
		same++
	}
	return start, len(text) - same, other[start : len(other)-same]
}

// finds reports whether a function finds a value in another one: by its key, its index or itself.
func finds(function string) bool {
	return slices.Contains([]string{operators.Index, operators.OptIndex, operators.In}, function)
}

// mixed is the overload of a function for arguments of these printed types but for their type parameters, as
// optional_type(A).orValue(A) has; nil for none. The compiler wants one type for A, and at run time any value is
// accepted. Equality and the functions that find a value have such overloads, too, and other answers.
func mixed(checker *check.Checker, view check.View, function string, args []string) *decls.OverloadDecl {
	env, err := checker.Env(view)
	if err != nil || env.Functions()[function] == nil || isEquality(function) || finds(function) {
		return nil
	}
	for _, o := range env.Functions()[function].OverloadDecls() {
		if slices.EqualFunc(o.ArgTypes(), args, accepts) {
			return o
		}
	}
	return nil
}

// accepts reports whether a declared type may be a printed one, with any type for each of its parameters.
func accepts(declared *types.Type, printed string) bool {
	name, parameters, _ := strings.Cut(strings.TrimSuffix(printed, ")"), "(")
	switch {
	case declared.Kind() == types.TypeParamKind || declared.Kind() == types.DynKind || printed == "dyn":
		return true
	case len(declared.Parameters()) == 0:
		return declared.TypeName() == printed
	}
	return declared.TypeName() == name && slices.EqualFunc(declared.Parameters(), expressions.SplitTypes(parameters), accepts)
}

func isEquality(function string) bool { return function == "_==_" || function == "_!=_" }

func (a *analysis) neverEqual(f finding, function string, args []string) {
	left, right := args[0], args[1]
	mapLike := func(t string) bool { return isStruct(t) || strings.HasPrefix(t, "map(") }
	listLike := func(t string) bool { return strings.HasPrefix(t, "list(") }
	if isNumber(left) && isNumber(right) || mapLike(left) && mapLike(right) || listLike(left) && listLike(right) {
		return
	}
	f.code = codes.NeverEqual
	always := "false"
	if function == "_!=_" {
		always = "true"
	}
	f.summary = readable(fmt.Sprintf("%s and %s are never equal: this is always %s", left, right, always))
	if converted, or := a.converted(f.start, args); converted != "" {
		f.repaired, f.or = converted, or
	}
	if f.repaired == "" {
		f.repaired = a.nameOfStruct(f.start, args)
	}
	a.add(f)
}

// describeFunction names an operator as it is written.
func describeFunction(name string) string {
	if strings.HasPrefix(name, "optional_") || !strings.ContainsAny(name, "_[@") {
		return name + "()"
	}
	return strings.Trim(strings.ReplaceAll(name, "_", " "), " @")
}
