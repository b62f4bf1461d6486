package growth

import (
	"runtime"
	"testing"
)

// skipMost runs case i only if it is one of every n where loops of ten million
// cost units take half a minute: under WebAssembly, which runs the same code.
func skipMost(t *testing.T, i, n int) {
	t.Helper()
	if runtime.GOOS == "js" && i%n != 0 {
		t.Skip("one in", n, "under js/wasm")
	}
}
