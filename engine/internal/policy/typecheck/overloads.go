package typecheck

import (
	"fmt"
	"slices"
	"strings"

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
	case function == "_+_" && !slices.ContainsFunc(args, func(t string) bool { return !strings.HasPrefix(t, "list(") }):
		// Lists are joined, whatever is in them.
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
	case function == "@in" && len(args) == 2:
		f.code = codes.NeverEqual
		f.summary = readable(fmt.Sprintf("no %s is in a %s: this is always false", args[0], args[1]))
		a.add(f)
		return
	}
	f.code = codes.WrongOperandType
	if converted := a.converted(f.start, args); converted != "" {
		f.repaired = converted
	}
	f.summary = readable(fmt.Sprintf("%s does not accept %s", describeFunction(function), strings.Join(args, " and ")))
	f.detail = "The expression fails here at run time: no such overload."
	switch {
	case function == "_+_" && slices.Contains(args, "string"):
		f.detail += " Only strings are added to a string: string(...) converts the other value."
	case slices.Contains(args, "string"):
		f.detail += " Times and quantities in objects are strings: timestamp(...) and quantity(...) convert them, int(...) converts digits."
	}
	a.add(f)
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
	if converted := a.converted(f.start, args); converted != "" {
		f.repaired = converted
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
