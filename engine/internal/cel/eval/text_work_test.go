package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// A function that turns a text into characters is charged for all of it in every call, whatever it costs.
func TestReadingTextIsCharged(t *testing.T) {
	used := func(n int, call string) int64 {
		_, ended, b := evaluated(t, "1.37", "'"+strings.Repeat("a", n)+"'"+call+" != dyn(1)", worklimit.Limits{})
		if ended != nil {
			t.Fatal(ended)
		}
		return b.Used()
	}
	for _, call := range []string{".charAt(3)", ".indexOf('z')", ".lastIndexOf('z')", ".substring(5, 7)", ".lowerAscii()", ".split('z')", ".matches('^b')", ".find('z')", ".findAll('z')"} {
		if short, long := used(100, call), used(40_100, call); long-short < 40_000/readBytes {
			t.Errorf("%s: %d units for 100 characters, %d for 40,100", call, short, long)
		}
	}
	if short, long := used(100, ".startsWith('b')"), used(40_100, ".startsWith('b')"); long-short > 5_000 {
		t.Errorf("startsWith: %d units for 100 characters, %d for 40,100", short, long)
	}
}

// A search in a text whose time grows with the length of what is looked for is bounded before it is made, for
// patterns that are literals and for those that are computed.
func TestSearchesInTextsAreBounded(t *testing.T) {
	long := func(n int) string { return "'" + strings.Repeat("a", n) + "'" }
	twice := func(s string) string { return "(" + s + " + " + s + ")" }
	times := func(n int) string { return fmt.Sprintf("lists.range(%d).map(i, %s).join()", n, long(10_000)) }
	big := times(8)
	for _, test := range []struct {
		name, expression string
		stops            bool
	}{
		{"matches, literal", big + ".matches(" + long(2_600) + ")", true},
		{"matches, literal, at the edge", big + ".matches(" + long(2_500) + ")", false},
		{"matches, computed", big + ".matches(" + twice(long(1_300)) + ")", true},
		{"find, literal", big + ".find(" + long(2_600) + ") == ''", true},
		{"find, computed", big + ".find(" + twice(long(1_300)) + ") == ''", true},
		{"repeated parts", big + ".matches('(abc){1000}$')", true},
		{"repeated parts, computed", big + ".matches('(abc){10' + '00}$')", true},
		{"few repetitions", big + ".matches('(abc){10}$')", false},
		{"findAll", big + ".findAll('(a*b)|a').size() > 0", true},
		{"findAll, computed", big + ".findAll('(a*b)' + '|a').size() > 0", true},
		{"findAll, a few", big + ".findAll('(a*b)|a', 3).size() > 0", false},
		{"findAll, one after the other", big + ".findAll('a').size() > 0", false},
		{"indexOf", times(32) + ".indexOf(" + big + " + 'b') < 0", true},
		{"lastIndexOf", times(32) + ".lastIndexOf('b' + " + big + ") < 0", true},
		{"indexOf, short", times(32) + ".indexOf('b') < 0", false},
	} {
		_, ended, _ := evaluated(t, "1.37", test.expression, worklimit.Limits{})
		if (ended != nil) != test.stops {
			t.Errorf("%s: %v", test.name, ended)
		}
	}
}

// The guards change no result.
func TestSearchesInTexts(t *testing.T) {
	for expression, want := range map[string]any{
		"'abc'.matches('b')":                            true,
		"'abc'.matches('^b' + '$')":                     false,
		"matches('abc', 'a' + 'b')":                     true,
		"matches('abc', 'b')":                           true,
		"'abc'.find('[bc]+')":                           "bc",
		"'abc'.find('[b' + 'c]+')":                      "bc",
		"'abab'.findAll('a' + 'b').size()":              int64(2),
		"'abab'.findAll('ab', 1).size()":                int64(1),
		"'a\u00e4b'.indexOf('b')":                       int64(2),
		"'abab'.indexOf('a', 1)":                        int64(2),
		"'abab'.lastIndexOf('ab')":                      int64(2),
		"'abab'.lastIndexOf('ab', 1)":                   int64(0),
		"['a', 'b'].indexOf('b')":                       int64(1),
		"dyn('abc').matches(dyn('b'))":                  true,
		"object.metadata.name.matches('^w') || 1/0 > 0": true,
	} {
		for _, minor := range []string{"1.31", "1.37"} {
			r, ended, _ := evaluated(t, minor, expression, worklimit.Limits{})
			if ended != nil || r.Err != "" || r.Value.Value() != want {
				t.Errorf("%s: %s: %v, %s, %v", minor, expression, r.Value, r.Err, ended)
			}
		}
	}
	for expression, want := range map[string]string{"'a'.matches('(' + 'a')": "missing closing )", "dyn(1).matches('a' + 'b')": "no such overload", "dyn(1).matches('ab')": "no such overload"} {
		if r, _, _ := evaluated(t, "1.37", expression, worklimit.Limits{}); !strings.Contains(r.Err, want) {
			t.Errorf("%s: %v, %q", expression, r.Value, r.Err)
		}
	}
}
