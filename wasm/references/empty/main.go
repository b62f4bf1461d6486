//go:build js && wasm

// Command empty measures Go itself in a browser. scripts/bench compares it with the engine.
package main

import "syscall/js"

func main() {
	js.Global().Set("result", true)
	select {}
}
