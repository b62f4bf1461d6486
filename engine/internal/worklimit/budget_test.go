package worklimit

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWorkAtTheEdge(t *testing.T) {
	b := New(context.Background(), Limits{Work: 100})
	if ended := b.Run(func() { b.Work(60); b.Work(40) }); ended != nil {
		t.Errorf("exactly the limit ends the run: %v", ended)
	}
	b.Enter("the last unit")
	ended := b.Run(func() { b.Work(1) })
	if ended == nil || ended.Limit != Work || ended.Step != "the last unit" || ended.Used != 101 || ended.Max != 100 {
		t.Errorf("one past the limit: %+v", ended)
	}
}

func TestBytesAtTheEdge(t *testing.T) {
	b := New(context.Background(), Limits{Bytes: 1000})
	if ended := b.Run(func() { b.Make(1000) }); ended != nil {
		t.Errorf("exactly the limit ends the run: %v", ended)
	}
	if ended := b.Run(func() { b.Make(1) }); ended == nil || ended.Limit != Memory {
		t.Errorf("one past the limit: %+v", ended)
	}
	if b := New(context.Background(), Limits{Bytes: 1000}); b.Run(func() { b.Make(1 << 62); b.Make(1 << 62); b.Make(1 << 62) }) == nil {
		t.Error("a sum that overflows does not end the run")
	}
}

// A part that ends leaves the rest of the run what it did not use.
func TestWithin(t *testing.T) {
	b := New(context.Background(), Limits{Work: 1000, Bytes: 1000})
	ended := b.Within("the part", 10, func() { b.Work(101) })
	if ended == nil || ended.Step != "the part" || ended.Max != 100 {
		t.Errorf("the part ended with %+v", ended)
	}
	if ended := b.Run(func() { b.Work(800) }); ended != nil {
		t.Errorf("the rest ended with %+v", ended)
	}
	if !b.Spent(90) || b.Spent(91) {
		t.Errorf("%d units are used", b.Used())
	}
	if ended := b.Within("another", 50, func() { b.Work(100) }); ended == nil || ended.Max != 1000 {
		t.Errorf("a part gets more than the whole: %+v", ended)
	}
}

func TestDeadlineAndCancellation(t *testing.T) {
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	b := New(late, Limits{})
	if ended := b.Run(func() { b.Work(often) }); ended == nil || ended.Limit != Time || !errors.Is(ended, context.DeadlineExceeded) {
		t.Errorf("after the deadline: %+v", ended)
	}
	if Canceled(late) {
		t.Error("a deadline is taken for a cancellation")
	}
	// A context whose timer has not fired, as on a machine with one thread.
	b = New(slow{context.Background()}, Limits{})
	if ended := b.Run(func() { b.Work(often) }); ended == nil || ended.Limit != Time || !errors.Is(ended, context.DeadlineExceeded) {
		t.Errorf("after the deadline, by the clock: %+v", ended)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if !Canceled(gone) || Canceled(context.Background()) {
		t.Error("a cancellation is not seen")
	}
}

// slow is a context that has not noticed its deadline.
type slow struct{ context.Context }

func (slow) Deadline() (time.Time, bool) { return time.Unix(0, 0), true }

func TestQuantities(t *testing.T) {
	object := func(text string) map[string]any {
		return map[string]any{"a": []any{map[string]any{"b": text}}}
	}
	for text, wide := range map[string]bool{
		"1e-100000": false, "1e-100001": true, "-1.5E-999999999": true, "1e999": false, "x1e-999999999": false,
		strings.Repeat("9", MaxQuantityDigits): false, strings.Repeat("9", MaxQuantityDigits+1): true,
		strings.Repeat("9", MaxQuantityDigits) + "Mi": true, strings.Repeat("a", MaxQuantityDigits+1): false,
	} {
		b := New(context.Background(), Limits{})
		if ended := b.Run(func() { b.Measure(object(text)) }); (ended != nil) != wide {
			t.Errorf("%.20s, %d characters: %v", text, len(text), ended)
		}
	}
}

func TestHeap(t *testing.T) {
	b := New(context.Background(), Limits{Heap: 8 << 20})
	var kept [][]byte
	ended := b.Run(func() {
		for range 100 {
			kept = append(kept, make([]byte, 1<<20))
			b.Work(often)
		}
	})
	if ended == nil || ended.Limit != Memory {
		t.Fatalf("100 MiB were made: %+v", ended)
	}
	if len(kept) > 20 {
		t.Errorf("ended after %d MiB", len(kept))
	}
	b = New(context.Background(), Limits{Heap: 8 << 20})
	if ended := b.Run(func() {
		for range 100 {
			kept = [][]byte{make([]byte, 1<<20)} // what is thrown away does not count
			b.Work(often)
		}
	}); ended != nil {
		t.Errorf("1 MiB was kept: %+v", ended)
	}
}

func TestNil(t *testing.T) {
	var b *Budget
	b.Work(1)
	b.Make(1)
	b.Enter("x")
	ran := false
	if b.Within("x", 1, func() { ran = true }) != nil || !ran || b.Spent(0) || b.Used() != 0 {
		t.Error("a nil budget has limits")
	}
}

// A panic that is none of ours goes on.
func TestOtherPanics(t *testing.T) {
	defer func() {
		if recover() != "other" {
			t.Error("the panic is lost")
		}
	}()
	New(context.Background(), Limits{}).Run(func() { panic("other") })
}

// What cannot be interrupted is not begun when there is no time for it.
func TestAhead(t *testing.T) {
	soon, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Hour))
	defer cancel()
	for _, c := range []struct {
		name    string
		b       *Budget
		took    time.Duration
		percent int
		want    bool
	}{
		{"enough time", New(soon, Limits{}), 20 * time.Minute, 250, false},
		{"too little", New(soon, Limits{}), 30 * time.Minute, 250, true},
		{"no deadline", New(context.Background(), Limits{}), 30 * time.Hour, 250, false},
		{"no budget", nil, 30 * time.Hour, 250, false},
	} {
		ended := c.b.Run(func() { c.b.Ahead(time.Now().Add(-c.took), c.percent) })
		if (ended != nil) != c.want || c.want && (ended.Limit != Time || !errors.Is(ended, context.DeadlineExceeded)) {
			t.Errorf("%s: %+v", c.name, ended)
		}
	}
}

// A library that calls back is interrupted there, although nothing is charged for.
func TestLook(t *testing.T) {
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	b := New(late, Limits{})
	if ended := b.Run(b.Look); ended == nil || ended.Limit != Time {
		t.Errorf("after the deadline: %+v", ended)
	}
	var none *Budget
	none.Look()
}
