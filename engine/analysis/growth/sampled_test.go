package growth

import (
	"runtime"
	"testing"

	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// skipMost runs case i only if it is one of every n where loops of ten million
// cost units take half a minute: under WebAssembly, which runs the same code.
func skipMost(t *testing.T, i, n int) {
	t.Helper()
	if runtime.GOOS == "js" && i%n != 0 {
		t.Skip("one in", n, "under js/wasm")
	}
}

// evaluatesFound reports whether case i also evaluates requests with the length that was found, as a user
// would send them. The search has confirmed it by the same expressions, so for a change some cases do.
func evaluatesFound(i int) bool { return variants.Full() || i%3 == 1 }
