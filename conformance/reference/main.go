// Command reference answers admission scenarios with the packages of the
// Kubernetes API server themselves: its policy plugins and their dispatchers,
// its scheme with the real types, defaults and conversions, its strategies for
// what is rejected at installation, its OpenAPI documents, its RBAC authorizer.
//
// It reads one wire.Case per line from standard input and writes one
// wire.Answer per line to standard output, in any order.
//
// It is pinned to Kubernetes 1.36.3, whose recorded answers (the vectors of
// the engine) show that it is driven right, and it is a process of its own
// because a binary can hold only one version of the API server's packages: see
// package wire.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/conformance/wire"
)

func main() {
	dir := flag.String("kubernetes", "", "folder of the module k8s.io/kubernetes (go list -m -f '{{.Dir}}' k8s.io/kubernetes)")
	workers := flag.Int("workers", 2, "scenarios at a time")
	objects := flag.Bool("objects", false, "answer questions about single objects instead (objects.go)")
	flag.Parse()
	silence()
	if *objects {
		if err := answerObjects(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "reference:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*dir, *workers, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// silence turns off the log of the server's packages, which report every
// scenario with a configuration error, over and over.
func silence() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

func run(dir string, workers int, in io.Reader, out io.Writer) error {
	kinds, err := loadResources(dir)
	if err != nil {
		return err
	}
	if len(kinds) == 0 {
		return fmt.Errorf("no discovery documents below %q", dir)
	}
	r := &reference{kinds: kinds, schemas: newSchemaStore(dir)}
	return wire.Serve(in, out, workers, func(c wire.Case) (wire.Answer, error) { return r.answer(c), nil })
}
