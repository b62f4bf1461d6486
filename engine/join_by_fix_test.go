package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestOneMistakeIsToldOnce: what the check of an expression says and what it fails with are
// one problem with one repair, and so are all places that one repair is for.
func TestOneMistakeIsToldOnce(t *testing.T) {
	const request = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: 3\n  selector: {matchLabels: {app: web}}\n" +
		"  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}\n"
	for expression, want := range map[string]struct{ summary, related, fix string }{
		"object.spec.replica <= 5":                                   {"undefined field 'replica'", "for this request it fails here: no such key: replica (object.spec has ", "Write replicas"},
		"object.spec.replicas <= '5'":                                {"found no matching overload for '_<=_' applied to '(int, string)'", "for this request it fails here: no such overload (there is no <= for int and string)", "Write object.spec.replicas <= 5"},
		"object.spec.template.spec.containers['0'].name != ''":       {"found no matching overload for '_[_]'", "for this request it fails here: unsupported index type 'string' in list", "Write object.spec.template.spec.containers[0].name != ''"},
		"object.spec.nonsense.inner == 'x'":                          {"undefined field 'nonsense'", "for this request it fails here: no such key: nonsense", ""},
		"all(object.spec.template.spec.containers, c, c.name != '')": {"undeclared reference to 'all'", "the same mistake: undeclared reference to 'c'", "Write object.spec.template.spec.containers.all(c, c.name != '')"},
	} {
		policies := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: rule}\nspec:\n  matchConstraints:\n    resourceRules:\n" +
			"    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}\n  validations:\n  - expression: " + expression + "\n" +
			"---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: rule}\nspec: {policyName: rule, validationActions: [Deny]}\n"
		var found []diag.Diagnostic
		for _, d := range evaluated(t, scenario.Scenario{Policies: policies, Request: request}).Diagnostics {
			if d.Severity != diag.Info {
				found = append(found, d)
			}
		}
		if len(found) != 1 || !strings.HasPrefix(found[0].Summary, want.summary) {
			t.Errorf("%s: %v, not one problem", expression, found)
			continue
		}
		d, related := found[0], ""
		for _, r := range d.Related {
			related += r.Summary + "\n"
		}
		if !strings.Contains(related, want.related) {
			t.Errorf("%s: the places are\n%s", expression, related)
		}
		if want.fix == "" && len(d.Fixes) > 0 || want.fix != "" && (len(d.Fixes) != 1 || d.Fixes[0].Title != want.fix) {
			t.Errorf("%s: the repairs are %v", expression, d.Fixes)
		}
	}
}

// TestConsequences: what comes of a document that the server rejects is no problem of its
// own, and a kind in small letters is repaired where it is defined.
func TestConsequences(t *testing.T) {
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: backups.ops.corp.io}\nspec:\n  group: ops.corp.io\n  scope: Namespaced\n" +
		"  names: {plural: backups, kind: KIND}\n  versions:\n  - {name: v1, served: true, storage: true, schema: SCHEMA}\n"
	const schema = "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}"
	const object = "apiVersion: ops.corp.io/v1\nkind: Backup\nmetadata: {name: a, namespace: default}\n"
	const hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: checks}\nwebhooks:\n- name: pods.corp.io\n" +
		"  admissionReviewVersions: [v1]\n  sideEffects: EFFECTS\n  clientConfig: {url: 'https://pods.corp.io/'}\n  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]\n"
	const response = "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: pod.corp.io}\nspec: {allowed: true}\n"
	with := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	for name, c := range map[string]struct {
		s        scenario.Scenario
		code     string
		severity diag.Severity
		fix      string
	}{
		"a definition that is refused":     {scenario.Scenario{Cluster: with(definition, "KIND", "Backup", "SCHEMA", "{openAPIV3Schema: {type: text}}"), Request: object}, codes.UnknownKind, diag.Info, ""},
		"a kind in small letters":          {scenario.Scenario{Cluster: with(definition, "KIND", "backup", "SCHEMA", schema), Request: object}, codes.UnknownKind, diag.Warning, "Change the kind of the definition to Backup"},
		"webhooks that are refused":        {scenario.Scenario{Policies: with(hook, "EFFECTS", "No"), Cluster: response}, codes.UnusedWebhookResponse, diag.Info, ""},
		"a response with the name of none": {scenario.Scenario{Policies: with(hook, "EFFECTS", "None"), Cluster: response}, codes.UnusedWebhookResponse, diag.Warning, "Change to pods.corp.io"},
	} {
		found := slices.Collect(func(yield func(diag.Diagnostic) bool) {
			for _, d := range evaluated(t, c.s).Diagnostics {
				if d.Code == c.code && !yield(d) {
					return
				}
			}
		})
		if len(found) != 1 || found[0].Severity != c.severity || (c.fix == "") != (len(found[0].Fixes) == 0) {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		if c.fix == "" {
			continue
		}
		if title := found[0].Fixes[0].Title; title != c.fix {
			t.Errorf("%s: the repair is %q", name, title)
		}
		for _, d := range evaluated(t, applied(t, c.s, found[0].Fixes[0])).Diagnostics {
			if d.Code == c.code {
				t.Errorf("%s: it is there after the repair: %s", name, d)
			}
		}
	}
}
