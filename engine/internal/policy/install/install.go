// Package install answers as the API server does when admission configuration
// is created: which documents it rejects or warns about, in its own words
// (semantics §11), and what the accepted ones are after decoding and
// defaulting. Every problem also becomes a diagnostic at its place in the text.
//
// Checks that depend on the user who creates a document are left out: the server
// also checks whether that user may read the params that a policy or binding names.
package install

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Installed is a document that the server accepts, as it stores it: converted
// to v1 and defaulted.
type Installed[T any] struct {
	Object   *T
	Document *scenario.Document
	// Static says that it is from a manifest file, not from the API.
	Static bool
	// NotEvaluated says why the engine must leave out a policy that the
	// server accepts; empty otherwise.
	NotEvaluated string
}

// Result is what became of the documents, each list in the order of the text.
type Result struct {
	ValidatingPolicies []Installed[v1.ValidatingAdmissionPolicy]
	ValidatingBindings []Installed[v1.ValidatingAdmissionPolicyBinding]
	MutatingPolicies   []Installed[v1.MutatingAdmissionPolicy]
	MutatingBindings   []Installed[v1.MutatingAdmissionPolicyBinding]
	ValidatingWebhooks []Installed[v1.ValidatingWebhookConfiguration]
	MutatingWebhooks   []Installed[v1.MutatingWebhookConfiguration]
	// Cluster holds the documents that are no admission configuration. They
	// belong to the cluster, whatever text they are in.
	Cluster []*scenario.Document
	// Answers has an entry for every document that the server rejects or
	// warns about.
	Answers     []report.Install
	Diagnostics []diag.Diagnostic
}

// installer is a server on which documents are created.
type installer struct {
	Result
	version      version.Version
	sets         *eval.Set // for what later versions accept
	environments *eval.Environments
	// accepted and refused map kind/name to a document.
	accepted, refused map[string]*scenario.Document
	// texts are all documents, read or not, for the repairs.
	texts  *documents.Set
	server Server
	kinds  *catalog.Catalog
	// meant are policies, kind/name, that a binding with another name is taken to
	// be for: that they have none is the same mistake.
	meant map[string]bool
}

// Server is how the server is set up.
type Server struct {
	// RuntimeConfig are the API versions that --runtime-config switches on.
	RuntimeConfig []string
	// Static reports whether a document is a manifest file of the server; nil where it
	// has none.
	Static func(*scenario.Document) bool
}

// Install creates the documents one after another on a server of a
// Kubernetes version. The error is for a version that cannot be simulated.
func Install(docs []*scenario.Document, sets *eval.Set, v version.Version, server Server) (*Result, error) {
	environments, err := sets.ForVersion(v)
	if err != nil {
		return nil, err
	}
	kinds, err := catalog.For(v)
	if err != nil {
		return nil, err
	}
	in := &installer{
		version: v, server: server, sets: sets, environments: environments, kinds: kinds,
		texts:    &documents.Set{Documents: docs, Version: v, RuntimeConfig: server.RuntimeConfig, Resources: kinds.Kinds()},
		accepted: map[string]*scenario.Document{}, refused: map[string]*scenario.Document{}, meant: map[string]bool{},
	}
	for _, d := range docs {
		before := len(in.Diagnostics)
		in.document(d)
		in.Diagnostics = append(in.Diagnostics[:before], documents.JoinCauses(in.Diagnostics[before:])...)
		in.limit(d, before)
	}
	in.boundManifests()
	in.links()
	diag.Sort(in.Diagnostics)
	return &in.Result, nil
}

// document finds out what a document is.
func (in *installer) document(d *scenario.Document) {
	group, version, slash := strings.Cut(d.APIVersion, "/")
	ours := configuration.Resources[d.Kind] != ""
	switch {
	case d.APIVersion == "" || d.Kind == "":
		in.noKind(d)
	case group == "admission.k8s.io" && !ours:
		in.report(d, codes.MisplacedDocument, diag.Warning, d.LocateKey("kind"), d.Kind+" is a request, not a policy",
			"Move it to the request. It is ignored here.")
	case d.Kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io":
		in.Cluster = append(in.Cluster, d) // configuration as well
	case !ours && (group != configuration.Group || !slash):
		in.report(d, codes.ClusterDocument, diag.Info, d.LocateKey("kind"), d.Kind+" is treated as an object that exists in the cluster",
			"Policies holds admission policies, bindings and webhook configurations. Should this be the request?")
		in.Cluster = append(in.Cluster, d)
	case ours && group == configuration.Group && version != "v1" && in.static(d):
		in.notLoaded(d, "apiVersion", fmt.Sprintf("unsupported resource type *%s.%s", version, d.Kind))
	case !ours || group != configuration.Group || configuration.Available(d.Kind, version, in.version, in.server.RuntimeConfig) == configuration.NotServed:
		in.notServed(d)
	default:
		if configuration.Available(d.Kind, version, in.version, in.server.RuntimeConfig) == configuration.OffByDefault {
			in.offByDefault(d, version)
		}
		in.kind(d, version)
	}
}

// kind creates a document of one of the six kinds.
func (in *installer) kind(d *scenario.Document, version string) {
	switch d.Kind {
	case configuration.ValidatingAdmissionPolicy:
		create(in, d, version, validatingPolicyKind, &in.ValidatingPolicies)
	case configuration.ValidatingAdmissionPolicyBinding:
		create(in, d, version, validatingBindingKind, &in.ValidatingBindings)
	case configuration.MutatingAdmissionPolicy:
		create(in, d, version, mutatingPolicyKind, &in.MutatingPolicies)
	case configuration.MutatingAdmissionPolicyBinding:
		create(in, d, version, mutatingBindingKind, &in.MutatingBindings)
	case configuration.ValidatingWebhookConfiguration:
		create(in, d, version, validatingWebhookKind, &in.ValidatingWebhooks)
	case configuration.MutatingWebhookConfiguration:
		create(in, d, version, mutatingWebhookKind, &in.MutatingWebhooks)
	}
}

// maxDiagnostics is how many problems of one document are shown.
const maxDiagnostics = 100

// limit cuts the diagnostics of a document, those after the first before, and
// says how many were cut.
func (in *installer) limit(d *scenario.Document, before int) {
	cut := len(in.Diagnostics) - before - maxDiagnostics
	if cut <= 0 {
		return
	}
	in.Diagnostics = in.Diagnostics[:before+maxDiagnostics]
	in.report(d, codes.MoreProblems, diag.Info, in.start(d), fmt.Sprintf("%d more problems in this document are not shown", cut), "")
}

// report adds a diagnostic about a document.
func (in *installer) report(d *scenario.Document, code string, severity diag.Severity, span diag.Span, summary, detail string) *diag.Diagnostic {
	in.Diagnostics = append(in.Diagnostics, diag.Diagnostic{
		Code: code, Severity: severity, Text: d.Text, Span: span, Summary: summary, Detail: detail, Document: title(d),
	})
	return &in.Diagnostics[len(in.Diagnostics)-1]
}

// answer records what the server says to a document. code is 0 for a document
// that is only warned about.
func (in *installer) answer(d *scenario.Document, name string, code int, reason, message string, warnings []string) {
	in.Answers = append(in.Answers, report.Install{
		Kind: d.Kind, Name: name, Code: code, Reason: reason, Message: message, Warnings: warnings, Text: d.Text, Span: d.Span,
	})
	if code != 0 {
		in.refused[d.Kind+"/"+name] = d
	}
}

// title names a document in diagnostics.
func title(d *scenario.Document) string {
	if d.Name == "" {
		return d.Kind
	}
	return d.Kind + "/" + d.Name
}
