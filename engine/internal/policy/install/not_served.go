package install

import (
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
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
			p.Fixes = fixed("Add "+strings.TrimSpace(line), mender{d, in}.insert("", "apiVersion", configuration.Group+"/"+newest))
		}
	}
	if missing == "apiVersion" && p.Fixes == nil {
		p.Fixes = request.KindFixes(d, in.kinds) // of an object among the policies
	}
	if kind := (mender{d, in}).missingKind(); missing == "kind" && kind != "" {
		p.Fixes = fixed("Add kind: "+kind, mender{d, in}.insert("", "kind", kind))
	}
	if fixes := (mender{d, in}).specAlone(); p.Fixes == nil && fixes != nil {
		p.Summary, p.Fixes = "this is the spec of a policy, without the policy", fixes
	}
}

// specAlone makes a policy of a document that is nothing but fields of its spec, as documentation
// prints them.
func (m mender) specAlone() []diag.Fix {
	kind := ""
	switch {
	case m.Has("mutations"):
		kind = configuration.MutatingAdmissionPolicy
	case m.Has("validations"), m.Has("auditAnnotations"):
		kind = configuration.ValidatingAdmissionPolicy
	}
	plain := m.Source()
	if kind == "" || m.APIVersion != "" || m.Kind != "" || m.IsJSON() || m.FromList || m.Brackets("") || m.Has("spec") || m.Has("metadata") {
		return nil
	}
	before := "apiVersion: " + configuration.Group + "/" + version.NewestAPI(kind, m.in.version) + "\nkind: " + kind + "\nmetadata:\n  name: example\nspec:\n"
	start := strings.LastIndexByte(plain[:m.Span.Start], '\n') + 1
	edits := []diag.Edit{{Text: m.Document.Text, Span: diag.Span{Start: start, End: start}, New: before + "  "}}
	for i := start; i < m.Span.End-1; i++ {
		if at := i + 1; plain[i] == '\n' && plain[at] != '\n' && plain[at] != '\r' {
			edits = append(edits, diag.Edit{Text: m.Document.Text, Span: diag.Span{Start: at, End: at}, New: "  "})
		}
	}
	return []diag.Fix{{Title: "Make it the spec of a " + kind, Edits: edits}}
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
		if meant := in.kindMeant(d); meant != "" {
			p.Detail = fmt.Sprintf("Did you mean %q? %s", meant, p.Detail)
			replace(p, d.Text, d.Locate("kind"), meant)
			in.refused[meant+"/"+d.Name] = d
			in.nextVersion(d, meant)
		}
	} else {
		p = in.report(d, codes.NotServed, diag.Error, d.Locate("apiVersion"), summary, configuration.History(d.Kind)+". "+kubectl)
		p.Path = "apiVersion"
		if newest := version.NewestAPI(d.Kind, in.version); newest != "" {
			p.Fixes = mender{d, in}.newVersions(newest)
		}
		if fix, ok := in.switchOn(d); ok {
			p.Fixes = append(p.Fixes, fix)
		}
	}
	in.nextVersion(d, d.Kind)
	in.answer(d, d.Name, http.StatusNotFound, string(metav1.StatusReasonNotFound), message, nil)
}

// wordsOfKinds are the parts of the names of kinds that people leave out.
var wordsOfKinds = strings.NewReplacer("admission", "", "configuration", "", "config", "")

// kindMeant is the kind that a document with an unknown one is: by its name, or by the
// fields that it has. Empty if neither says it.
func (in *installer) kindMeant(d *scenario.Document) string {
	if meant := sameWords(d.Kind); meant != "" {
		return meant
	}
	// What a document has says more than letters do, where they do not say the same.
	fields := mender{d, in}.missingKind()
	best, ok := suggest.Of(configuration.Names, d.Kind)
	if !ok || fields != "" && strings.HasSuffix(fields, "Binding") != strings.HasSuffix(best, "Binding") {
		return fields
	}
	return best
}

// sameWords is the kind whose name has the same words as another one, but for those
// that go without saying: ValidatingPolicy is ValidatingAdmissionPolicy.
func sameWords(kind string) string {
	short := func(name string) string {
		return strings.TrimSuffix(wordsOfKinds.Replace(strings.ToLower(name)), "s")
	}
	for _, name := range configuration.Names {
		if short(name) == short(kind) {
			return name
		}
	}
	return ""
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
