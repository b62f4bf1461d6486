package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// evaluate runs an expression with a budget.
func evaluated(t *testing.T, minor, expression string, limits worklimit.Limits) (Result, *worklimit.Ended, *worklimit.Budget) {
	t.Helper()
	c := environments(t, minor).NewCompiler(Run, false, false).Compile(expression, Free)
	if !c.OK() {
		t.Fatalf("%s: %s", expression, c.Err)
	}
	b := worklimit.New(context.Background(), limits)
	var r Result
	ended := b.Run(func() {
		r = NewEvaluator(context.Background(), Options{Budget: b}).NewListRun(Inputs{Object: deployment}, nil, Budget).Run(c)
	})
	return r, ended, b
}

// What one call makes is bounded at the edge, and a byte past it ends the run.
func TestMadeTexts(t *testing.T) {
	const piece = 1 << 12
	text := "'" + strings.Repeat("a", piece) + "'"
	for _, test := range []struct {
		name, format string // of the number of pieces
	}{
		{"replace", "'" + "%[2]s" + "'.replace('b', " + text + ").size()"},
		{"join", "lists.range(%[1]d).map(i, " + text + ").join().size()"},
	} {
		for _, n := range []int{MaxMadeBytes / piece, MaxMadeBytes/piece + 1} {
			expression := fmt.Sprintf(test.format, n, strings.Repeat("b", n))
			if test.name == "join" {
				expression = strings.Replace(fmt.Sprintf(test.format, n), "%!(EXTRA", "", 1)
			}
			r, ended, _ := evaluated(t, "1.37", expression, worklimit.Limits{})
			// A text of 16 MiB costs more than a call may when join makes it.
			if n*piece <= MaxMadeBytes && (ended != nil || r.Err != "" && !strings.HasSuffix(r.Err, "cost limit exceeded")) {
				t.Errorf("%s of %d bytes: %v %.200s", test.name, n*piece, ended, r.CELErr)
			}
			if n*piece > MaxMadeBytes && (ended == nil || ended.Limit != worklimit.Memory || !strings.Contains(ended.Detail, "16 MiB")) {
				t.Errorf("%s of %d bytes: %+v", test.name, n*piece, ended)
			}
		}
	}
	for expression, stops := range map[string]bool{
		"'%s'.format([[[1, 2], [3]]]).size()":                                                                                                            false,
		"[[1,1]]" + strings.Repeat(".map(a, [a,a])", 24) + ".map(a, '%s'.format([a])).size()":                                                            true,
		"'" + strings.Repeat("a", 5000) + "'.replace('', '" + strings.Repeat("b", 5000) + "').size()":                                                    true,
		"'" + strings.Repeat("a", 5000) + "'.replace('a', '" + strings.Repeat("b", 5000) + "', 3).size()":                                                false,
		"'" + strings.Repeat("a", 1000) + "'.replace('a', '" + strings.Repeat("a", 1000) + "').replace('a', '" + strings.Repeat("a", 1000) + "').size()": true,
		"lists.range(100).map(i, '" + strings.Repeat("a", 1000) + "').join('-').size()":                                                                  false,
		"true || '" + strings.Repeat("a", 5000) + "'.replace('a', '" + strings.Repeat("b", 5000) + "') == ''":                                            false,
		"('" + strings.Repeat("a", 5000) + "'.replace('a', '" + strings.Repeat("b", 5000) + "') == '') || true":                                          true, // no operator absorbs it
	} {
		r, ended, _ := evaluated(t, "1.37", expression, worklimit.Limits{})
		if (ended != nil) != stops || !stops && r.Err != "" {
			t.Errorf("%.60s…: ended with %v, error %q; want an end: %t", expression, ended, r.Err, stops)
		}
	}
}

// Quantities so far apart that the server would compute for minutes.
func TestQuantityExponents(t *testing.T) {
	for expression, stops := range map[string]bool{
		"quantity('1e999999999').add(quantity('1'))":                         true,
		"quantity('1e999999999').add(1)":                                     true,
		"quantity('1').sub(quantity('1e999999999'))":                         true,
		"quantity('1e999999999').compareTo(quantity('1')) > 0":               true,
		"quantity('1e999999999').isGreaterThan(quantity('1'))":               true,
		"quantity('1e999999999').isLessThan(quantity('2e999999999'))":        true, // refused without looking closer
		"quantity('1e100000').compareTo(quantity('1'))":                      false,
		"quantity('1e100001').compareTo(quantity('1'))":                      true,
		"quantity('1e-100001') == quantity('0')":                             true,
		"isQuantity('1e-999999999')":                                         true,
		"isQuantity('1e-100000')":                                            false,
		"isQuantity('1e-99999999999999999999')":                              true,
		"isQuantity('a1e-999999999')":                                        false,
		"quantity('1Gi').add(quantity('1Mi')).isGreaterThan(quantity('1k'))": false,
		"quantity('1m').sub(2).asApproximateFloat() < 0.0":                   false,
	} {
		r, ended, _ := evaluated(t, "1.37", expression, worklimit.Limits{})
		if (ended != nil) != stops || !stops && r.Err != "" {
			t.Errorf("%s: ended with %v, error %q; want an end: %t", expression, ended, r.Err, stops)
		}
	}
}

// A loop ends in the middle, at the same place each time.
func TestLoopsAreCharged(t *testing.T) {
	const loop = "lists.range(1000).all(i, lists.range(100).all(j, string(i) + string(j) != ''))"
	_, ended, b := evaluated(t, "1.37", loop, worklimit.Limits{})
	if ended != nil || b.Used() < 200_000 {
		t.Fatalf("%d units for 100,000 turns: %v", b.Used(), ended)
	}
	var first int64
	for i := range 3 {
		_, ended, _ := evaluated(t, "1.37", loop, worklimit.Limits{Work: 50_000})
		if ended == nil || ended.Used > 51_000 {
			t.Fatalf("ended with %+v", ended)
		}
		if i > 0 && ended.Used != first {
			t.Errorf("once at %d units, once at %d", first, ended.Used)
		}
		first = ended.Used
	}
	if _, ended, _ := evaluated(t, "1.37", "lists.range(100).map(i, '"+strings.Repeat("a", 1000)+"'.split('')).size()", worklimit.Limits{Bytes: 1 << 20}); ended == nil || ended.Limit != worklimit.Memory {
		t.Errorf("1.6 MB of lists: %v", ended)
	}
}

// Evaluations of one expression at the same time are charged to their own runs.
func TestMeteredBesideEachOther(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, false).Compile("lists.range(100).all(i, string(i) != '')", Free)
	done := make(chan error)
	for i := range 8 {
		go func() {
			limits := worklimit.Limits{}
			if i%2 == 0 {
				limits.Work = 50 // of some 400
			}
			for range 50 {
				b := worklimit.New(context.Background(), limits)
				var r Result
				ended := b.Run(func() {
					r = NewEvaluator(context.Background(), Options{Budget: b}).NewListRun(Inputs{}, nil, Budget).Run(c)
				})
				if (ended != nil) != (limits.Work > 0) || ended == nil && r.Err != "" {
					done <- errors.New("ended where it must not, or did not end: " + r.Err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
