package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestDoubled rewrites arguments of eval and ask.
func TestDoubled(t *testing.T) {
	a := &app{ctx: context.Background()}
	for _, c := range []struct{ args, want, old string }{
		{"examples -kubernetes 1.36", "examples --kubernetes 1.36", "kubernetes"},
		{"-kubernetes=all -explain x", "--kubernetes=all --explain x", "kubernetes"},
		{"-explain -o json", "--explain -o json", "explain"},
		{"--explain -ojson -o=yaml -nshop", "--explain -ojson -o=yaml -nshop", ""},
		{"--o json --p=a -- -explain", "-o json -p=a -- -explain", ""},
		{"-e -pods -e --pods -pods", "-e -pods -e --pods --pods", "pods"},
		{"-call -call-all -p - -", "--call -call-all -p - -", "call"},
		{"-kubernets 1.36 -fail-no x -recrod d", "--kubernets 1.36 --fail-no x --recrod d", ""},
		{"-rpod.yaml -fa.yaml", "-rpod.yaml -fa.yaml", ""},
		{"-zfoo -e", "-zfoo -e", ""},
		{"-defaulting=false", "--defaulting=false", "defaulting"},
	} {
		got, old := doubled(a.evalCommand().Flags(), strings.Fields(c.args))
		if strings.Join(got, " ") != c.want || old != c.old {
			t.Errorf("%s becomes %s, %s; want %s, %s", c.args, strings.Join(got, " "), old, c.want, c.old)
		}
	}
}

// TestSingleDashHint: people see the hint once, programs never.
func TestSingleDashHint(t *testing.T) {
	for args, want := range map[string]int{
		"cel 1+1 -kubernetes 1.36 -explain":         1,
		"cel 1+1 --kubernetes 1.36 --explain":       0,
		"cel 1+1 -kubernetes 1.36 -explain -o json": 0,
	} {
		var out, errs bytes.Buffer
		if code := Run(strings.Fields(args), nil, &out, &errs); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", args, code, errs.String())
		}
		if got := strings.Count(errs.String(), "with two dashes"); got != want {
			t.Errorf("%s: %d hints: %s", args, got, errs.String())
		}
	}
}
