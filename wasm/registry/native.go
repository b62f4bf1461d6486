//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

// On other platforms nothing is exposed. The package still builds, so that tools for all packages
// need no exception.
func main() {
	fmt.Fprintln(os.Stderr, "this is the API server's code for browsers: GOOS=js GOARCH=wasm go build ./wasm/registry, or scripts/module/build for what pages get")
	os.Exit(2)
}
