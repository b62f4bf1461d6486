// Command validation finds out what an API server checks about objects of built-in
// kinds: it asks the server's own strategies about valid objects (folder objects)
// in each of which one thing is wrong, and prints what was refused for that alone,
// one check a line. engine/internal/kube/catalog/data/README.md has their form.
//
//	(cd conformance/plugins && go run ./validation > validation/proven/1.36.txt)
//	(cd conformance/plugins && go run -modfile=releases/1.33.mod -tags until1.33,until1.34,until1.35 ./validation > validation/proven/1.33.txt)
//	go run ./scripts/catalog
//
// Another release has tags, too: an older one until1.N of itself and of all between it and
// 1.36, 1.37 has since1.37.
//
// With a file of checks as its argument it prints instead in which order the server names
// mistakes in several fields:
//
//	(cd conformance/plugins && go run ./validation validation/proven/1.36.txt > validation/order.txt)
//
// A check counts when the server names no other field (nor, except for what is required, anything else), when it also holds beside
// other values of the fields around it, and when no valid object breaks it. So what
// is printed is a part of what the server checks, and nothing that it does not.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"k8s.io/klog/v2"
)

//go:embed objects/*.yaml
var objects embed.FS

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Set("stderrthreshold", "FATAL"); err != nil { // objects that are wrong are the point
		panic(err)
	}
	if len(os.Args) > 1 {
		printLines(order(os.Args[1]))
		return
	}
	printLines(run())
}

// run asks about all objects.
func run() ([]string, error) {
	bases, err := readBases()
	if err != nil {
		return nil, err
	}
	byKind := map[string][]*base{}
	for _, b := range bases {
		if refused := b.created(b.object); len(refused) > 0 {
			fmt.Fprintf(os.Stderr, "%s %s is not valid in this release and left out: %v\n", b.kind.Kind, b.name, refused)
			continue
		}
		byKind[b.id()] = append(byKind[b.id()], b)
	}
	var lines []string
	for id, list := range byKind {
		found := map[string]check{}
		for _, b := range list {
			for _, c := range b.probe() {
				found[c.String()] = c
			}
		}
		for text, c := range found {
			if !slices.ContainsFunc(list, func(b *base) bool { return b.contradicts(c) }) {
				lines = append(lines, id+"\t"+text)
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}
