// Package server compares the engine with a whole kube-apiserver: its own
// packages with an etcd, as conformance/apiserver builds them. Requests of every
// kind are sent with dryRun=All, and verdict, code, message, causes, warnings and
// the returned object are compared with those of the engine, which gets the request
// twice: as a user writes it, and as a webhook captures it.
//
// The cluster is testdata/world.yaml, created for good, after testdata/before.yaml,
// which is what its definitions were. The requests are in testdata/requests.
//
//	scripts/server-test
//
// runs them. It compiles a whole Kubernetes, so continuous integration does not.
package server
