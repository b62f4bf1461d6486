// Command kubectl-preadmit is a kubectl plugin. It reads from a cluster what the verdict on a
// request depends on, and evaluates the request with Preadmit. See docs/cluster.md.
package main

import (
	"os"

	"github.com/preadmit/preadmit/cluster/internal/command"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/storage"
)

func main() {
	engine.Use(storage.New())
	os.Exit(command.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
