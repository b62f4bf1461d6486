// Command supply looks after what the program is made of besides its own code. It
// lists the Go modules in the command line and in the engine of the page, and the
// npm packages in the page, from what the Go command and the lock file say.
//
//	go run ./scripts/supply licenses          write the licences and notices of all of them
//	go run ./scripts/supply licenses -check   fail if that file is not current
//	go run ./scripts/supply check             fail if one is not in scripts/dependencies-allowed,
//	                                          or docs/dependencies.md is not current
//	go run ./scripts/supply dependencies      write docs/dependencies.md, prices included
//	go run ./scripts/supply parts             print them as JSON, for scripts/sbom
//	go run ./scripts/supply plugin licenses   print the licences of the plugin of kubectl
//	go run ./scripts/supply plugin parts      print its modules as JSON
//
// It needs web/node_modules (scripts/packages) and runs at the top of the
// repository.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "supply:", err)
		os.Exit(1)
	}
}

func run(command string) error {
	switch command {
	case "licenses":
		return writeLicences(false)
	case "licenses -check":
		return writeLicences(true)
	case "check":
		return checkAllowed()
	case "dependencies":
		return writeDependencies()
	case "parts":
		return printParts(shipped())
	case "plugin licenses":
		return printPluginLicences()
	case "plugin parts":
		return printParts(goModules(plugin))
	}
	return fmt.Errorf("there is no command %q: see the comment of scripts/supply", command)
}
