package main

import "slices"

// sharedCuts are packages of which the registry's module leaves out what the engine's does, with the
// same files in its place.
var sharedCuts = []string{
	"slices", "runtime",
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct",
	"k8s.io/apimachinery/pkg/watch",
	"google.golang.org/protobuf/internal/filedesc", "google.golang.org/protobuf/internal/impl",
	"github.com/google/cel-go/cel", "github.com/google/cel-go/checker",
}

// registryCuts are those of the module with the API server's own code. What nothing mentions is not
// there anyway (shake.go).
var registryCuts = slices.Concat(alsoCut(sharedCuts), []cut{
	{
		Package: "k8s.io/apimachinery/pkg/apis/meta/v1",
		Reason:  "protobuf that is not in a generated file",
		Without: []string{"FieldsV1.Marshal", "FieldsV1.MarshalTo", "FieldsV1.MarshalToSizedBuffer", "FieldsV1.Size", "FieldsV1.Unmarshal"},
	},
	{
		Package: "time",
		Reason:  "names of files with time zones, which a browser has not",
		Without: []string{"platformZoneSources"},
	},
	{
		Package: "net/http",
		Reason:  "names of methods, codes and their texts; the rest is a client and a server",
		Keep:    []string{"Status*", "Method*", "ErrAbortHandler"},
	},
	{
		Package: "k8s.io/apiserver/pkg/validation",
		Reason:  "counters for Prometheus",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/apiserver/pkg/endpoints/filters",
		Reason:  "handlers of HTTP; the status of claims, which nothing here asks for, reads a request",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/client-go/kubernetes/typed/core/v1",
		Reason:  "a client of all kinds over HTTP; strategies read a namespace",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/component-base/metrics/prometheus/feature",
		Reason:  "as above",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/component-base/metrics/prometheus/compatversion",
		Reason:  "as above",
		Files:   []string{"*"},
	},
})

// alsoCut are the cuts of some packages of the engine.
func alsoCut(packages []string) []cut {
	return slices.DeleteFunc(slices.Clone(cuts), func(c cut) bool { return !slices.Contains(packages, c.Package) })
}
