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
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/conformance/wire"
)

func main() {
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "customresources:", err)
		os.Exit(1)
	}
}

// run answers cases, several at a time, in any order.
func run(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	cases, answers := make(chan wire.Case), make(chan wire.Answer)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for c := range cases {
				a, err := answer(c)
				if err != nil {
					a = wire.Answer{Error: err.Error()}
				}
				a.ID = c.ID
				answers <- a
			}
		}()
	}
	read := make(chan error, 1)
	go func() {
		defer func() {
			close(cases)
			workers.Wait()
			close(answers)
		}()
		for lines.Scan() {
			var c wire.Case
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				read <- err
				return
			}
			cases <- c
		}
		read <- lines.Err()
	}()
	encoder := json.NewEncoder(out)
	var failed error
	for a := range answers {
		if err := encoder.Encode(a); err != nil && failed == nil {
			failed = err
		}
	}
	if err := <-read; err != nil {
		return err
	}
	return failed
}
