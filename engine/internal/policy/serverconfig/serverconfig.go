// Package serverconfig reads the files with which an API server starts, as far
// as they concern admission: AdmissionConfiguration, the configuration of the
// webhook and policy plugins, of Pod Security and of ResourceQuota in it, and the
// kubeConfig file of webhooks. They are documents of a scenario's text like others.
//
// A path in them names a file that cannot be read here. It stands
// for the document of that kind in the text, and a staticManifestsDir
// for the documents with reserved names.
package serverconfig

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The groups of the documents, and the kinds that are read.
const (
	group    = "apiserver.config.k8s.io"
	oldGroup = "apiserver.k8s.io"

	admissionConfiguration = "AdmissionConfiguration"
	webhookAdmission       = "WebhookAdmissionConfiguration"
	oldWebhookAdmission    = "WebhookAdmission" // its name in v1alpha1
)

// pluginKinds are the kinds of the configurations that are read, by plugin.
var pluginKinds = map[string]string{
	"MutatingAdmissionWebhook":   webhookAdmission,
	"ValidatingAdmissionWebhook": webhookAdmission,
	"MutatingAdmissionPolicy":    "MutatingAdmissionPolicyConfiguration",
	"ValidatingAdmissionPolicy":  "ValidatingAdmissionPolicyConfiguration",
	"PodSecurity":                podSecurityKind,
	"ResourceQuota":              quotaKind,
}

// manifestPlugins are the plugins that read manifests of a kind.
var manifestPlugins = map[string]string{
	"MutatingWebhookConfiguration":     "MutatingAdmissionWebhook",
	"ValidatingWebhookConfiguration":   "ValidatingAdmissionWebhook",
	"MutatingAdmissionPolicy":          "MutatingAdmissionPolicy",
	"MutatingAdmissionPolicyBinding":   "MutatingAdmissionPolicy",
	"ValidatingAdmissionPolicy":        "ValidatingAdmissionPolicy",
	"ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicy",
}

// Config is the configuration of a server. The zero value is that of a server
// without files.
type Config struct {
	// Others are the documents that are not of the server's configuration, in their
	// order.
	Others []*scenario.Document
	// NotSimulated names what is configured and does not run here.
	NotSimulated []string
	Diagnostics  []diag.Diagnostic
	// PodSecurity is what Pod Security is configured with; nil for its defaults.
	PodSecurity *PodSecurity
	// Limited are the resources that need a quota.
	Limited []Limited

	manifests   map[string]bool // by plugin: it has a staticManifestsDir
	credentials map[string]bool // by plugin: it has a kubeConfigFile
	users       []user
}

type reader struct {
	*Config
	version version.Version
	// parts are the documents of plugins on their own, by kind.
	parts map[string]*scenario.Document
}

// Read takes the server's configuration out of the documents of a text.
func Read(docs []*scenario.Document, v version.Version) *Config {
	r := &reader{Config: &Config{manifests: map[string]bool{}, credentials: map[string]bool{}}, version: v, parts: map[string]*scenario.Document{}}
	var whole, kubeConfig *scenario.Document
	configured := slices.ContainsFunc(docs, func(d *scenario.Document) bool { return ours(d) })
	for _, d := range docs {
		switch {
		case configured && d.APIVersion == "v1" && d.Kind == "Config":
			r.first(&kubeConfig, d)
		case !ours(d):
			r.Others = append(r.Others, d)
		case d.Kind == admissionConfiguration:
			r.first(&whole, d)
		case d.Kind == oldWebhookAdmission, isPart(partKind(d.APIVersion, d.Kind)):
			kind := partKind(d.APIVersion, d.Kind)
			if kind == oldWebhookAdmission {
				kind = webhookAdmission
			}
			part := r.parts[kind]
			r.first(&part, d)
			r.parts[kind] = part
		case elsewhere.Has(d.APIVersion, d.Kind): // its CEL is checked
		default:
			r.add(d, diag.Info, "kind", d.Kind+" does not concern admission and is not read", "")
		}
	}
	if whole != nil {
		r.whole(whole)
	} else {
		for _, kind := range slices.Sorted(maps.Keys(r.parts)) {
			r.add(r.parts[kind], diag.Warning, "kind", "no AdmissionConfiguration names this configuration, so it has no effect", "")
		}
	}
	if kubeConfig != nil {
		r.readUsers(kubeConfig)
	}
	return r.Config
}

func ours(d *scenario.Document) bool {
	g, _, _ := strings.Cut(d.APIVersion, "/")
	return g == group || g == oldGroup || g == podSecurityGroup || g == oldQuotaGroup
}

func isPart(kind string) bool {
	for _, k := range pluginKinds {
		if k == kind {
			return true
		}
	}
	return false
}

// Static reports whether a document is one of the manifest files that the server
// reads at its start.
func (c *Config) Static(d *scenario.Document) bool {
	return c.manifests[manifestPlugins[d.Kind]] && strings.HasSuffix(d.Name, Suffix)
}

// Suffix ends the names of manifests.
const Suffix = ".static.k8s.io"

// first keeps the first of several documents.
func (r *reader) first(kept **scenario.Document, d *scenario.Document) {
	if *kept == nil {
		*kept = d
		return
	}
	r.add(d, diag.Warning, "kind", "a second "+d.Kind+"; the first is used", "")
}

// add reports a problem at a path of a document.
func (r *reader) add(d *scenario.Document, severity diag.Severity, at, summary, detail string) *diag.Diagnostic {
	span := d.LocateKey(at)
	r.Diagnostics = append(r.Diagnostics, diag.Diagnostic{Code: codes.ServerConfiguration, Severity: severity, Text: d.Text, Span: span, Path: at,
		Summary: summary, Detail: detail, Document: d.Kind})
	return &r.Diagnostics[len(r.Diagnostics)-1]
}

// refuse reports what keeps the server from starting.
func (r *reader) refuse(d *scenario.Document, at, summary string) *diag.Diagnostic {
	return r.add(d, diag.Error, at, summary, "The API server does not start with it. Here it is left out.")
}

// whole reads an AdmissionConfiguration.
func (r *reader) whole(d *scenario.Document) {
	if !r.served(d, "", d.APIVersion, d.Kind, group+"/v1", oldGroup+"/v1alpha1") {
		return
	}
	r.fields(d, "", d.Value, "apiVersion", "kind", "plugins", "metadata")
	list, _ := d.Value["plugins"].([]any)
	seen := map[string]bool{}
	for i, entry := range list {
		at := fmt.Sprintf("plugins[%d]", i)
		plugin, ok := entry.(map[string]any)
		if !ok {
			r.refuse(d, at, "each entry of plugins must be an object with name and configuration")
			continue
		}
		r.fields(d, at, plugin, "name", "path", "configuration")
		name, _ := plugin["name"].(string)
		if seen[name] {
			r.add(d, diag.Warning, at+".name", "a second configuration of "+name+"; the server uses the first", "")
			continue
		}
		seen[name] = true
		r.plugin(d, at, name, plugin)
	}
}

// plugin reads the configuration of one plugin, in place or in a document of its own.
func (r *reader) plugin(d *scenario.Document, at, name string, plugin map[string]any) {
	kind, known := pluginKinds[name]
	switch {
	case !known && !slices.Contains(scenario.UnsimulatedPlugins, name) && !slices.Contains(scenario.PluginNames, name):
		r.add(d, diag.Warning, at+".name", fmt.Sprintf("there is no admission plugin %q, so nothing reads its configuration", name), "")
		return
	case !known:
		r.NotSimulated = append(r.NotSimulated, "The configuration of the admission plugin "+name+" is not read"+because(name)+".")
		return
	}
	if value, ok := plugin["configuration"].(map[string]any); ok {
		r.part(d, at+".configuration", name, value)
		return
	}
	if file, _ := plugin["path"].(string); file != "" {
		if part := r.parts[kind]; part != nil {
			r.part(part, "", name, part.Value)
			return
		}
		r.add(d, diag.Warning, at+".path", "the file is not among the texts", "Add its content, a "+kind+", as a document.")
	}
}

// because says more about plugins that webhooks are likely to be confused with.
func because(name string) string {
	if name == "ImagePolicyWebhook" {
		return ", and the plugin is not simulated: its backend is never called"
	}
	if slices.Contains(scenario.UnsimulatedPlugins, name) {
		return ", and the plugin is not simulated"
	}
	return ": the plugin runs with its defaults"
}

// part reads a WebhookAdmissionConfiguration or the configuration of a policy plugin, which is
// at a path of a document.
func (r *reader) part(d *scenario.Document, at, plugin string, value map[string]any) {
	kind := pluginKinds[plugin]
	apiVersion, _ := value["apiVersion"].(string)
	given, _ := value["kind"].(string)
	ofWebhooks := kind == webhookAdmission
	if ofWebhooks && apiVersion == group+"/v1alpha1" {
		kind = oldWebhookAdmission
	}
	if partKind(apiVersion, given) != kind {
		problem := r.refuse(d, fieldpath.Join(at, "kind"), fmt.Sprintf("the configuration of %s is a %s, not %q", plugin, kind, given))
		if edit, ok := d.Rewrite(fieldpath.Join(at, "kind"), kind); ok {
			problem.Fixes = []diag.Fix{{Title: "Change to " + kind, Edits: []diag.Edit{edit}}}
		}
		return
	}
	if kind == podSecurityKind {
		r.podSecurity(d, at, apiVersion, value)
		return
	}
	if kind == quotaKind {
		r.quota(d, at, apiVersion, given, value)
		return
	}
	versions := []string{group + "/v1"}
	if ofWebhooks && !r.version.Has(version.WebhookAdmissionV1) {
		versions = append(versions, group+"/v1alpha1")
	}
	if !ofWebhooks && !r.version.Has(version.ManifestSettings) {
		r.add(d, diag.Warning, fieldpath.Join(at, "kind"), fmt.Sprintf("this version reads no configuration of %s", plugin), "Kubernetes 1.37 and later read policies from files.")
		return
	}
	if !r.served(d, at, apiVersion, kind, versions...) {
		return
	}
	known := []string{"apiVersion", "kind"}
	if ofWebhooks {
		known = append(known, "kubeConfigFile")
		r.kubeConfigFile(d, at, plugin, value)
	}
	if r.version.Has(version.ManifestSettings) {
		known = append(known, "staticManifestsDir")
		r.manifestsDir(d, at, plugin, value)
	}
	r.fields(d, at, value, known...)
}

func (r *reader) kubeConfigFile(d *scenario.Document, at, plugin string, value map[string]any) {
	file, _ := value["kubeConfigFile"].(string)
	if file == "" {
		return
	}
	if !path.IsAbs(file) {
		r.refuse(d, fieldpath.Join(at, "kubeConfigFile"), fmt.Sprintf("kubeConfigFile: Invalid value: %q: must be an absolute file path", file))
		return
	}
	r.credentials[plugin] = true
}

func (r *reader) manifestsDir(d *scenario.Document, at, plugin string, value map[string]any) {
	dir, _ := value["staticManifestsDir"].(string)
	at = fieldpath.Join(at, "staticManifestsDir")
	switch {
	case dir == "":
	case !r.version.Has(version.ManifestFiles):
		r.refuse(d, at, "staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled")
	case !path.IsAbs(dir):
		r.refuse(d, at, fmt.Sprintf("staticManifestsDir: Invalid value: %q: must be an absolute file path", dir))
	default:
		r.manifests[plugin] = true
	}
}

// served reports whether the server reads a kind in a version, and says so where it
// does not.
func (r *reader) served(d *scenario.Document, at, apiVersion, kind string, versions ...string) bool {
	if slices.Contains(versions, apiVersion) {
		return true
	}
	at = fieldpath.Join(at, "apiVersion")
	p := r.refuse(d, at, fmt.Sprintf("no kind %q is registered for version %q", kind, apiVersion))
	if e, ok := d.Rewrite(at, versions[0]); ok {
		p.Fixes = []diag.Fix{{Title: "Change to " + versions[0], Edits: []diag.Edit{e}}}
	}
	return false
}

// fields rejects what the strict decoder of the server rejects.
func (r *reader) fields(d *scenario.Document, at string, value map[string]any, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if !slices.Contains(known, name) {
			r.refuse(d, fieldpath.Join(at, name), fmt.Sprintf("strict decoding error: unknown field %q", fieldpath.Join(at, name)))
		}
	}
}
