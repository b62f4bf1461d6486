// Command preadmit predicts what the Kubernetes API server will do with a request. Run "preadmit
// help".
package main

import (
	"os"
	"runtime/debug"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/cli"
)

func main() {
	debug.SetMemoryLimit(cli.MemoryGoal) // the limit is soft
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(cli.MemoryGrowth)
	}
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
