package install_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"sigs.k8s.io/yaml"
)

// valid has, for each kind, the part of a document that the cases of
// ruleCases change: the spec, or the only webhook.
var valid = map[string]string{
	configuration.ValidatingAdmissionPolicy: `
matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
validations: [{expression: "true"}]`,
	configuration.ValidatingAdmissionPolicyBinding: `
policyName: policy
validationActions: [Deny]`,
	configuration.MutatingAdmissionPolicy: `
reinvocationPolicy: Never
matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{}"}}]`,
	configuration.MutatingAdmissionPolicyBinding: `
policyName: policy`,
	configuration.ValidatingWebhookConfiguration: `
name: a.example.com
sideEffects: None
admissionReviewVersions: [v1]
clientConfig: {url: "https://example.com"}
rules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]`,
	configuration.MutatingWebhookConfiguration: `
name: a.example.com
sideEffects: None
admissionReviewVersions: [v1]
clientConfig: {url: "https://example.com"}
rules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]`,
}

const (
	vap  = configuration.ValidatingAdmissionPolicy
	vapb = configuration.ValidatingAdmissionPolicyBinding
	mapp = configuration.MutatingAdmissionPolicy
	mapb = configuration.MutatingAdmissionPolicyBinding
	vwc  = configuration.ValidatingWebhookConfiguration
	mwc  = configuration.MutatingWebhookConfiguration
)

const (
	subdomain  = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	dns1035    = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`
	namePart   = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
	labelValue = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
	urlForm    = `; desired format: https://host[/path]`
)

// ruleCases change one thing in a valid document; want is what follows "is
// invalid: ", empty when the document is accepted.
var ruleCases = []struct {
	kind, change, want string
}{
	// Fields with a fixed set of values (semantics §11.3 to §11.7).
	{vap, `failurePolicy: fail`, `spec.failurePolicy: Unsupported value: "fail": supported values: "Fail", "Ignore"`},
	{vap, `failurePolicy: ""`, `spec.failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"`},
	{vap, `failurePolicy: null`, ``},
	{mapp, `reinvocationPolicy: Always`, `spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"`},
	{mapp, `reinvocationPolicy: ""`, `spec.reinvocationPolicy: Required value`},
	{vwc, `failurePolicy: Abort`, `webhooks[0].failurePolicy: Unsupported value: "Abort": supported values: "Fail", "Ignore"`},
	{vwc, `matchPolicy: Same`, `webhooks[0].matchPolicy: Unsupported value: "Same": supported values: "Equivalent", "Exact"`},
	{mwc, `reinvocationPolicy: Always`, `webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"`},
	{vwc, `sideEffects: Some`, `webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`},
	{vwc, `sideEffects: null`, `webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun`},
	{vwc, `timeoutSeconds: 0`, `webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds`},
	{vwc, `timeoutSeconds: 30`, ``},

	// What has to be there.
	{vap, `matchConstraints: null`, `spec.matchConstraints: Required value`},
	{vap, `matchConstraints: {}`, `spec.matchConstraints.resourceRules: Required value`},
	{vap, `validations: []`, `[spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]`},
	{vap, "validations: []\nauditAnnotations: [{key: a, valueExpression: \"'x'\"}]", ``},
	{mapp, `mutations: []`, `spec.mutations: Required value: mutations must contain at least one item`},
	{vwc, `rules: []`, ``},

	// Rules.
	{vwc, rules(`operations: []`), `webhooks[0].rules[0].operations: Required value`},
	{vwc, rules(`operations: ["*", CREATE]`), `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`},
	{vwc, rules(`operations: [PATCH]`), `webhooks[0].rules[0].operations[0]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`},
	{vwc, rules(`apiGroups: []`), `webhooks[0].rules[0].apiGroups: Required value`},
	{vwc, rules(`apiGroups: ["", "*"]`), `webhooks[0].rules[0].apiGroups: Invalid value: ["","*"]: if '*' is present, must not specify other API groups`},
	{vwc, rules(`apiVersions: [v1, "*"]`), `webhooks[0].rules[0].apiVersions: Invalid value: ["v1","*"]: if '*' is present, must not specify other API versions`},
	{vwc, rules(`apiVersions: [""]`), `webhooks[0].rules[0].apiVersions[0]: Required value`},
	{vwc, rules(`scope: Node`), `webhooks[0].rules[0].scope: Unsupported value: "Node": supported values: "*", "Cluster", "Namespaced"`},
	{vwc, rules(`resources: []`), `webhooks[0].rules[0].resources: Required value`},
	{vwc, rules(`resources: ["pods/*", pods/log]`), `webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`},
	{vwc, rules(`resources: [pods/log, "pods/*"]`), ``}, // a wildcard is compared with what follows it only
	{vwc, rules(`resources: ["*/scale", deployments/scale]`), `webhooks[0].rules[0].resources[1]: Invalid value: "deployments/scale": if '*/scale' is present, must not specify deployments/scale`},
	{vwc, rules(`resources: [pods, "*/*"]`), `webhooks[0].rules[0].resources: Invalid value: ["pods","*/*"]: if '*/*' is present, must not specify other resources`},
	{vwc, rules(`resources: ["*", pods]`), `webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`},
	{vwc, rules(`resources: [pods, "*"]`), ``}, // only the last entry is compared
	{vap, `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], resourceNames: [a, a, "b/c"]}]}`,
		`[spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a", spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain '/']`},
	{mapp, `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [pods]}]}`,
		`spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`},
	{mapb, `matchResources: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [pods]}]}`,
		`spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`},
	{mapb, `matchResources: {excludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [pods]}]}`, ``},

	// Selectors.
	{vapb, `matchResources: {objectSelector: {matchLabels: {"a b": c}}}`, `spec.matchResources.objectSelector.matchLabels: Invalid value: "a b": ` + namePart},
	{vwc, `objectSelector: {matchExpressions: [{key: a, operator: In}]}`, "webhooks[0].objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"},
	{vwc, `namespaceSelector: {matchExpressions: [{key: a, operator: Like}]}`, `webhooks[0].namespaceSelector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator`},

	// Match conditions.
	{vap, `matchConditions: [{name: a, expression: "true"}, {name: a, expression: " "}]`, `[spec.matchConditions[1].expression: Required value, spec.matchConditions[1].name: Duplicate value: "a"]`},
	{vap, `matchConditions: [{expression: "true"}]`, `spec.matchConditions[0].name: Required value`},
	{vap, `matchConditions: [{name: "a b", expression: "true"}]`, `spec.matchConditions[0].name: Invalid value: "a b": ` + namePart},
	{vwc, `matchConditions: [` + repeat(65, `{name: "c%d", expression: "true"}`, ",") + `]`, `webhooks[0].matchConditions: Too many: 65: must have at most 64 items`},

	// Params.
	{vap, `paramKind: {}`, `[spec.paramKind.apiVersion: Required value, spec.paramKind.kind: Required value]`},
	{vap, `paramKind: {apiVersion: a/b/c, kind: A}`, `spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`},
	{vap, `paramKind: {apiVersion: "Rules/v1", kind: A}`, `spec.paramKind.apiVersion: Invalid value: "Rules": ` + subdomain},
	{vap, `paramKind: {apiVersion: rules/, kind: A}`, `spec.paramKind.apiVersion: Invalid value: "rules/": version must be specified`},
	{vap, `paramKind: {apiVersion: "1", kind: A}`, `spec.paramKind.apiVersion: Invalid value: "1": ` + dns1035},
	{vap, `paramKind: {apiVersion: v1, kind: A.B}`, `spec.paramKind.kind: Invalid value: "A.B": may have mixed case, but should otherwise match: ` + dns1035},
	{vapb, `paramRef: {parameterNotFoundAction: Deny}`, `spec.paramRef: Required value: one of name or selector must be specified`},
	{vapb, `paramRef: {name: a, selector: {}, parameterNotFoundAction: Deny}`, `[spec.paramRef.name: Forbidden: name and selector are mutually exclusive, spec.paramRef.selector: Forbidden: name and selector are mutually exclusive]`},
	{vapb, `paramRef: {name: "..", parameterNotFoundAction: Deny}`, `spec.paramRef.name: Invalid value: "..": may not be '..'`},
	{mapb, `paramRef: {name: a}`, `spec.paramRef.parameterNotFoundAction: Required value`},
	{mapb, `paramRef: {name: a, parameterNotFoundAction: Skip}`, `spec.paramRef.parameterNotFoundAction: Unsupported value: "Skip": supported values: "Deny", "Allow"`},

	// Variables.
	{vap, `variables: [{name: " ", expression: " "}]`, `[spec.variables[0].name: Required value: name is not specified, spec.variables[0].expression: Required value: expression is not specified]`},
	{vap, `variables: [{name: for, expression: "1"}, {name: 1a, expression: "1"}]`, `[spec.variables[0].name: Invalid value: "for": must be a valid CEL identifier, spec.variables[1].name: Invalid value: "1a": must be a valid CEL identifier]`},
	{mapp, `variables: [{name: object, expression: "1"}, {name: _x, expression: "variables.object"}]`, ``},

	// Validations and audit annotations.
	{vap, `validations: [{message: x}]`, `spec.validations[0].expression: Required value: expression is not specified`},
	{vap, `validations: [{expression: "true", message: " ", messageExpression: " "}]`, `[spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified, spec.validations[0].message: Invalid value: " ": must be non-empty if specified]`},
	{vap, `validations: [{expression: "true", message: "a\rb"}]`, `spec.validations[0].message: Invalid value: "a\rb": must not contain line breaks`},
	{vap, `validations: [{expression: "true", message: " a\n"}]`, ``},
	{vap, `validations: [{expression: "true", reason: Unauthorized}]`, `spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"`},
	{vap, `auditAnnotations: [{key: "a/b", valueExpression: "'x'"}]`, `spec.auditAnnotations[0].key: Invalid value: "test/a/b": a valid label key ` + strings.TrimPrefix(namePart, "name part ") + ` with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`},
	{vap, `auditAnnotations: [{key: a, valueExpression: "` + strings.Repeat("1", 5121) + `"}]`, `spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length`},
	{vap, `auditAnnotations: [{key: a, valueExpression: "'x'"}, {key: a, valueExpression: " "}]`, `[spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified, spec.auditAnnotations[1].key: Duplicate value: "a"]`},
	{vap, `auditAnnotations: [` + repeat(21, `{key: "k%d", valueExpression: "null"}`, ",") + `]`, `spec.auditAnnotations: Invalid value: [` + repeat(21, `{"Key":"k%d","ValueExpression":"null"}`, ",") + `]: must not have more than 20 auditAnnotations`},

	// Mutations.
	{mapp, `mutations: [{}]`, `spec.mutations[0].patchType: Required value`},
	{mapp, `mutations: [{patchType: Merge}]`, `spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"`},
	{mapp, `mutations: [{patchType: JSONPatch, applyConfiguration: {expression: "1"}}]`,
		`[spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch, spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch]`},
	{mapp, `mutations: [{patchType: ApplyConfiguration, jsonPatch: {expression: "1"}}]`,
		`[spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration, spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration]`},
	{mapp, `mutations: [{patchType: JSONPatch, jsonPatch: {expression: " "}}]`, `spec.mutations[0].jsonPatch.expression: Required value`},

	// Bindings.
	{vapb, `policyName: ""`, `spec.policyName: Required value`},
	{mapb, `policyName: A`, `spec.policyName: Invalid value: "A": ` + subdomain},
	{vapb, `validationActions: [Deny, Deny, Log]`, `[spec.validationActions[1]: Duplicate value: "Deny", spec.validationActions[2]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"]`},
	{vapb, `validationActions: [Warn, Deny]`, `spec.validationActions: Invalid value: ["Warn","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`},

	// Webhooks.
	{vwc, `name: ""`, `webhooks[0].name: Required value`},
	{vwc, `name: example.com`, `webhooks[0].name: Invalid value: "example.com": should be a domain with at least three segments separated by dots`},
	{vwc, `admissionReviewVersions: []`, `webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1`},
	{vwc, `admissionReviewVersions: [v2, v2, "3"]`, `[webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version, webhooks[0].admissionReviewVersions[2]: Invalid value: "3": ` + dns1035 + `, webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2","3"]: must include at least one of v1, v1beta1]`},
	{vwc, `clientConfig: {}`, `webhooks[0].clientConfig: Required value: exactly one of url or service is required`},
	{vwc, `clientConfig: {url: "https://a", service: {name: a, namespace: b}}`, `webhooks[0].clientConfig: Required value: exactly one of url or service is required`},
	{vwc, `clientConfig: {url: "%"}`, `webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "%": invalid URL escape "%"` + urlForm},
	{vwc, `clientConfig: {url: "http://"}`, `[webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme` + urlForm + `, webhooks[0].clientConfig.url: Invalid value: "": host must be specified` + urlForm + `]`},
	{vwc, `clientConfig: {url: "https://u@h/?q=1#f"}`, `[webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL, webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL, webhooks[0].clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL]`},
	{vwc, `clientConfig: {service: {namespace: b}}`, `webhooks[0].clientConfig.service.namespace: Required value`}, // the server swaps the two
	{vwc, `clientConfig: {service: {name: a}}`, `webhooks[0].clientConfig.service.name: Required value`},
	{vwc, `clientConfig: {service: {name: a, namespace: b, port: 0}}`, `webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`},
	{vwc, `clientConfig: {service: {name: a, namespace: b, path: //}}`, `webhooks[0].clientConfig.service.path: Invalid value: "//": segment[0] may not be empty`},
	{vwc, `clientConfig: {service: {name: a, namespace: b, path: /a//B/}}`, `[webhooks[0].clientConfig.service.path: Invalid value: "/a//B/": segment[1] may not be empty, webhooks[0].clientConfig.service.path: Invalid value: "/a//B/": segment[2]: ` + subdomain + `]`},
	{vwc, `clientConfig: {service: {name: a, namespace: b, path: /}}`, ``},
}

func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.kind+" "+c.change[:min(len(c.change), 60)], func(t *testing.T) {
			check(t, document(t, c.kind, "{name: test}", c.change), "1.36", c.kind, c.want)
		})
	}
}

// metadataCases change the metadata of a valid binding.
var metadataCases = []struct{ version, metadata, want string }{
	{"1.36", `{}`, `metadata.name: Required value: name or generateName is required`},
	{"1.36", `{name: A}`, `metadata.name: Invalid value: "A": ` + subdomain},
	{"1.36", `{generateName: AB-}`, `[metadata.generateName: Invalid value: "AB-": ` + subdomain + `, metadata.name: Invalid value: "AB-xxxxx": ` + subdomain + `]`},
	{"1.36", `{name: test, namespace: default, generation: -1, status: {}}`, ``},
	{"1.36", `{name: test, labels: {b: "-", "a b": c}}`, `[metadata.labels: Invalid value: "a b": ` + namePart + `, metadata.labels: Invalid value: "-": ` + labelValue + `]`},
	{"1.36", `{name: test, annotations: {"a b": c}}`, `metadata.annotations: Invalid value: "a b": ` + namePart},
	{"1.36", `{name: test, annotations: {a: ` + strings.Repeat("x", 256*1024) + `}}`, `metadata.annotations: Too long: may not be more than 262144 bytes`},
	{"1.36", `{name: test, finalizers: [x y]}`, `metadata.finalizers: Invalid value: "x y": ` + namePart},
	{"1.33", `{name: test, ownerReferences: [{}]}`, `[metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty, metadata.ownerReferences.kind: Invalid value: "": kind must not be empty, metadata.ownerReferences.name: Invalid value: "": name must not be empty, metadata.ownerReferences.uid: Invalid value: "": uid must not be empty]`},
	{"1.36", `{name: test, ownerReferences: [{apiVersion: v1, kind: Event, name: a}]}`, `[metadata.ownerReferences.uid: Invalid value: "": must not be empty, metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":""}: /v1, Kind=Event is disallowed from being an owner]`},
	{"1.37", `{name: test, ownerReferences: [{apiVersion: v1, kind: Pod, name: a}]}`, `metadata.ownerReferences[0].uid: Required value: must not be empty`},
	{"1.35", `{name: a.static.k8s.io}`, ``},
	{"1.37", `{name: a.static.k8s.io}`, `metadata.name: Invalid value: "a.static.k8s.io": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`},
}

func TestMetadata(t *testing.T) {
	for _, c := range metadataCases {
		t.Run(c.version+" "+c.metadata[:min(len(c.metadata), 60)], func(t *testing.T) {
			check(t, document(t, vapb, c.metadata, ""), c.version, vapb, c.want)
		})
	}
}

// TestOlderTexts checks texts that other versions word differently.
func TestOlderTexts(t *testing.T) {
	for _, c := range []struct{ version, kind, change, want string }{
		{"1.33", vapb, `validationActions: [Warn, Deny]`, `spec.validationActions: Invalid value: []admissionregistration.ValidationAction{"Warn", "Deny"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`},
		{"1.33", vwc, rules(`operations: ["*", CREATE]`), `webhooks[0].rules[0].operations: Invalid value: []admissionregistration.OperationType{"*", "CREATE"}: if '*' is present, must not specify other operations`},
		{"1.33", vwc, rules(`apiGroups: ["", "*"]`), `webhooks[0].rules[0].apiGroups: Invalid value: []string{"", "*"}: if '*' is present, must not specify other API groups`},
		{"1.33", vap, `auditAnnotations: [` + repeat(21, `{key: "k%d", valueExpression: "null"}`, ",") + `]`,
			`spec.auditAnnotations: Invalid value: []admissionregistration.AuditAnnotation{` + repeat(21, `admissionregistration.AuditAnnotation{Key:"k%d", ValueExpression:"null"}`, ", ") + `}: must not have more than 20 auditAnnotations`},
		{"1.33", vap, `variables: [{name: 1a, expression: "1"}]`, `spec.variables[0].name: Invalid value: "1a": name is not a valid CEL identifier`},
		{"1.34", vap, `variables: [{name: 1a, expression: "1"}]`, `spec.variables[0].name: Invalid value: "1a": must be a valid CEL identifier`},
		{"1.33", vap, `validations: [{expression: "true", message: " ", messageExpression: " "}]`, `[spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified, spec.validations[0].message: Invalid value: " ": message must be non-empty if specified]`},
		{"1.33", vap, `validations: [{expression: "true", message: "a\nb"}]`, `spec.validations[0].message: Invalid value: "a\nb": message must not contain line breaks`},
		{"1.34", vap, `validations: [{expression: "true", message: "a\nb"}]`, `spec.validations[0].message: Invalid value: "a\nb": must not contain line breaks`},
		{"1.34", vap, `auditAnnotations: [{key: "a/b", valueExpression: "'x'"}]`, `spec.auditAnnotations[0].key: Invalid value: "test/a/b": a qualified name ` + strings.TrimPrefix(namePart, "name part ") + ` with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`},
		{"1.33", vwc, `clientConfig: {service: {}}`, `[webhooks[0].clientConfig.service.name: Required value: service name is required, webhooks[0].clientConfig.service.namespace: Required value: service namespace is required]`},
		{"1.34", vwc, `clientConfig: {service: {}}`, `[webhooks[0].clientConfig.service.name: Required value, webhooks[0].clientConfig.service.namespace: Required value]`},
		{"1.31", vapb, `matchResources: {matchPolicy: None}`, `spec.matchResouces.matchPolicy: Unsupported value: "None": supported values: "Equivalent", "Exact"`},
		{"1.32", vapb, `matchResources: {matchPolicy: None}`, `spec.matchResources.matchPolicy: Unsupported value: "None": supported values: "Equivalent", "Exact"`},
		{"1.31", vap, `validations: [{expression: "'x'"}]`, `spec.validations[0].expression: Invalid value: "'x'": must evaluate to bool`},
		{"1.32", vap, `validations: [{expression: "'x'"}]`, `spec.validations[0].expression: Invalid value: "'x'": must evaluate to bool but got string`},
		{"1.37", vapb, "policyName: ''\nvalidationActions: []\nparamRef: {name: a}", `[spec.paramRef.parameterNotFoundAction: Required value, spec.policyName: Required value, spec.validationActions: Required value]`},
	} {
		t.Run(c.version+" "+c.kind+" "+c.change[:min(len(c.change), 40)], func(t *testing.T) {
			check(t, document(t, c.kind, "{name: test}", c.change), c.version, c.kind, c.want)
		})
	}
}

// rules is a change of the only rule of a webhook.
func rules(change string) string {
	rule := map[string]any{"apiGroups": []any{"apps"}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"deployments"}}
	var changed map[string]any
	if err := yaml.Unmarshal([]byte(change), &changed); err != nil {
		panic(err)
	}
	maps.Copy(rule, changed)
	text, err := json.Marshal([]any{rule})
	if err != nil {
		panic(err)
	}
	return "rules: " + string(text)
}

// repeat formats n numbered items of a list.
func repeat(n int, format, separator string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(items, separator)
}

// document is a valid document of a kind with some fields of its spec, or of
// its webhook, changed.
func document(t *testing.T, kind, metadata, change string) string {
	t.Helper()
	var body, changed, meta map[string]any
	for text, into := range map[string]*map[string]any{valid[kind]: &body, change: &changed, metadata: &meta} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	maps.Copy(body, changed)
	object := map[string]any{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": meta}
	if kind == vwc || kind == mwc {
		object["webhooks"] = []any{body}
	} else {
		object["spec"] = body
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check compares the rejection of a document, or that there is none.
func check(t *testing.T, text, version, kind, want string) {
	t.Helper()
	result := installText(t, text, version)
	checkPlaces(t, text, result)
	got := ""
	for _, a := range result.Answers {
		if a.Kind != kind || (a.Code != 422 && a.Message != "") {
			t.Errorf("got the answer %+v", a)
		}
		_, got, _ = strings.Cut(a.Message, " is invalid: ")
	}
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
