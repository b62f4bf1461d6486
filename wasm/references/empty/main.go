//go:build js && wasm

// Command empty is what Go itself costs in a browser: scripts/bench measures it beside
// the engine.
package main

import "syscall/js"

func main() {
	js.Global().Set("result", true)
	select {}
}
