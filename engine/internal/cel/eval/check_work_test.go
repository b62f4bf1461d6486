package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// What grows faster than the costs of CEL say is charged as it grows: the stack of
// the cost tracker with the square of a loop.
func TestStackOfTheTrackerIsCharged(t *testing.T) {
	used := func(n string) int64 {
		_, ended, b := evaluated(t, "1.37", "lists.range("+n+").all(i, i >= 0)", worklimit.Limits{})
		if ended != nil {
			t.Fatal(ended)
		}
		return b.Used()
	}
	small, large := used("1000"), used("10000")
	if large < 20*small {
		t.Errorf("a loop ten times as long takes %d units for %d: the stack is not charged", large, small)
	}
}

// A comparison of values that share parts is charged part by part, and ends.
func TestEqualityIsCharged(t *testing.T) {
	twice := func(levels int, compare string) string {
		v := "[[1]]" + strings.Repeat(".map(a, [a, a])", levels)
		return v + compare + v
	}
	for _, operator := range []string{" == ", " != "} {
		if _, ended, _ := evaluated(t, "1.37", twice(16, operator), worklimit.Limits{Work: 1_000_000}); ended == nil || ended.Limit != worklimit.Work {
			t.Errorf("2^16 parts compared with %s: %v", operator, ended)
		}
		r, ended, _ := evaluated(t, "1.37", twice(6, operator), worklimit.Limits{Work: 1_000_000})
		if ended != nil || r.Value.Value() != (operator == " == ") {
			t.Errorf("2^6 parts compared with %s: %v, %v", operator, r.Value, ended)
		}
	}
}

// The charged equality is that of CEL.
func TestEquality(t *testing.T) {
	for expression, want := range map[string]any{
		"[1, 2] == [1, 2]":                       true,
		"[1, 2] == [2, 1]":                       false,
		"[1] == [1, 2]":                          false,
		"[dyn(1)] == [dyn(1.0)]":                 true,
		"{'a': dyn(1)} == {'a': dyn(1u)}":        true,
		"{'a': 1} != {'b': 1}":                   true,
		"{'a': [{'b': 2}]} == {'a': [{'b': 2}]}": true,
		"dyn(null) == dyn(null)":                 true,
		"dyn([]) == dyn({})":                     false,
		"dyn('a') != dyn(1)":                     true,
		"object == object":                       true,
		"object.spec != object":                  true,
	} {
		r, ended, _ := evaluated(t, "1.37", expression, worklimit.Limits{Work: 1_000_000})
		if ended != nil || r.Err != "" || r.Value.Value() != want {
			t.Errorf("%s: %v %s %v", expression, r.Value, r.Err, ended)
		}
	}
	if r, _, _ := evaluated(t, "1.37", "object.nothing == object.nothing", worklimit.Limits{}); !strings.Contains(r.Err, "no such key") {
		t.Errorf("an operand that fails: %v %q", r.Value, r.Err)
	}
}

// A search for equal items is bounded at the edge and past it.
func TestDistinctPairs(t *testing.T) {
	for n, stops := range map[string]bool{"7071": false, "7072": true} {
		_, ended, _ := evaluated(t, "1.37", "lists.range("+n+").map(i, 1).distinct().size()", worklimit.Limits{})
		if (ended != nil) != stops {
			t.Errorf("%s items: %v", n, ended)
		}
	}
}

// Compiling is charged before it is done: by the square of the calls, and by the
// fourth power of loops over loops.
func TestCompilingIsCharged(t *testing.T) {
	work := func(expression string) int64 {
		b := worklimit.New(context.Background(), worklimit.Limits{})
		environments(t, "1.37").Within(b).NewCompiler(Run, false, false).Compile(expression, Free)
		return b.Used()
	}
	and := func(n int) string { return strings.TrimSuffix(strings.Repeat("object.a != 1 && ", n), " && ") }
	if small, large := work(and(20)), work(and(400)); large < 40*small {
		t.Errorf("400 terms take %d units, 20 take %d", large, small)
	}
	plain := func(n int) string { return strings.TrimSuffix(strings.Repeat("has(object.a) && ", n), " && ") }
	if small, large := work(plain(20)), work(plain(400)); large > 22*small {
		t.Errorf("400 terms without type parameters take %d units, 20 take %d", large, small)
	}
	b := worklimit.New(context.Background(), worklimit.Limits{Work: 80_000_000})
	if ended := b.Run(func() {
		environments(t, "1.37").Within(b).NewCompiler(Run, false, false).Compile("[[1]]"+strings.Repeat(".map(a, [a, a])", 200), Free)
	}); ended == nil || ended.Limit != worklimit.Work {
		t.Errorf("200 loops over loops: %v", ended)
	}
	if n := work("object.spec.replicas <= 5"); n > 15_000 {
		t.Errorf("a short expression takes %d units", n)
	}
}

// A value that is written out is charged for the copies of its parts.
func TestWholeValuesAreCharged(t *testing.T) {
	r, _, _ := evaluated(t, "1.37", "[[1]]"+strings.Repeat(".map(a, [a, a])", 22), worklimit.Limits{})
	b := worklimit.New(context.Background(), worklimit.Limits{Bytes: 1 << 20})
	if ended := b.Run(func() { ChargeWhole(b, r.Value) }); ended == nil || ended.Limit != worklimit.Memory {
		t.Errorf("2^22 copies: %v", ended)
	}
}

// A search in a list charges for the parts of what it compares, before it compares
// them: values that share parts would keep it busy for years.
func TestSearchesAreCharged(t *testing.T) {
	deep := func(levels int) string { return "[[1]]" + strings.Repeat(".map(a, [a, a])", levels) }
	for _, call := range []string{"V[0] in V", "V.indexOf(V[0]) == 0", "V.lastIndexOf(V[0]) == 0", "sets.contains(V, V)", "sets.equivalent(V, V)", "sets.intersects(V, V)", "(V + V).distinct().size() == 1"} {
		r, ended, _ := evaluated(t, "1.37", strings.ReplaceAll(call, "V", deep(5)), worklimit.Limits{Work: 10_000_000})
		if ended != nil || r.Value.Value() != true {
			t.Errorf("%s, small: %v, %v", call, r.Value, ended)
		}
		_, ended, _ = evaluated(t, "1.37", strings.ReplaceAll(call, "V", deep(22)), worklimit.Limits{Work: 1_000_000})
		if ended == nil {
			t.Errorf("%s compares 2^22 parts", call)
		}
	}
	// Plain values count too: a loop over many searches ends.
	for _, call := range []string{"-1 in L", "L.indexOf(-1) == 0", "sets.contains(L, [-1])"} {
		one := func(n string) int64 {
			_, _, b := evaluated(t, "1.37", strings.ReplaceAll(call, "L", "lists.range("+n+")"), worklimit.Limits{})
			return b.Used()
		}
		if small, large := one("100"), one("1100"); large-small < 1_000*pairWork {
			t.Errorf("%s: %d units for 100 items, %d for 1,100", call, small, large)
		}
	}
}

func TestInWhatIsNoContainer(t *testing.T) {
	r, _, _ := evaluated(t, "1.37", "1 in dyn(2)", worklimit.Limits{})
	if !strings.Contains(r.Err, "no such overload") {
		t.Errorf("1 in 2: %v, %v", r.Value, r.Err)
	}
}

// An expression that crashes cel-go is rejected: the server crashes on it too.
func TestCrashOfTheChecker(t *testing.T) {
	for _, minor := range []string{"1.30", "1.37"} {
		envs, err := NewSet().ForVersion(version.MustParse(minor))
		if err != nil {
			t.Fatal(err)
		}
		compiler := envs.NewCompiler(Run, false, false)
		for expression, crashes := range map[string]bool{
			"[?object.a].size() > 0": true, "{'a': [?object.a, ?object.b]}.size() > 0": true, "[?object.?a].size() > 0": false, "[object.a].size() > 0": false,
		} {
			c := compiler.Compile(expression, Condition)
			if got := c.Crashes(); got != crashes || (c.Err == "") == crashes {
				t.Errorf("%s: %s: %q", minor, expression, c.Err)
			}
			if crashes && (len(c.Issues) != 1 || c.Issues[0].Start != 0) {
				t.Errorf("%s: %s: %+v", minor, expression, c.Issues)
			}
		}
	}
}

// How often the whole stack is looked through for a call: for the loops that the tracker takes longest
// for it is counted in a profile of them.
func TestScansPerCall(t *testing.T) {
	environments := environments(t, "1.37")
	for expression, want := range map[string]int{
		"object.a == 1":                              0,
		"object.all(a, a != '')":                     100 * 4 / 2, // accumulator twice, a, the macro; its call and !=
		"object.all(a, has(object.b) ? true : true)": 600,
		"object.exists_one(a, a == object)":          500, // both branches, the accumulator of one, a, object
		"object.map(a, a)":                           200,
		"object.all(a, a != '' && a != 'b')":         250,
		"object.all(a, object.all(b, true || a))":    500,
		"true || object.exists(a, a.b.c['d'] == 1)":  133, // its call, !, ==
		"[object.filter(a, true)].size() > 0":        300, // both branches and the accumulator
	} {
		c := environments.NewCompiler(Run, false, false).Compile(expression, Free)
		if !c.OK() {
			t.Errorf("%s: %s", expression, c.Err)
		} else if got := c.meter.scans; got != want {
			t.Errorf("%s: %d scans for 100 calls, not %d", expression, got, want)
		}
	}
}

// What a call takes besides its arguments and its cost: a time zone is read from its file in each
// call, quantities are written out in digits, each value of format is written, and each match of
// findAll is looked for anew.
func TestZonesAndMatchesAreCharged(t *testing.T) {
	used := func(expression string) int64 {
		t.Helper()
		r, ended, b := evaluated(t, "1.37", expression, worklimit.Limits{})
		if ended != nil || r.Err != "" {
			t.Fatalf("%s: %v, %v", expression, ended, r.Err)
		}
		return b.Used()
	}
	year := "lists.range(100).all(i, timestamp('2026-11-25T23:00:00Z').getFullYear(ZONE) == 2026)"
	with, without := used(strings.Replace(year, "ZONE", "'Europe/Berlin'", 1)), used(strings.Replace(year, "ZONE", "", 1))
	if with-without < 100*zoneWork {
		t.Errorf("a hundred calls with a time zone take %d units, %d without", with, without)
	}
	far := "lists.range(100).all(i, quantity('NUMBER').isGreaterThan(quantity('1')))"
	if many, few := used(strings.Replace(far, "NUMBER", "1e9000", 1)), used(strings.Replace(far, "NUMBER", "1000", 1)); many-few < 100*9000 {
		t.Errorf("a hundred comparisons of numbers 9,000 digits apart take %d units, %d of numbers alike", many, few)
	}
	if many, few := used("'%s'.format([lists.range(2000)]) != ''"), used("'%s'.format([lists.range(1000)]) != ''"); many-few < 1000*formatWork {
		t.Errorf("format takes %d units for 2,000 values, %d for 1,000", many, few)
	}
	matches := func(found string) int64 {
		return used("'" + strings.Repeat(found, 500) + "'.findAll('[a]').size() >= 0")
	}
	if many, none := matches("a"), matches("b"); many-none < 500*2*itemWork {
		t.Errorf("five hundred matches take %d units, none %d", many, none)
	}
}
