// Command generate writes generated scenarios, one wire.Case per line, for reading or for the
// reference command.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/preadmit/preadmit/conformance/generate"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed")
	first := flag.Int("first", 0, "number of the first scenario")
	n := flag.Int("n", 1, "how many")
	show := flag.Bool("show", false, "print the texts instead")
	version := flag.String("kubernetes", "1.36", "Kubernetes version of the scenarios")
	webhooks := flag.Bool("webhooks", false, "scenarios with webhooks")
	flag.Parse()
	source := generate.Source{Seed: *seed}
	if _, err := fmt.Sscanf(*version, "1.%d", &source.Minor); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	encoder := json.NewEncoder(os.Stdout)
	for i := *first; i < *first+*n; i++ {
		s := source.Scenario(i)
		if *webhooks {
			s = source.Webhooks(i)
		}
		if *show {
			fmt.Printf("### %s\n%s\n--- request\n%s\n--- cluster\n%s\n", s.ID, s.Policies, s.Request, s.Cluster)
			continue
		}
		if err := encoder.Encode(s.Case); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
