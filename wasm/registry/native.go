//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

// Elsewhere there is nothing to expose the engine to; the package builds all the same,
// so that tools that go through all packages need no exception for it.
func main() {
	fmt.Fprintln(os.Stderr, "this is the API server's code for browsers: GOOS=js GOARCH=wasm go build ./wasm/registry, or scripts/module/build for what pages get")
	os.Exit(2)
}
