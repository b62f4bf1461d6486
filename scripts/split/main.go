// Command split cuts the engine's WebAssembly module into two: a first part with
// what the evaluation of any example calls, and the rest, which is loaded
// behind the first result, or before if it is needed:
//
//	go run ./scripts/split FROM FIRST REST
//
// A browser runs nothing of a module before all of it has been loaded, decompressed
// and checked; half of the engine's code is for scenarios that few have.
// docs/performance.md has the figures. FROM has names of functions, the parts have none.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "split:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: split FROM FIRST REST")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	called, err := watch(data, os.DirFS("examples"))
	if err != nil {
		return err
	}
	made, err := split(data, func(number int, name string) bool {
		return called[number] || chance(name)
	})
	if err != nil {
		return err
	}
	fmt.Printf("first part: %d functions, %d bytes of code; the rest: %d functions, %d bytes\n",
		made.hot, made.hotBytes, made.cold, made.coldBytes)
	return errors.Join(os.WriteFile(args[1], made.first, 0o644), os.WriteFile(args[2], made.second, 0o644))
}
