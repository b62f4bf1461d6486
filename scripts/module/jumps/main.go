// Command jumps rewrites a WebAssembly module that Go's linker wrote, so that
// jumps forward inside a function are direct:
//
//	go run ./scripts/module/jumps FROM TO
//
// Go's compiler makes each jump set a number and go back to a loop at the start of
// the function, where a table leads to the target. Browsers count the code that is
// jumped back over to decide what is worth optimising: with that detour a
// function that runs once counts as hot, and the optimiser, which gets a loop with
// as many entries as there are jumps, then takes the processor from the code that
// is waited for. docs/performance.md has the figures.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "jumps:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: jumps FROM TO")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	out, stats, err := rewriteModule(data)
	if err != nil {
		return err
	}
	fmt.Printf("%d functions, %d of them with jumps; %d of %d jumps are direct now; %d bytes became %d\n",
		stats.functions, stats.dispatching, stats.direct, stats.jumps, len(data), len(out))
	return os.WriteFile(args[1], out, 0o644)
}
