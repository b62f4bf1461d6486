// Command tables makes what Go's runtime knows about functions smaller in a
// WebAssembly module that Go's linker wrote:
//
//	go run ./scripts/module/tables FROM TO
//
// A third of the engine's data are two tables. In the one by which the runtime finds a
// function from an address, each function has 16 equal entries, as each has 65,536
// addresses: a loop writes that when the module starts. The other are the names of
// functions, for the traces of panics, which the page does not show; functions of the
// runtime, whose names it asks for, keep theirs.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: tables FROM TO")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	out, n, err := rewrite(data)
	if err != nil {
		return err
	}
	fmt.Printf("%d functions, %d with names, %d bytes of tables for traces; %d bytes became %d\n", n.functions, n.named, n.traces, len(data), len(out))
	return os.WriteFile(args[1], out, 0o644)
}
