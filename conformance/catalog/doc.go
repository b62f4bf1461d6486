// Package catalog compares engine/internal/kube/catalog with the API server's own packages:
//
//   - objects of custom kinds: pruning, defaults, coercion and merging by random
//     schemas, with k8s.io/apiextensions-apiserver (crd_test.go);
//   - merging into built-in kinds, with the converter that the server builds
//     from the OpenAPI documents of each release 1.30 to 1.37 (builtin_test.go);
//   - defaults, conversions and writing back of built-in kinds, with the scheme
//     of Kubernetes 1.36 in the process of conformance/reference (objects_test.go);
//   - the roles of engine/internal/kube/rbac, with those that each release creates
//     (roles_test.go).
//
// Run it by hand, with go test in this folder: it downloads every release.
//
// It is a module of its own for its dependencies. Decoding into the Go types of
// k8s.io/api is compared in engine/internal/kube/catalog itself.
package catalog
