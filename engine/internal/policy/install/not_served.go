package install

import (
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// noKind reports a document without apiVersion or kind.
func (in *installer) noKind(d *scenario.Document) {
	missing := "kind"
	if d.Kind != "" {
		missing = "apiVersion"
	}
	p := in.report(d, codes.NoKind, diag.Error, in.start(d), missing+" is not set", "The document is ignored. kubectl rejects it: "+missing+" not set.")
	if newest := version.NewestAPI(d.Kind, in.version); missing == "apiVersion" && newest != "" {
		line := fmt.Sprintf("apiVersion: %s/%s\n", configuration.Group, newest)
		at := diag.Span{Start: d.LocateKey("kind").Start, End: d.LocateKey("kind").Start}
		p.Fixes = []diag.Fix{{Title: "Add " + strings.TrimSpace(line), Edits: []diag.Edit{{Text: d.Text, Span: at, New: line}}}}
		if d.Brackets("") {
			p.Fixes = documents.Fix("Add "+strings.TrimSpace(line), in.texts.Of(d).ToInsert("", "apiVersion", configuration.Group+"/"+newest))
		}
	}
	if missing == "apiVersion" && p.Fixes == nil {
		p.Fixes = request.KindFixes(d, in.kinds) // of an object among the policies
	}
	if kind := in.texts.Of(d).MissingKind(); missing == "kind" && kind != "" {
		p.Fixes = documents.Fix("Add kind: "+kind, in.texts.Of(d).ToInsert("", "kind", kind))
	}
	if fixes := in.texts.Of(d).SpecAlone(); p.Fixes == nil && fixes != nil {
		p.Summary, p.Fixes = "this is the spec of a policy, without the policy", fixes
	}
}

// start is the first key of a document, for problems with the whole of it.
func (in *installer) start(d *scenario.Document) diag.Span {
	for _, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if d.Has(key) {
			return d.LocateKey(key)
		}
	}
	return d.Span
}

// notServed rejects a kind or an apiVersion that the server does not know.
func (in *installer) notServed(d *scenario.Document) {
	const message = "the server could not find the requested resource"
	kubectl := fmt.Sprintf("kubectl says: no matches for kind %q in version %q.", d.Kind, d.APIVersion)
	summary := fmt.Sprintf("Kubernetes %s does not serve %s in %s", in.version, d.Kind, d.APIVersion)
	var p *diag.Diagnostic
	if configuration.Resources[d.Kind] == "" {
		p = in.report(d, codes.NotServed, diag.Error, d.Locate("kind"), summary, kubectl)
		p.Path = "kind"
		if meant := in.texts.Of(d).KindMeant(); meant != "" {
			p.Detail = fmt.Sprintf("Did you mean %q? %s", meant, p.Detail)
			replace(p, d.Text, d.Locate("kind"), meant)
			in.refused[meant+"/"+d.Name] = d
			in.nextVersion(d, meant)
		}
	} else {
		p = in.report(d, codes.NotServed, diag.Error, d.Locate("apiVersion"), summary, configuration.History(d.Kind)+". "+kubectl)
		p.Path = "apiVersion"
		if newest := version.NewestAPI(d.Kind, in.version); newest != "" {
			p.Fixes = in.texts.Of(d).NewVersions(newest)
		}
		if fix, ok := in.switchOn(d); ok {
			p.Fixes = append(p.Fixes, fix)
		}
	}
	in.nextVersion(d, d.Kind)
	in.answer(d, d.Name, http.StatusNotFound, string(metav1.StatusReasonNotFound), message, nil)
}

// offByDefault says what a cluster needs to serve the document.
func (in *installer) offByDefault(d *scenario.Document, version string) {
	p := in.report(d, codes.OffByDefault, diag.Warning, d.Locate("apiVersion"),
		fmt.Sprintf("Kubernetes %s serves %s only when it is enabled", in.version, d.Kind),
		fmt.Sprintf("The API server needs --feature-gates=MutatingAdmissionPolicy=true --runtime-config=%s/%s=true. It is evaluated as if it had them. %s.",
			configuration.Group, version, configuration.History(d.Kind)))
	p.Path = "apiVersion"
	if fix, ok := in.switchOn(d); ok {
		p.Fixes = append(p.Fixes, fix)
	}
}

// switchOn is the setting that makes a server serve the document, if it can.
func (in *installer) switchOn(d *scenario.Document) (diag.Fix, bool) {
	_, name, _ := strings.Cut(d.APIVersion, "/")
	for _, api := range version.APIs(d.Kind) {
		if api.Name == name && api.Includes(in.version) {
			return diag.Fix{Title: "Switch on " + d.APIVersion + " (options.runtimeConfig)", Edits: []diag.Edit{}, RuntimeConfig: []string{d.APIVersion}}, true
		}
	}
	return diag.Fix{}, false
}
