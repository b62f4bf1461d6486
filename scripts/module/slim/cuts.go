package main

import (
	"embed"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// cut is what is left out of one package: whole files, declarations by name, or
// everything but some declarations and what they mention. Names may hold the
// wildcards of path.Match; those of methods are "Type.Method". What has to take its
// place is in wasm/slim/PACKAGE.
type cut struct {
	Package string
	Reason  string
	Files   []string
	In      string // if it is set, Without is about this file alone
	Without []string
	Keep    []string
}

//go:embed cuts.yaml cuts_registry.yaml
var lists embed.FS

var cuts = readCuts("cuts.yaml")

// sharedCuts are packages of which the registry's module leaves out what the engine's does, with the
// same files in its place.
var sharedCuts = []string{
	"slices", "runtime",
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct",
	"k8s.io/apimachinery/pkg/watch",
	"google.golang.org/protobuf/internal/filedesc", "google.golang.org/protobuf/internal/impl",
	"github.com/google/cel-go/cel", "github.com/google/cel-go/checker",
}

var registryCuts = append(slices.DeleteFunc(slices.Clone(cuts), func(c cut) bool {
	return !slices.Contains(sharedCuts, c.Package)
}), readCuts("cuts_registry.yaml")...)

func readCuts(name string) (list []cut) {
	data, err := lists.ReadFile(name)
	if err == nil {
		err = yaml.UnmarshalStrict(data, &list)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return list
}

// borrowed are files of the standard library that are put into another package of it, by the
// package that gets them.
var borrowed = map[string]string{"slices": "sort/zsortfunc.go"}

// generated are the modules of types that come with generated code for protobuf
// and for documentation.
var generated = map[string]bool{
	"k8s.io/api":                     true,
	"k8s.io/apimachinery":            true,
	"k8s.io/apiserver":               true,
	"k8s.io/apiextensions-apiserver": true,
	"k8s.io/kube-aggregator":         true,
}

// everywhere is what is cut from each package of a module that has it. Methods
// String stay, because some messages are written with them; where none are, cuts has them.
func everywhere(module string, s *source) []cut {
	if !generated[module] {
		return nil
	}
	var out []cut
	for _, f := range s.files {
		if f.dropped {
			continue
		}
		switch f.name {
		case "types_swagger_doc_generated.go":
			// That of ObjectMeta is asked for by the schemas of custom resources.
			for _, u := range f.units {
				if name := u.names[0]; !u.cut && name != "ObjectMeta.SwaggerDoc" && name != "map_ObjectMeta" {
					out = append(out, cut{Without: []string{name}})
				}
			}
			continue
		case "zz_generated.model_name.go", "zz_generated.prerelease-lifecycle.go":
			out = append(out, cut{Files: []string{f.name}})
			continue
		}
		generated := f.name == "generated.pb.go" || strings.HasSuffix(f.name, "_proto.go")
		for _, u := range f.units {
			_, function := u.node.(*ast.FuncDecl)
			name := u.names[0]
			_, method, _ := strings.Cut(name, ".")
			switch {
			case u.cut || !function:
			case method == "MarshalCBOR", method == "UnmarshalCBOR",
				generated && method != "String" && name != "valueToStringGenerated":
				out = append(out, cut{Without: []string{name}})
			}
		}
	}
	return out
}
