package install

// Code is the name of a kind of diagnostic, and what it means.
type Code struct {
	Code    string
	Meaning string
}

// The codes of what the API server refuses.
const (
	CodeDecode         = "wrong-type"
	CodeRequired       = "required-value"
	CodeUnsupported    = "unsupported-value"
	CodeDuplicate      = "duplicate-value"
	CodeTooMany        = "too-many"
	CodeName           = "invalid-name"
	CodeReservedName   = "reserved-name"
	CodeMetadata       = "invalid-metadata"
	CodeSelector       = "invalid-selector"
	CodeRule           = "invalid-rule"
	CodeParamKind      = "invalid-param-kind"
	CodeParamRef       = "invalid-param-ref"
	CodeVariableName   = "invalid-variable-name"
	CodeMessage        = "invalid-message"
	CodeActions        = "conflicting-actions"
	CodeMutation       = "mutation-body"
	CodeTimeout        = "invalid-timeout"
	CodeReviewVersions = "review-versions"
	CodeWebhookURL     = "webhook-url"
	CodeWebhookService = "webhook-service"
	CodeCompile        = "cel-compile"
	CodeReturnType     = "cel-return-type"
	CodeProgram        = "cel-program"
	CodeExists         = "already-exists"
	CodeNotServed      = "not-served"
)

// The codes of what the server accepts, with a warning or in silence, and of
// documents that are not for it.
const (
	CodeUnknownField      = "unknown-field"
	CodeLaterVersion      = "later-version"
	CodeOffByDefault      = "off-by-default"
	CodeDuplicateVariable = "duplicate-variable"
	CodeNoKind            = "no-kind"
	CodeClusterDocument   = "cluster-document"
	CodeMisplaced         = "misplaced-document"
	CodeNamespaceIgnored  = "namespace-ignored"
	CodeResourceVersion   = "resource-version"
	CodeNoBinding         = "policy-without-binding"
	CodeNoPolicy          = "binding-without-policy"
	CodeNoParamRef        = "params-not-bound"
	CodeNoParamKind       = "params-not-declared"
	CodeNoRules           = "webhook-without-rules"
	CodeMore              = "more-problems"
)

// Codes lists every code of this package, for the documentation.
var Codes = []Code{
	{CodeDecode, "A value has another type than the field: the server refuses the document with 400. YAML 1.1 reads yes, on, 0o17 and the like as booleans and numbers; quotes make them strings."},
	{CodeRequired, "A field that must be set is missing or empty."},
	{CodeUnsupported, "The field knows a fixed set of values, and this is none of them. Upper and lower case count."},
	{CodeDuplicate, "A value that must be unique in its list occurs twice."},
	{CodeTooMany, "A list has more items than the API allows: 64 match conditions, 20 audit annotations."},
	{CodeName, "A name does not have the form that the API demands."},
	{CodeReservedName, "Names that end with .static.k8s.io are kept for admission configuration from manifest files."},
	{CodeMetadata, "A label, an annotation, an owner reference or a finalizer is malformed."},
	{CodeSelector, "A label selector is malformed."},
	{CodeRule, "A rule is malformed, or lists further entries beside a wildcard that covers them."},
	{CodeParamKind, "spec.paramKind is not the apiVersion and kind of an object."},
	{CodeParamRef, "spec.paramRef must name params either by name or by selector."},
	{CodeVariableName, "The name of a variable must be a CEL identifier and no reserved word."},
	{CodeMessage, "A message must be one line that is not blank."},
	{CodeActions, "Deny and Warn exclude each other: both would tell the client the same."},
	{CodeMutation, "A mutation has a body that does not belong to its patchType."},
	{CodeTimeout, "The timeout of a webhook is 1 to 30 seconds."},
	{CodeReviewVersions, "admissionReviewVersions must list versions, each once, and one that the server knows."},
	{CodeWebhookURL, "The URL of a webhook must be https://host[/path]."},
	{CodeWebhookService, "The service of a webhook has an impossible port or path."},
	{CodeCompile, "A CEL expression does not compile: a syntax error, an unknown name, or operands of the wrong type."},
	{CodeReturnType, "A CEL expression compiles, but its type is not the one that its place demands. dyn is not enough."},
	{CodeProgram, "A CEL expression compiles, but no program can be made of it, for example because a constant overflows."},
	{CodeExists, "An earlier document has the same kind and name, so creating this one fails with 409."},
	{CodeNotServed, "This version of Kubernetes does not serve the kind in this apiVersion."},
	{CodeUnknownField, "The API has no such field. The server drops it with a warning; kubectl, which asks for strict validation, refuses the document."},
	{CodeLaterVersion, "The function exists, but only in later versions of Kubernetes."},
	{CodeOffByDefault, "The kind is only served when a feature gate and a runtime configuration switch it on. It is evaluated as if they did."},
	{CodeDuplicateVariable, "Two variables of a policy have the same name. The API server accepts that, but evaluating it can crash the server; Preadmit does not evaluate such a policy."},
	{CodeNoKind, "The document has no apiVersion or no kind, so nobody can tell what it is."},
	{CodeClusterDocument, "The document is no admission configuration; it is taken as part of the cluster."},
	{CodeMisplaced, "The document is a request and belongs into the request text; it is ignored here."},
	{CodeNamespaceIgnored, "The kind is cluster-scoped; the server drops metadata.namespace."},
	{CodeResourceVersion, "The server refuses to create an object with a resourceVersion. The document is taken as one that was read from a cluster."},
	{CodeNoBinding, "A policy has no effect until a binding names it."},
	{CodeNoPolicy, "The binding names a policy that does not exist, so it has no effect."},
	{CodeNoParamRef, "The policy has a paramKind but the binding names no params: `params` is null in every expression."},
	{CodeNoParamKind, "The binding names params but the policy has no paramKind: the server ignores the paramRef."},
	{CodeNoRules, "The webhook has no rules, so it is never called."},
	{CodeMore, "One document has so many problems that only the first hundred are shown."},
}
