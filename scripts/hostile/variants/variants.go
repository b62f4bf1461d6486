// Package variants generates inputs for fuzz targets from their seeds, the same on every run. go
// test tries some besides a target's seeds; scripts/fuzz -variants tries many more. A
// coverage-guided fuzzer tries a few thousand inputs per second, this some hundred thousand for a
// cheap target.
package variants

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Target is a fuzz target that remembers its seeds.
type Target struct {
	f     *testing.F
	n     int
	seeds [][]any
}

// Full reports whether to try everything, as before a release (scripts/full). What concerns a
// change is tested with a part of them.
func Full() bool { return os.Getenv("PREADMIT_FULL") == "1" && !testing.Short() }

// Of returns a target that tries n variants in a full test, and a fifth of them in an ordinary one.
func Of(f *testing.F, n int) *Target { return &Target{f: f, n: n} }

// Add adds a seed.
func (t *Target) Add(args ...any) {
	t.seeds = append(t.seeds, args)
	t.f.Add(args...)
}

// The environment variables of scripts/fuzz -variants: the number of seconds, and the number of the
// sequence.
const (
	secondsVariable  = "PREADMIT_VARIANTS_SECONDS"
	sequenceVariable = "PREADMIT_VARIANTS_SEQUENCE"
)

// Fuzz is testing.F's. Unless go test is fuzzing, it tries the variants after the first seed.
func (t *Target) Fuzz(check any) {
	if fuzz := flag.Lookup("test.fuzz"); fuzz != nil && fuzz.Value.String() != "" {
		t.f.Fuzz(check)
		return
	}
	f := reflect.ValueOf(check)
	done := false
	t.f.Fuzz(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		f.Call(args)
		if !done {
			done = true
			t.vary(args[0].Interface().(*testing.T), f)
		}
		return nil
	}).Interface())
}

// vary tries the variants: a fixed number, or for the environment's time.
func (t *Target) vary(test *testing.T, check reflect.Value) {
	seconds, _ := strconv.Atoi(os.Getenv(secondsVariable)) // not a number: none
	sequence, _ := strconv.ParseUint(os.Getenv(sequenceVariable), 10, 64)
	n := t.n
	switch {
	case testing.Short():
		n = min(n, 20)
	case !Full():
		n = max(n/5, 5)
	}
	m := newMaker(t.seeds, sequence)
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	tried := 0
	for ; tried < n && seconds == 0 || seconds > 0 && (tried%16 != 0 || time.Now().Before(until)); tried++ {
		args := []reflect.Value{reflect.ValueOf(test)}
		for _, arg := range m.next() {
			args = append(args, reflect.ValueOf(arg))
		}
		t.try(test, check, args)
	}
	if seconds > 0 {
		fmt.Printf("variants: %d\n", tried)
	}
}

// try calls the check, and reports the failing variant.
func (t *Target) try(test *testing.T, check reflect.Value, args []reflect.Value) {
	defer func() {
		reason := recover()
		if test.Failed() || reason != nil {
			for i, arg := range args[1:] {
				test.Logf("argument %d: %#v", i, arg.Interface())
			}
		}
		if reason != nil {
			test.Fatalf("panic: %v", reason)
		}
		if test.Failed() {
			test.FailNow()
		}
	}()
	check.Call(args)
}

// maker generates variants of seeds.
type maker struct {
	*rand.Rand
	seeds  [][]any
	tokens []string
}

// odd are strings that are hard for parsers.
var odd = []string{"", "\x00", "\xff", "\ufeff", "\u2028", "é", "😀", "\r\n", "\n", "\t", "  ", "---\n", "...\n", "# ", ": ", "- ", "{", "}", "[", "]", "\"", "'", "\\", "|\n ", ">-\n",
	"&a ", "*a", "<<: ", "!!binary ", "null", "true", "~", "-1", "1e999", "9223372036854775808", "0x1F", "~1", "~0", "/-", "(", ")", "&&", "||", ".?", "`", "${", "%"}

func newMaker(seeds [][]any, sequence uint64) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(sequence, 7)), seeds: seeds, tokens: odd}
	for _, seed := range seeds {
		for _, arg := range seed {
			text, ok := textOf(arg)
			if !ok {
				continue
			}
			m.tokens = append(m.tokens, strings.FieldsFunc(text[:min(len(text), 4_000)], func(c rune) bool { return strings.ContainsRune(" \n\t,:{}[]()\"'", c) })...)
		}
	}
	return m
}

func textOf(arg any) (string, bool) {
	switch arg := arg.(type) {
	case string:
		return arg, true
	case []byte:
		return string(arg), true
	}
	return "", false
}

// next returns another input.
func (m *maker) next() []any {
	out := make([]any, 0, 6)
	changed := m.IntN(len(m.seeds[0]))
	seed := m.seeds[m.IntN(len(m.seeds))]
	for i, arg := range seed {
		if i != changed && m.IntN(3) > 0 {
			out = append(out, arg)
			continue
		}
		out = append(out, m.varied(arg, i))
	}
	return out
}

func (m *maker) varied(arg any, at int) any {
	switch arg := arg.(type) {
	case string:
		return m.text(arg, at)
	case []byte:
		return []byte(m.text(string(arg), at))
	case int:
		return []int{arg, arg + 1, arg - 1, 0, -1, m.IntN(1000), 1 << 40}[m.IntN(7)]
	case uint8:
		return uint8(m.Uint32())
	case uint64:
		return m.Uint64()
	}
	panic(fmt.Sprintf("variants: seeds of %T are not known", arg))
}

// text changes a text in one to four places.
func (m *maker) text(s string, at int) string {
	for range 1 + m.IntN(4) {
		from := m.IntN(len(s) + 1)
		to := min(len(s), from+1+m.IntN(cmp.Or(m.IntN(40), 1)))
		switch m.IntN(8) {
		case 0:
			s = s[:from] + s[to:]
		case 1:
			s = s[:to] + s[from:]
		case 2, 3:
			s = s[:from] + m.tokens[m.IntN(len(m.tokens))] + s[from:]
		case 4:
			s = s[:from] + m.tokens[m.IntN(len(m.tokens))] + s[to:]
		case 5:
			s = s[:from] + string(rune(m.IntN(128))) + s[to:]
		case 6: // another place of the same text
			other := m.IntN(len(s) + 1)
			s = s[:from] + s[other:min(len(s), other+m.IntN(60))] + s[from:]
		case 7: // the end of another seed
			other, _ := textOf(m.seeds[m.IntN(len(m.seeds))][at])
			s = s[:from] + other[m.IntN(len(other)+1):]
		}
	}
	return s
}

// One is a variant of seeds, the same for the same number on every machine.
func One(seeds [][]any, number uint64) []any { return newMaker(seeds, number).next() }
