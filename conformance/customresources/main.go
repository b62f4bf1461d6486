// Command customresources answers scenarios with custom resources by the API
// server's own code: the strategies of k8s.io/apiextensions-apiserver for
// definitions and for the objects that they define, with its pruning, defaults,
// schema validators and rules. It reads one wire.Case per line from standard input
// and writes one wire.Answer per line to standard output.
//
// The cluster text is one CustomResourceDefinition, as JSON; the request is an
// AdmissionReview whose objects come from a client (object) and from storage
// (oldObject). Nothing else runs: no policy, no webhook, no plugin. It is built
// with the packages of 1.36, or with those of another release:
//
//	go build -modfile=releases/1.33.mod .
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/conformance/wire"
)

func main() {
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
	if err := wire.Serve(os.Stdin, os.Stdout, runtime.GOMAXPROCS(0), answer); err != nil {
		fmt.Fprintln(os.Stderr, "customresources:", err)
		os.Exit(1)
	}
}
