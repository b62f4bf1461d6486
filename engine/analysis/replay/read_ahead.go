package replay

import "sync"

// aheadBytes is how much text of requests is read ahead of the one whose turn it is. A
// report takes many times the space of its request, and waits for those before it.
const aheadBytes = 1 << 20

// ahead bounds how many requests are read before the one whose turn it is: some in any
// case, so that every worker has one, and more while they are small.
type ahead struct {
	some, bytes int // the bounds

	mu     sync.Mutex
	room   sync.Cond
	number int // of requests that have begun and are not done
	sum    int // of their bytes
	ended  bool
}

func newAhead(some, bytes int) *ahead {
	a := &ahead{some: some, bytes: bytes}
	a.room.L = &a.mu
	return a
}

// begin waits until there is room for one more request, or for the end.
func (a *ahead) begin(size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.ended && a.number >= a.some && a.sum+size > a.bytes {
		a.room.Wait()
	}
	a.number++
	a.sum += size
}

// done gives back the room of a request.
func (a *ahead) done(size int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.number--
	a.sum -= size
	a.room.Signal()
}

// end lets go who waits.
func (a *ahead) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	a.room.Broadcast()
}
