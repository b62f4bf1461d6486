package eval

import (
	"testing"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// TestRuleEstimates: the longest values that a type allows decide.
func TestRuleEstimates(t *testing.T) {
	text := func(longest int64) *apiservercel.DeclType {
		s := apiservercel.NewSimpleTypeWithMinSize("string", apiservercel.StringType.CelType(), nil, apiservercel.MinStringSize)
		s.MaxElements = longest
		return s
	}
	self := func(longest, most int64) *apiservercel.DeclType {
		list := apiservercel.NewListType(text(longest), most)
		values := apiservercel.NewMapType(apiservercel.StringType, text(longest), most)
		return apiservercel.NewObjectType("object", map[string]*apiservercel.DeclField{
			"list": apiservercel.NewDeclField("list", list, true, nil, nil),
			"text": apiservercel.NewDeclField("text", text(longest), true, nil, nil),
			"map":  apiservercel.NewDeclField("map", values, true, nil, nil),
		})
	}
	for _, expression := range []string{"self.text.contains('x')", "self.list.all(x, x == 'a')", "self.map.all(k, self.map[k] == 'a')"} {
		estimate := func(longest, most int64) uint64 {
			scope, err := environments(t, "1.36").RuleScope(Write, self(longest, most), false)
			if err != nil {
				t.Fatal(err)
			}
			compiled := scope.CompileRule(expression, Condition)
			if compiled.Err != "" {
				t.Fatal(compiled.Err)
			}
			cost, err := scope.Estimate(compiled)
			if err != nil {
				t.Fatal(err)
			}
			return cost
		}
		if small, large := estimate(100, 10), estimate(100000, 10000); small >= large || small == 0 {
			t.Errorf("%s: %d for small values, %d for large ones", expression, small, large)
		}
	}
}

func TestRuleErrors(t *testing.T) {
	scope, err := environments(t, "1.36").RuleScope(Write, apiservercel.NewListType(apiservercel.StringType, 5), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		expression string
		place      Place
		want       string
	}{
		{"self.size() > oldSelf.value().size()", Condition, ""},
		{"'text'", Condition, "cel expression must evaluate to a bool"},
		{"'text'", Message, ""},
		{"true", Message, "messageExpression must evaluate to a string"},
	} {
		if got := scope.CompileRule(test.expression, test.place).Err; got != test.want {
			t.Errorf("%s: got %q, want %q", test.expression, got, test.want)
		}
	}
	if got := scope.CompileRule("oldSelf.hasValue()", Condition); !got.UsesOldSelf() {
		t.Error("oldSelf is not seen")
	}
	if got := scope.CompileRule("self.size() > 1", Condition); got.UsesOldSelf() {
		t.Error("oldSelf is seen where there is none")
	}
}
