// Command kubectl-preadmit is the plugin of kubectl: it asks a cluster what an answer
// depends on, and Preadmit for the answer. See docs/cluster.md.
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
