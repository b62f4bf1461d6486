// Command differential compares the engine with the API server's own packages
// on generated scenarios, prints what differs and what was compared, and exits
// with 1 when anything differs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"

	"github.com/preadmit/preadmit/conformance/differential"
)

func main() {
	n := flag.Int("n", 5000, "how many scenarios")
	first := flag.Int("first", 0, "number of the first scenario")
	seed := flag.Uint64("seed", 1, "seed of the generator")
	workers := flag.Int("workers", runtime.NumCPU(), "scenarios at a time")
	source := flag.String("reference", "reference", "folder of the reference command")
	version := flag.String("kubernetes", "1.36", "Kubernetes version to compare with")
	show := flag.Int("show", 10, "how many differing scenarios to print")
	flag.Parse()
	ok, err := run(*source, *version, *seed, *first, *n, *workers, *show)
	if err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(source, version string, seed uint64, first, n, workers, show int) (bool, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "preadmit-reference-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	reference, err := differential.Build(ctx, source, dir, version)
	if err != nil {
		return false, err
	}
	result, err := differential.Run(ctx, reference, seed, first, n, workers)
	if err != nil {
		return false, err
	}
	for _, text := range result.Describe(show, fmt.Sprintf("go run ./cmd/generate -kubernetes %s -seed %d", version, seed)) {
		fmt.Println(text)
	}
	fmt.Print(result.Table())
	return len(result.Failures) == 0, nil
}
