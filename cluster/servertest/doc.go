// Package servertest tests the plugin with a whole API server, which scripts/cluster-test builds
// and starts. Its tests have the build tag apiserver.
package servertest
