package serverconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

func read(t *testing.T, minor, text string) *Config {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Policies, text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return Read(docs, version.MustParse(minor))
}

// whole is an AdmissionConfiguration with one plugin.
func whole(plugin, configuration string) string {
	return "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: " + plugin + "\n  configuration: " + configuration + "\n"
}

// podSecurity is a configuration of Pod Security.
func podSecurity(version, fields string) string {
	return "{apiVersion: pod-security.admission.config.k8s.io/" + version + ", kind: PodSecurityConfiguration, " + fields + "}"
}

// quotas is a configuration of quotas with one limited resource.
func quotas(kind, limited string) string {
	return "{apiVersion: " + kind + ", limitedResources: [" + limited + "]}"
}

func TestRefused(t *testing.T) {
	const (
		webhooks = "ValidatingAdmissionWebhook"
		policies = "MutatingAdmissionPolicy"
	)
	for _, c := range []struct{ name, minor, text, want string }{
		{"nothing wrong", "1.37", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /a}"), ""},
		{"the path of the documentation", "1.37", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: <path-to-kubeconfig-file>}"),
			`error plugins[0].configuration.kubeConfigFile: kubeConfigFile: Invalid value: "<path-to-kubeconfig-file>": must be an absolute file path`},
		{"the kind of the old version", "1.37", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmission}"),
			`error plugins[0].configuration.kind: the configuration of ValidatingAdmissionWebhook is a WebhookAdmissionConfiguration, not "WebhookAdmission"`},
		{"the old version", "1.36", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1alpha1, kind: WebhookAdmission}"),
			`error plugins[0].configuration.apiVersion: no kind "WebhookAdmission" is registered for version "apiserver.config.k8s.io/v1alpha1"`},
		{"the old version in an old server", "1.35", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1alpha1, kind: WebhookAdmission}"), ""},
		{"the old group", "1.37", strings.Replace(whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration}"), "apiserver.config.k8s.io/v1\nkind: Adm", "apiserver.k8s.io/v1alpha1\nkind: Adm", 1), ""},
		{"another kind", "1.37", whole(policies, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration}"),
			`error plugins[0].configuration.kind: the configuration of MutatingAdmissionPolicy is a MutatingAdmissionPolicyConfiguration, not "WebhookAdmissionConfiguration"`},
		{"an unknown field", "1.35", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, staticManifestsDir: /a}"),
			`error plugins[0].configuration.staticManifestsDir: strict decoding error: unknown field "plugins[0].configuration.staticManifestsDir"`},
		{"several unknown fields", "1.37", whole(webhooks, "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, c: 1, a: 1, d: 1, b: 1}"),
			"error plugins[0].configuration.a: strict decoding error: unknown field \"plugins[0].configuration.a\"\nerror plugins[0].configuration.b: strict decoding error: unknown field \"plugins[0].configuration.b\"\n" +
				"error plugins[0].configuration.c: strict decoding error: unknown field \"plugins[0].configuration.c\"\nerror plugins[0].configuration.d: strict decoding error: unknown field \"plugins[0].configuration.d\""},
		{"the gate is off", "1.36", whole(policies, "{apiVersion: apiserver.config.k8s.io/v1, kind: MutatingAdmissionPolicyConfiguration, staticManifestsDir: /a}"),
			`error plugins[0].configuration.staticManifestsDir: staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled`},
		{"a relative folder", "1.37", whole(policies, "{apiVersion: apiserver.config.k8s.io/v1, kind: MutatingAdmissionPolicyConfiguration, staticManifestsDir: a}"),
			`error plugins[0].configuration.staticManifestsDir: staticManifestsDir: Invalid value: "a": must be an absolute file path`},
		{"Pod Security", "1.37", whole("PodSecurity", podSecurity("v1", "defaults: {enforce: baseline, enforce-version: v1.30}, exemptions: {usernames: [jane], namespaces: [a], runtimeClasses: [kata]}")), ""},
		{"Pod Security of an old version", "1.30", whole("PodSecurity", podSecurity("v1alpha1", "defaults: {warn: restricted}")), ""},
		{"of a version that there is not", "1.37", whole("PodSecurity", podSecurity("v2", "defaults: {}")),
			`error plugins[0].configuration.apiVersion: no kind "PodSecurityConfiguration" is registered for version "pod-security.admission.config.k8s.io/v2"`},
		{"levels and names that are wrong", "1.37", whole("PodSecurity", podSecurity("v1", "defaults: {enforce: strict, warn-version: '1.30'}, exemptions: {usernames: ['', a, a], namespaces: [A_]}")),
			"error plugins[0].configuration.defaults.enforce: defaults.enforce: Invalid value: \"strict\": must be one of privileged, baseline, restricted\n" +
				"error plugins[0].configuration.defaults.warn-version: defaults.warn-version: Invalid value: \"1.30\": must be \"latest\" or \"v1.x\"\n" +
				"error plugins[0].configuration.exemptions.namespaces[0]: exemptions.namespaces[0]: Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n" +
				"error plugins[0].configuration.exemptions.usernames[0]: exemptions.usernames[0]: Invalid value: \"\": username must not be empty\n" +
				"error plugins[0].configuration.exemptions.usernames[2]: exemptions.usernames[2]: Duplicate value: \"a\""},
		{"fields of Pod Security that there are not", "1.37", whole("PodSecurity", podSecurity("v1", "defaults: {enforceVersion: v1.30}, exemptions: {users: [a]}, other: 1")),
			"error plugins[0].configuration.defaults.enforceVersion: strict decoding error: unknown field \"defaults.enforceVersion\"\n" +
				"error plugins[0].configuration.exemptions.users: strict decoding error: unknown field \"exemptions.users\"\n" +
				"error plugins[0].configuration.other: strict decoding error: unknown field \"other\""},
		{"a type that does not fit", "1.37", whole("PodSecurity", podSecurity("v1", "defaults: {enforce: 1}")),
			"error plugins[0].configuration: json: cannot unmarshal number into Go struct field .defaults.enforce of type string"},
		{"Pod Security on its own", "1.37", podSecurity("v1", "defaults: {}"), `warning kind: no AdmissionConfiguration names this configuration, so it has no effect`},
		{"quotas", "1.37", whole("ResourceQuota", quotas("apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration", "{resource: pods, matchScopes: [{scopeName: PriorityClass, operator: In, values: [high]}]}")), ""},
		{"quotas by their old name", "1.37", whole("ResourceQuota", quotas("resourcequota.admission.k8s.io/v1beta1, kind: Configuration", "{resource: pods, apiGroup: '', matchContains: [cpu]}")), ""},
		{"a document of quotas", "1.37", strings.Replace(whole("ResourceQuota", "x"), "configuration: x", "path: a.yaml", 1) + "---\n" + quotas("resourcequota.admission.k8s.io/v1alpha1, kind: Configuration", "{resource: pods}"), ""},
		{"the new name in the old group", "1.37", whole("ResourceQuota", quotas("resourcequota.admission.k8s.io/v1, kind: Configuration", "")),
			`error plugins[0].configuration.apiVersion: no kind "Configuration" is registered for version "resourcequota.admission.k8s.io/v1"`},
		{"fields of quotas that there are not", "1.37", whole("ResourceQuota", quotas("apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration", "{matchScopes: [{name: PriorityClass}], contains: [cpu]}")),
			"error plugins[0].configuration.limitedResources[0].contains: strict decoding error: unknown field \"limitedResources[0].contains\"\n" +
				"error plugins[0].configuration.limitedResources[0].matchScopes[0].name: strict decoding error: unknown field \"limitedResources[0].matchScopes[0].name\"\n" +
				"error plugins[0].configuration.limitedResources[0]: limitedResources[0].resource: Required value"},
		{"quotas of another type", "1.37", whole("ResourceQuota", quotas("apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration", "{resource: pods, matchContains: cpu}")),
			"error plugins[0].configuration: json: cannot unmarshal string into Go struct field Limited.limitedResources.matchContains of type []string"},
		{"no such plugin", "1.37", whole("Validating", "{}"), `warning plugins[0].name: there is no admission plugin "Validating", so nothing reads its configuration`},
		{"on its own", "1.37", "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\n", `warning kind: no AdmissionConfiguration names this configuration, so it has no effect`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range read(t, c.minor, c.text).Diagnostics {
				got = append(got, string(d.Severity)+" "+d.Path+": "+d.Summary)
				if d.Span == (diag.Span{}) {
					t.Errorf("no place: %s", d.Summary)
				}
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

// TestOtherPlugins: what is configured and not simulated is named.
func TestOtherPlugins(t *testing.T) {
	c := read(t, "1.37", "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- {name: ImagePolicyWebhook, path: a.yaml}\n- {name: EventRateLimit, path: b.yaml}\n- {name: LimitRanger, path: c.yaml}\n")
	want := []string{
		"The configuration of the admission plugin ImagePolicyWebhook is not read, and the plugin is not simulated: its backend is never called.",
		"The configuration of the admission plugin EventRateLimit is not read, and the plugin is not simulated.",
		"The configuration of the admission plugin LimitRanger is not read: the plugin runs with its defaults.",
	}
	if !slices.Equal(c.NotSimulated, want) || len(c.Diagnostics) > 0 {
		t.Errorf("got %q, %v", c.NotSimulated, c.Diagnostics)
	}
}

func TestCredentials(t *testing.T) {
	text := whole("ValidatingAdmissionWebhook", "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /a}") + `---
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {user: me, cluster: c}}]
users:
- {name: me, user: {exec: {command: c}}}
- {name: 'a.ns.svc', user: {token: t, client-certificate: c}}
- {name: '*.ns.svc', user: {username: u, password: p}}
- {name: 'a.ns.svc:8443', user: {}}
`
	c := read(t, "1.37", text)
	for host, want := range map[string]string{
		"a.ns.svc:443":        `as the user "a.ns.svc" of its kubeConfig file, with a bearer token, a client certificate.`,
		"a.ns.svc:8443":       `as the user "a.ns.svc:8443" of its kubeConfig file, with nothing.`,
		"b.ns.svc:443":        `as the user "*.ns.svc" of its kubeConfig file, with a user name and password.`,
		"b.ns.svc:8443":       `as the user of the current context of its kubeConfig file, with a command's output.`,
		"hook.example.com:80": `as the user of the current context of its kubeConfig file, with a command's output.`,
	} {
		if got := c.Credentials(false, host); got != "The server authenticates "+want {
			t.Errorf("%s: %s", host, got)
		}
	}
	if got := c.Credentials(true, "a.ns.svc:443"); got != "" {
		t.Errorf("the other plugin: %s", got)
	}
	without := read(t, "1.37", text[:strings.Index(text, "---")])
	if got := without.Credentials(false, "a.ns.svc:443"); !strings.Contains(got, "content is missing here") {
		t.Error(got)
	}
}

// TestPodSecurity: what a configuration leaves out is as in one that says nothing; one with a
// mistake is left out whole.
func TestPodSecurity(t *testing.T) {
	file := "{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{name: PodSecurity, path: /etc/pod-security.yaml}]}\n---\n"
	got := read(t, "1.37", file+podSecurity("v1", "defaults: {enforce: baseline}, exemptions: {namespaces: [a, b]}"))
	if got.PodSecurity == nil || len(got.NotSimulated)+len(got.Diagnostics)+len(got.Others) > 0 {
		t.Fatalf("got %v, %q, %v", got.PodSecurity, got.NotSimulated, got.Diagnostics)
	}
	d := got.PodSecurity.Defaults
	if levels := d.Enforce.String() + " " + d.Audit.String() + " " + d.Warn.String(); levels != "baseline:latest privileged:latest privileged:latest" {
		t.Error(levels)
	}
	if !slices.Equal(got.PodSecurity.Namespaces, []string{"a", "b"}) {
		t.Errorf("exempt: %q", got.PodSecurity.Namespaces)
	}
	if wrong := read(t, "1.37", file+podSecurity("v1", "defaults: {enforce: baseline, warn: strict}")).PodSecurity; wrong != nil {
		t.Errorf("got %v", wrong)
	}
	if none := read(t, "1.37", "").PodSecurity; none != nil {
		t.Errorf("got %v", none)
	}
}
