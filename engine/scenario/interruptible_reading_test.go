package scenario

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// The YAML reader is interrupted within a text. The panic that interrupts it is not reported as a
// library failure.
func TestReadingIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := worklimit.New(ctx, worklimit.Limits{})
	src := "a:\n" + strings.Repeat("- b\n", 100)
	p := &parser{src: src, budget: b}
	s := &source{src: src, from: 0, to: len(src)}
	if root, err := p.nodes(s); err != nil || root == nil {
		t.Fatalf("with time: %v, %v", root, err)
	}
	cancel()
	ended := b.Run(func() {
		_, err := p.nodes(s)
		t.Errorf("the reader went on to the end: %v", err)
	})
	if ended == nil || ended.Limit != worklimit.Time {
		t.Errorf("ended: %+v", ended)
	}
}

// Without time for them, the values of a long text are not read. Those of a short text are.
func TestNoTimeForValues(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		want bool
	}{{"long", longText + 1, true}, {"short", 1000, false}} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		b := worklimit.New(ctx, worklimit.Limits{})
		p := &parser{budget: b}
		ended := b.Run(func() { p.timeForValues(strings.Repeat("x", c.n), time.Now().Add(-time.Hour)) })
		if (ended != nil) != c.want {
			t.Errorf("%s: ended %+v", c.name, ended)
		}
		cancel()
	}
}
