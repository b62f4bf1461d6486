package codes

import (
	"fmt"
	"strings"
)

const plainValidation = "validations:\n- expression: object.metadata.name != 'x'"

var plain = validating(configMaps, plainValidation)

var refused = Group{
	Title: "What the API server refuses",
	About: "The server does not create a document with one of these problems; its answer stands in the report under install. The document is left out and the rest is evaluated.",
	Entries: []Entry{
		{Code: "wrong-type", Title: "A value of another type", Repair: "Put words such as yes, on and no into quotes where a text is meant; numbers and lists as the field wants them. In scenario.yaml and in the request the same code is for fields of ours.",
			Example: policies(validating(configMaps, "validations:\n- expression: true"))},
		{Code: "required-value", Title: "A field that must be set", Repair: "Set it. The server's text names the field.",
			Example: policies(validating(configMaps, "failurePolicy: Fail"))},
		{Code: "unsupported-value", Title: "Not one of the known values", Repair: "Use a value that the server's text lists; mind the case.",
			Example: policies(validating(configMaps, "failurePolicy: fail\n"+plainValidation))},
		{Code: "duplicate-value", Title: "A value twice in a list", Repair: "Remove or rename one.",
			Example: policies(validating(configMaps, "matchConditions:\n- {name: same, expression: 'true'}\n- {name: same, expression: 'true'}\n"+plainValidation))},
		{Code: "too-many", Title: "Too many items", Repair: "Join some: match conditions with &&, audit annotations into one value.",
			Example: policies(validating(configMaps, "auditAnnotations:\n"+annotations+plainValidation))},
		{Code: "invalid-name", Title: "A name of another form", Repair: "Names of policies are lower case letters, digits, hyphens and dots; names of webhooks need three parts, such as check.example.com.",
			Example: policies(named("No_Good", plain))},
		{Code: "reserved-name", Title: "A reserved name", Repair: "Choose another ending. Up to Kubernetes 1.36 this is only a warning.",
			Example: policies(named("example.static.k8s.io", plain))},
		{Code: "invalid-metadata", Title: "Malformed metadata", Repair: "Values of labels are at most 63 letters, digits, hyphens, underscores and dots; other texts belong into annotations.",
			Example: policies(named("example, labels: {purpose: 'two words'}", plain))},
		{Code: "invalid-selector", Title: "A malformed selector", Repair: "In and NotIn need values, Exists and DoesNotExist must have none.",
			Example: policies(validating("{namespaceSelector: {matchExpressions: [{key: env, operator: In}]}, resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}", plainValidation))},
		{Code: "invalid-rule", Title: "A malformed rule", Repair: "A list with a wildcard has no further entries that the wildcard covers.",
			Example: policies(validating("{resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*', CREATE], resources: [configmaps]}]}", plainValidation))},
		{Code: "invalid-param-kind", Title: "A malformed paramKind", Repair: "Write the apiVersion with its group, such as example.com/v1, and the kind in the singular.",
			Example: policies(validating(configMaps, "paramKind: {apiVersion: example.com/v1/alpha, kind: Limits}\n"+plainValidation))},
		{Code: "invalid-param-ref", Title: "A malformed paramRef", Repair: "Give either name or selector.",
			Example: policies(plain, bindingHead+"ValidatingAdmissionPolicyBinding\nmetadata: {name: example}\nspec:\n  policyName: example\n  validationActions: [Deny]\n  paramRef: {name: limits, selector: {}, parameterNotFoundAction: Deny}")},
		{Code: "invalid-variable-name", Title: "A name that CEL does not take", Repair: "Use letters, digits and underscores; not true, null, in, package and the other reserved words.",
			Example: policies(validating(configMaps, "variables:\n- {name: max-size, expression: '5'}\n"+plainValidation))},
		{Code: "invalid-message", Title: "A message of several lines", Repair: "Write it in one line: in YAML, > or >- joins lines where | keeps them.",
			Example: policies(validating(configMaps, "validations:\n- expression: object.metadata.name != 'x'\n  message: |\n    not\n    this name"))},
		{Code: "conflicting-actions", Title: "Deny and Warn together", Repair: "Keep Deny, or Warn and Audit.",
			Example: policies(plain, strings.Replace(validBind, "[Deny]", "[Deny, Warn]", 1))},
		{Code: "mutation-body", Title: "A body that does not fit its patchType", Repair: "patchType ApplyConfiguration goes with applyConfiguration, JSONPatch with jsonPatch; remove the other.",
			Example: policies(mutating(configMaps, "mutations:\n- patchType: JSONPatch\n  jsonPatch: {expression: \"[JSONPatch{op: 'remove', path: '/data'}]\"}\n  applyConfiguration: {expression: 'Object{}'}"))},
		{Code: "invalid-timeout", Title: "An impossible timeout", Repair: "Set timeoutSeconds to 1 to 30.",
			Example: policies(hook(hookRules + "\n" + hookClient + "\n" + hookRest + "\ntimeoutSeconds: 60"))},
		{Code: "review-versions", Title: "Impossible review versions", Repair: "Write admissionReviewVersions: [v1].",
			Example: policies(hook(hookRules + "\n" + hookClient + "\nsideEffects: None\nadmissionReviewVersions: [v2]"))},
		{Code: "webhook-url", Title: "A URL that is not allowed", Repair: "Write https://host[:port][/path], without user, query and fragment.",
			Example: policies(hook(hookRules + "\nclientConfig: {url: 'http://check.example.com'}\n" + hookRest))},
		{Code: "webhook-service", Title: "A service with an impossible port or path", Repair: "Ports are 1 to 65535, paths begin with a slash.",
			Example: policies(hook(hookRules + "\nclientConfig: {service: {name: check, namespace: default, path: review}}\n" + hookRest))},
		{Code: "cel-compile", Title: "An expression that does not compile", Repair: "The mark stands at the wrong part. The detail says which names exist at this place.",
			Example: policies(validating(configMaps, "validations:\n- expression: objekt.metadata.name != 'x'"))},
		{Code: "cel-return-type", Title: "An expression of another type",
			Repair:  "Compare a field of the object with something, or convert it: object.spec.paused == true, string(object.metadata.name).",
			Example: policies(validating(configMaps, "validations:\n- expression: object.immutable"))},
		{Code: "cel-program", Title: "An expression that no program can be made of", Repair: "Look for conversions of constants that cannot work, such as int('x').",
			Example: policies(validating(configMaps, "validations:\n- expression: int('x') < 5"))},
		{Code: "already-exists", Title: "Created twice", Repair: "Rename or remove one.",
			Example: policies(plain, plain)},
		{Code: "not-served", Title: "A kind that this version does not have", Repair: "Choose a newer Kubernetes version, or the apiVersion that this one serves; the detail tells it.",
			Example: files("scenario.yaml", `kubernetes: "1.30"`, "policies.yaml", mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: 'Object{}'}"))},
		{Code: "later-version", Title: "A function of a later version",
			Repair:  "Write it without the function, or raise the oldest version that you support.",
			Example: files("scenario.yaml", `kubernetes: "1.30"`, "policies.yaml", validating(configMaps, "validations:\n- expression: isIP(object.data.address)"))},
		{Code: "no-kind", Title: "No apiVersion or no kind", Repair: "Add both. In the request the same code is for a missing field kind.",
			Example: policies("metadata: {name: example}\nspec: {}")},
		{Code: "duplicate-variable", Title: "Two variables of one name", Repair: "Rename one of them.",
			Example: policies(validating(configMaps, "variables:\n- {name: size, expression: '5'}\n- {name: size, expression: '6'}\n"+plainValidation))},
		{Code: "more-problems", Title: "More problems than are shown"},
	},
}

// annotations are 21 audit annotations, one more than the API allows.
var annotations = strings.Join(func() (lines []string) {
	for i := range 21 {
		lines = append(lines, fmt.Sprintf("- {key: a%d, valueExpression: \"'x'\"}\n", i+1))
	}
	return lines
}(), "")

var accepted = Group{
	Title: "What the API server accepts, but you should know",
	About: "The document is created. It may not do what was meant.",
	Entries: []Entry{
		{Code: "unknown-field", Title: "A field that the API does not have",
			Repair:  "Correct the name; the detail names the nearest one. In scenario.yaml and in an AdmissionReview an unknown field is an error.",
			Example: policies(validating(configMaps, "failurePolcy: Ignore\n"+plainValidation))},
		{Code: "off-by-default", Title: "A kind that must be switched on", Repair: "Enable the feature gate and the API on your clusters, or wait for the version that has it on.",
			Example: files("scenario.yaml", `kubernetes: "1.34"`, "policies.yaml", strings.Replace(mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: 'Object{}'}"), "k8s.io/v1\n", "k8s.io/v1beta1\n", 1))},
		{Code: "cluster-document", Title: "An object among the policies", Repair: "Nothing to repair; the cluster text is the place for it.",
			Example: policies("apiVersion: v1\nkind: Namespace\nmetadata: {name: one}")},
		{Code: "misplaced-document", Title: "A request among the policies", Repair: "Move it into the request text.",
			Example: policies("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest: {uid: a}")},
		{Code: "namespace-ignored", Title: "A namespace that has no effect", Repair: "Remove metadata.namespace. To apply a policy to some namespaces, use namespaceSelector.",
			Example: policies(named("example, namespace: shop", plain))},
		{Code: "resource-version", Title: "A document read from a cluster", Repair: "Remove metadata.resourceVersion before you create the document elsewhere.",
			Example: policies(named("example, resourceVersion: '42'", plain))},
		{Code: "policy-without-binding", Title: "A policy without a binding", Repair: "Add a binding whose spec.policyName is the name of the policy.",
			Example: policies(plain)},
		{Code: "binding-without-policy", Title: "A binding without a policy", Repair: "Correct spec.policyName.",
			Example: policies(validBind)},
		{Code: "params-not-bound", Title: "Params that are always null", Repair: "Give the binding a paramRef, or guard: params == null || ....",
			Example: policies(validating(configMaps, "paramKind: {apiVersion: v1, kind: ConfigMap}\n"+plainValidation), validBind)},
		{Code: "params-not-declared", Title: "A paramRef without effect", Repair: "Give the policy a paramKind.",
			Example: policies(plain, strings.Replace(validBind, "[Deny]}", "[Deny], paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}}", 1))},
		{Code: "webhook-without-rules", Title: "A webhook that is never called", Repair: "Add rules.",
			Example: policies(hook(hookClient + "\n" + hookRest))},
	},
}
