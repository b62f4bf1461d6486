//go:build js && wasm

// Command registry exposes the API server's own code for built-in kinds to the web worker that has
// the engine. They exchange JSON.
package main

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/engine/registry/remote"
	"github.com/preadmit/preadmit/storage"
	"github.com/preadmit/preadmit/wasm/worker"
)

func main() {
	klog.SetLogger(logr.Discard()) // nobody reads the server's log here
	server := remote.Serve(storage.New())
	worker.Offer(worker.Program{
		Protocol: remote.Protocol,
		Call:     func(call string, _ []string) string { return server.Call(call) },
		Failed:   remote.Failure,
		Forget:   server.Forget,
	})
}
