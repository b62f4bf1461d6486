package replay

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestAhead: large requests are read a few at a time, small ones many.
func TestAhead(t *testing.T) {
	for _, test := range []struct{ size, want int }{{1, 100}, {10, 10}, {60, 4}, {1000, 4}} {
		synctest.Test(t, func(t *testing.T) {
			a := newAhead(4, 100)
			var begun atomic.Int32
			go func() {
				for range 200 {
					a.begin(test.size)
					begun.Add(1)
				}
			}()
			synctest.Wait()
			if got := int(begun.Load()); got != test.want {
				t.Errorf("%d requests of %d bytes are read ahead, not %d", got, test.size, test.want)
			}
			a.done(test.size)
			synctest.Wait()
			if got := int(begun.Load()); got != test.want+1 {
				t.Errorf("%d requests of %d bytes after one was done, not %d", got, test.size, test.want+1)
			}
			a.end()
			synctest.Wait()
			if got := begun.Load(); got != 200 {
				t.Errorf("%d requests after the end", got)
			}
		})
	}
}
