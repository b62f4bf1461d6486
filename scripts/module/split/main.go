// Command split cuts the engine's WebAssembly module into three: a first part with
// what the evaluation of the first page's example calls, a second with what that of any
// other example calls besides, and the rest:
//
//	go run ./scripts/module/split FROM FIRST SECOND REST
//
// The page fetches the others behind its first result, or before if they are needed.
// A browser runs nothing of a module before all of it has been loaded, decompressed
// and checked; half of the engine's code is for scenarios that few have, and the first page's
// needs a fifth. docs/performance.md has the figures. FROM has names of functions, the
// parts have none.
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
	if len(args) < 3 {
		return errors.New("usage: split FROM FIRST SECOND REST")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	needed, err := watch(data, os.DirFS("examples"))
	if err != nil {
		return err
	}
	names := args[1:]
	made, err := split(data, len(names), func(number int, name string) int {
		if chance(name) {
			return 0
		}
		return min(needed[number], len(names)-1)
	})
	if err != nil {
		return err
	}
	for i, part := range made {
		fmt.Printf("part %d: %d functions, %d bytes of code\n", i+1, part.functions, part.bytes)
		err = errors.Join(err, os.WriteFile(names[i], part.module, 0o644))
	}
	return err
}
