package main

import (
	"go/ast"
	"strings"
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

var cuts = []cut{
	{
		Package: "k8s.io/apiserver/pkg/admission/plugin/cel",
		Reason:  "names and the types of request and namespaceObject; the rest is the server's evaluator, with audit, metrics and tracing",
		Keep:    []string{"*VarName", "BuildRequestType", "BuildNamespaceType"},
	},
	{
		Package: "k8s.io/apiserver/pkg/authentication/serviceaccount",
		Reason:  "names of service accounts; the rest is about tokens, with all types of core/v1",
		Keep:    []string{"ServiceAccountInfo", "MakeUsername", "MatchesUsername", "SplitUsername", "MakeGroupNames"},
	},
	{
		Package: "k8s.io/apiserver/pkg/registry/rest",
		Reason:  "the deletion of an object; the rest is the server's storage, with requests over HTTP",
		Keep:    []string{"BeforeDelete", "RESTDeleteStrategy", "RESTGracefulDeleteStrategy"},
	},
	{
		Package: "k8s.io/apiserver/pkg/cel/environment",
		Reason:  "one version, for which the registry of components brings Prometheus, cobra and feature gates",
		Without: []string{"DefaultCompatibilityVersion"},
	},
	{
		Package: "k8s.io/apiserver/pkg/cel/metrics",
		Reason:  "durations for Prometheus",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/apiextensions-apiserver/pkg/apiserver/validation",
		Reason:  "durations for Prometheus",
		Files:   []string{"metrics.go"},
	},
	{
		Package: "k8s.io/apiserver/pkg/util/feature",
		Reason:  "two feature gates, for which all others are registered when the program starts",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/apiserver/pkg/features",
		Reason:  "as above",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/apiextensions-apiserver/pkg/features",
		Reason:  "as above",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/apiserver/pkg/authorization/authorizer",
		Reason:  "a type of an HTTP request",
		Without: []string{"RequestAttributesGetter"},
	},
	{
		Package: "k8s.io/apimachinery/pkg/watch",
		Reason:  "a stream of a client, with HTTP/2 and TLS",
		Files:   []string{"streamwatcher.go"},
	},
	{
		Package: "k8s.io/apimachinery/pkg/util/runtime",
		Reason:  "logs and panics of a server",
		Keep:    []string{"Must"},
	},
	{
		Package: "k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct",
		Reason:  "CBOR, which no input of the engine is written in",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/apimachinery/pkg/runtime/serializer",
		Reason:  "protobuf, which no answer of a webhook is written in",
		Without: []string{"newSerializersForScheme"},
	},
	{
		Package: "k8s.io/component-base/version",
		Reason:  "the version of the build; the rest is for Prometheus",
		Keep:    []string{"Get"},
	},
	{
		Package: "k8s.io/kube-openapi/pkg/internal",
		Reason:  "a JSON library",
		Keep:    []string{"IsExtensionKey", "JSONRefFromMap"},
	},
	{
		Package: "k8s.io/kube-openapi/pkg/validation/spec",
		Reason:  "reading and writing documents in two JSON libraries; the engine builds schemas as values",
		Files:   []string{"gnostic.go"},
		Without: []string{"*.MarshalJSON", "*.UnmarshalJSON", "*.MarshalJSONTo", "*.UnmarshalJSONFrom"},
	},
	{
		Package: "k8s.io/apimachinery/pkg/runtime",
		Reason:  "a generator, with Go's parser",
		Files:   []string{"swagger_doc_generator.go"},
	},
	{
		Package: "k8s.io/apimachinery/pkg/apis/meta/v1",
		Reason:  "protobuf that is not in a generated file",
		Without: []string{"FieldsV1.Marshal", "FieldsV1.MarshalTo", "FieldsV1.MarshalToSizedBuffer", "FieldsV1.Size", "FieldsV1.Unmarshal"},
	},
	{
		Package: "github.com/go-openapi/swag",
		Reason:  "conversions of numbers; the rest loads files from the network and writes YAML",
		Keep:    []string{"Convert*", "Format*", "IsFloat64AJSONInteger", "ToDynamicJSON"},
	},
	{
		Package: "sigs.k8s.io/structured-merge-diff/v6/value",
		Reason:  "a third JSON library, and YAML",
		Without: []string{"readPool", "writePool", "FromJSON*", "ToJSON*", "readJSONIter", "writeJSONStream", "ToYAML"},
	},
	{
		Package: "sigs.k8s.io/structured-merge-diff/v6/fieldpath",
		Reason:  "the text form of managed fields",
		Files:   []string{"serialize.go", "serialize-pe.go"},
	},
	{
		Package: "sigs.k8s.io/structured-merge-diff/v4/value",
		Reason:  "as v6",
		Without: []string{"readPool", "writePool", "FromJSON*", "ToJSON*", "ReadJSONIter", "WriteJSONStream", "ToYAML"},
	},
	{
		Package: "sigs.k8s.io/structured-merge-diff/v4/fieldpath",
		Reason:  "as v6",
		Files:   []string{"serialize.go", "serialize-pe.go"},
	},
	{
		Package: "k8s.io/api/core/v1",
		Reason:  "registration in a scheme, which keeps all kinds, lists and copies in the program",
		Without: []string{"SchemeBuilder", "AddToScheme", "addKnownTypes"},
	},
	{
		Package: "k8s.io/api/core/v1",
		Reason:  "the text form of objects, which no message holds",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/apimachinery/pkg/apis/meta/v1",
		Reason:  "as above, of what is in objects, lists, answers and requests; selectors and durations are written in messages",
		In:      "generated.pb.go",
		Without: []string{
			"API*.String", "*List.String", "Condition.String", "*Options.String", "GroupVersionForDiscovery.String",
			"ListMeta.String", "ManagedFieldsEntry.String", "ObjectMeta.String", "OwnerReference.String", "PartialObject*.String",
			"Preconditions.String", "ServerAddress*.String", "ShardInfo.String", "Status*.String", "TypeMeta.String", "WatchEvent.String",
		},
	},
	{
		Package: "k8s.io/api/admission/v1",
		Reason:  "as above",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/api/admission/v1beta1",
		Reason:  "as above",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/api/admissionregistration/v1",
		Reason:  "as above",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/api/authentication/v1",
		Reason:  "as above",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/api/rbac/v1",
		Reason:  "as above",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
		Reason:  "as above",
		In:      "generated.pb.go",
		Without: texts,
	},
	{
		Package: "k8s.io/api/admissionregistration/v1",
		Reason:  "registration in a scheme, which keeps all kinds, lists and copies in the program",
		Without: registration,
	},
	{
		Package: "k8s.io/api/rbac/v1",
		Reason:  "as above",
		Without: registration,
	},
	{
		Package: "k8s.io/api/authentication/v1",
		Reason:  "as above",
		Without: registration,
	},
	{
		Package: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions",
		Reason:  "as above",
		Without: []string{"SchemeBuilder", "AddToScheme", "addKnownTypes"},
	},
	{
		Package: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
		Reason:  "as above",
		Without: append([]string{"init", "addDefaultingFuncs", "RegisterDefaults", "RegisterConversions"}, registration...),
	},
	{
		Package: "github.com/a-h/templ",
		Reason:  "a server of pages, and html/template, whose functions are called by reflection",
		Files:   []string{"handler.go"},
		Without: []string{"CSSMiddleware*", "NewCSSMiddleware", "CSSHandler*", "NewCSSHandler", "*GoHTML*"},
	},
	{
		Package: "github.com/google/cel-go/cel",
		Reason:  "a text for language models, and text/template",
		Files:   []string{"prompt.go"},
	},
	{
		Package: "github.com/evanphx/json-patch/v5/internal/json",
		Reason:  "a copy of encoding/json, which the engine has, with two additions",
		Files:   []string{"*"},
	},
	{
		Package: "k8s.io/klog/v2",
		Reason:  "a log, which nobody reads in a browser; with it log/slog and flags",
		Files:   []string{"*"},
	},
	{
		Package: "crypto/x509",
		Reason:  "certificates and requests for them are read; the rest verifies and signs, with the arithmetic of all keys",
		Without: []string{"CertificateRequest.CheckSignature", "Certificate.*", "parsePublicKey"},
		Keep:    []string{"ParseCertificateRequest", "ParseCertificate", "publicKeyInfo", "oidNamedCurveP*", "oidPublicKey*"},
	},
	{
		Package: "crypto/internal/boring",
		Reason:  "another library for the same sums, which is not there; its types bring ciphers",
		Keep:    []string{"Enabled", "available", "Unreachable", "UnreachableExceptTests", "SHA*", "NewSHA*"},
	},
	{
		Package: "crypto/internal/fips140only",
		Reason:  "what is approved by a standard that is not asked for; it brings random numbers and ciphers",
		Keep:    []string{"Enforced"},
	},
	{
		Package: "net/http",
		Reason:  "names of methods, codes and their texts; the rest is a client and a server",
		Keep:    []string{"Status*", "MethodPost", "Flusher"},
	},
	{
		Package: "google.golang.org/protobuf/internal/filedesc",
		Reason:  "descriptors as text, which no message holds",
		Without: []string{"*.Format"},
	},
	{
		Package: "google.golang.org/protobuf/internal/impl",
		Reason:  "reading and writing the binary form faster than by reflection, with functions for each type; the engine does neither",
		Without: []string{"MessageInfo.makeCoderMethods", "opaqueInitHook"},
	},
	{
		Package: "slices",
		Reason:  "a copy of the algorithm for each type that is sorted; that of package sort is one for all",
		Files:   []string{"zsortanyfunc.go"},
		Without: []string{"SortFunc", "SortStableFunc"},
	},
	{
		Package: "runtime",
		Reason:  "memory that grows by 512 KiB at a time, each of which takes the browser some milliseconds, and a search for each type switch",
		Without: []string{"sbrk", "itabTableType.find"},
	},
	{
		Package: "github.com/google/cel-go/checker",
		Reason:  "a table of types that is copied for each call, so that the check of a long expression takes the square of its length",
		Files:   []string{"mapping.go"},
	},
}

// borrowed are files of the standard library that are put into another package of it, by the
// package that gets them.
var borrowed = map[string]string{"slices": "sort/zsortfunc.go"}

// texts are the methods that write an object as Go would, and what they call.
var texts = []string{"*.String", "valueToStringGenerated"}

// registration is how a package of types is made known to a scheme.
var registration = []string{"SchemeBuilder", "localSchemeBuilder", "AddToScheme", "addKnownTypes"}

// generated are the modules of types that come with generated code for protobuf
// and for documentation.
var generated = map[string]bool{
	"k8s.io/api":                     true,
	"k8s.io/apimachinery":            true,
	"k8s.io/apiserver":               true,
	"k8s.io/apiextensions-apiserver": true,
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
