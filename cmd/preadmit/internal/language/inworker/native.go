//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

// Elsewhere there is no worker. The package still builds there, so that tools that go through all
// packages need no exception for it.
func main() {
	fmt.Fprintln(os.Stderr, "this is the language server for browsers; elsewhere it is preadmit lsp")
	os.Exit(2)
}
