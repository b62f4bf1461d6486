package expect

import (
	"bytes"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzExpected checks that a parsed expected.yaml is stable when written and read again.
func FuzzExpected(f *testing.F) {
	target := variants.Of(f, 500)
	target.Add([]byte("allowed: false\ncode: 422\nmessage: no\n"))
	target.Add([]byte("allowed: true\nobject:\n  spec: {replicas: 3}\nwarnings: [a]\n"))
	target.Add([]byte("{}"))
	target.Add([]byte("{object}"))
	target.Add([]byte("outcome: &a {allowed: *a}\n"))
	target.Fuzz(func(t *testing.T, text []byte) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		written, err := e.YAML()
		if err != nil {
			t.Fatalf("%q is read but cannot be written: %v", text, err)
		}
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%q was written as %q, which cannot be read: %v", text, written, err)
		}
		twice, err := again.YAML()
		if err != nil || !bytes.Equal(written, twice) {
			t.Errorf("%q, then %q, %v", written, twice, err)
		}
	})
}

// FuzzCases reads tables of requests and builds the requests. Both must be stable when the table is
// written and read again.
func FuzzCases(f *testing.F) {
	target := variants.Of(f, 500)
	const base = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {b: c}}\ndata: {list: '1'}\n"
	for _, seed := range []string{
		"- name: five\n  set: {/data/list: 5, /metadata/labels/x~1y: z}\n  expected: {outcome: {allowed: true}}\n",
		"- {name: none, remove: [/metadata/labels], expected: {outcome: {state: noPolicyRan}}}\n- {name: new}\n",
		"- name: a Job\n  request: {apiVersion: batch/v1, kind: Job}\n- name: there\n  file: job.yaml # beside it\n  expected: {steps: [{policy: p, verdict: deny}]}\n",
		"- &a {name: a, set: &b {/data: *b}}\n",
		"- {name: a, request: {a, &b: c, 0x10: d, true: e, 1.50: f}}\n", // null was an empty name
		"- &a {name: a, set: {a, &b: c, 0x10: d, true: e, 1.50: f}}\n",
		"- name: &a [*a]\n",
		"- {name: a, request: {a: &a [x, x], b: &b [*a, *a], c: [*b, *b]}}\n",
	} {
		target.Add([]byte(seed))
	}
	requests := func(t *testing.T, c *Cases) string {
		var all []string
		for _, one := range c.List {
			if one.Name == "" || one.Line < 1 {
				t.Errorf("a case %+v", one)
			}
			text, err := one.Request(base)
			if err != nil {
				text = "it has none"
			}
			all = append(all, one.Name, one.File, text)
		}
		return strings.Join(all, "\x00")
	}
	target.Fuzz(func(t *testing.T, text []byte) {
		read, err := ParseCases(text)
		if err != nil {
			return
		}
		before := requests(t, read)
		written, err := read.YAML()
		if err != nil {
			t.Fatalf("%q is read but cannot be written: %v", text, err)
		}
		again, err := ParseCases(written)
		if err != nil {
			t.Fatalf("%q was written as %q, which cannot be read: %v", text, written, err)
		}
		if after := requests(t, again); after != before {
			t.Errorf("the requests are\n%s\nthen\n%s", before, after)
		}
	})
}

// A value that contains itself, or expands endlessly, is only an error.
func TestAliases(t *testing.T) {
	for text, want := range map[string]string{
		"- name: x\n  set: &a {/metadata/labels: *a}\n": "cases.yaml:2: values are more than 200 levels deep, or hold themselves",
		"- name: &a [*a]\n":                             "cases.yaml:1: values are more than 200 levels deep, or hold themselves",
		"- {name: a, request: {a: &a [x" + strings.Repeat(", x", 999) + "], b: &b [*a" + strings.Repeat(", *a", 999) + "]}}\n": "cases.yaml:1: it has more than 300000 values, its aliases expanded",
		"- {name: a, request: {a: &a " + strings.Repeat("x", 20_000) + ", b: &b [*a" + strings.Repeat(", *a", 999) + "]}}\n":   "cases.yaml:1: it has more than 16777216 bytes, its aliases expanded",
	} {
		if _, err := ParseCases([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.80q: %v, want %s", text, err, want)
		}
	}
	if _, err := Parse([]byte("outcome: &a {allowed: *a}\n")); err == nil || !strings.HasPrefix(err.Error(), "expected.yaml:1: values are more than 200 levels deep") {
		t.Errorf("got %v", err)
	}
}
