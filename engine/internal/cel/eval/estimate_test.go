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
			return estimated(t, "1.36", self(longest, most), expression)
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

// TestEstimatesByVersion: older releases estimate == of what their libraries make, and the
// variable of optMap, in their own way; what format writes is theirs, too.
func TestEstimatesByVersion(t *testing.T) {
	short := apiservercel.NewSimpleTypeWithMinSize("string", apiservercel.StringType.CelType(), nil, apiservercel.MinStringSize)
	short.MaxElements = 9
	self := apiservercel.NewObjectType("object", map[string]*apiservercel.DeclField{"a": apiservercel.NewDeclField("a", short, false, nil, nil)})
	for _, test := range []struct {
		expression string
		cheap      []string
		dear       []string
	}{
		{"quantity(self.a) == quantity('5')", []string{"1.32", "1.37"}, []string{"1.30", "1.31"}},
		{"self.?a.optMap(x, x + '!').value() == 'a!'", []string{"1.30", "1.32"}, []string{"1.33", "1.37"}},
		{"self.?a.optMap(x, self.a + '!').value() == 'a!'", []string{"1.30", "1.32", "1.33", "1.37"}, nil},
	} {
		estimate := func(version string) uint64 {
			return estimated(t, version, self, test.expression)
		}
		for _, version := range test.cheap {
			if cost := estimate(version); cost > 1000 {
				t.Errorf("%s: %d on %s", test.expression, cost, version)
			}
		}
		for _, version := range test.dear {
			if cost := estimate(version); cost < 1_000_000_000 {
				t.Errorf("%s: only %d on %s", test.expression, cost, version)
			}
		}
	}
}

// TestEstimateOfLoops: the number that exists_one counts in is a number in all releases, and
// what is sorted has no expression of its own.
func TestEstimateOfLoops(t *testing.T) {
	self := apiservercel.NewObjectType("object", map[string]*apiservercel.DeclField{
		"list": apiservercel.NewDeclField("list", apiservercel.NewListType(apiservercel.StringType, 4), true, nil, nil)})
	for expression, want := range map[string]uint64{"[1, 2].exists_one(x, x == 1)": 18, "self.list.isSorted()": 0} {
		var first uint64
		for _, version := range []string{"1.30", "1.32", "1.33", "1.37"} {
			cost := estimated(t, version, self, expression)
			if first == 0 {
				first = cost
			}
			if cost == 0 || cost != first || want != 0 && cost != want {
				t.Errorf("%s: %d on %s, %d on 1.30, want %d", expression, cost, version, first, want)
			}
		}
	}
}

// estimated is what a rule over a type costs at most on a version.
func estimated(t *testing.T, version string, self *apiservercel.DeclType, expression string) uint64 {
	t.Helper()
	scope, err := environments(t, version).RuleScope(Write, self, false)
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
