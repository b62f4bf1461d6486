package version

import (
	"cmp"
	"fmt"
	"strings"
)

// Behaviour is something that API servers do on some of the supported versions but not on others.
// Code that depends on it reads
//
//	if v.Has(version.PodGeneration) { ... }
type Behaviour int

// The behaviours, by part of the server. The table below describes each.
const (
	// Request handling.
	ExemptMutatingPolicies Behaviour = iota
	ExemptReviews
	MissingSelectorErrors
	NamespaceFromAPI
	AuthorizerNames

	// CEL.
	LibraryCosts
	CostOfSoughtText
	SearchBehindEnd
	NegativeRangeErrors
	KeywordFieldNames
	BacktickTokens
	BacktickFields
	TypedInputs
	TypedPatchValues
	TypeNamesInErrors
	SyntaxErrorsVerbatim
	FormatLabelKeys
	PlainExponents

	// Evaluation of policies and webhooks.
	OptionalListKeys
	DuplicatesInLive
	ObjectsInPatchLists
	TestForNothing
	ReplaceByScalarErrors
	UndecodablePatchFails
	WebhookClientLine
	AggregatedFailures

	// Objects.
	PodGeneration
	AutoscalerGeneration
	PodClassComputed
	ConversionBundles
	AppArmorFieldsOnly
	SpreadKeysMerged
	RelaxedServiceNames
	OmittedTimestamps
	PodResourcesAfterMutation
	ZeroTargetLeftOut
	EmbeddedFieldNames
	EndpointsDeprecated
	BrokenBudgetCauses
	TokenAccountUIDs
	DefinitionPreconditions

	// API validation of built-in kinds.
	DeclaredErrors
	StatefulSetFieldsNamed
	StatefulSetTemplates
	StatefulSetServiceNames
	StatefulSetHistories
	TemplateImagesRequired
	TargetVersions
	RoleRefImmutable
	ProcessNamespacePath
	EndPortShown
	ProviderIDsSet
	MaxReplicasRequired
	StorageClassImmutable
	HostUsersShort

	// Built-in admission plugins.
	UpdatesWithoutNamespace
	PodLevelResources
	ResizesCounted
	NodeLabelsOnPods
	ResizesFitNodes
	AttributesClasses
	AllocatedStorageCounts
	ScopeChangesCounted
	ClaimStatusCounted
	DevicesRequested
	KubeletCertificateNames
	MirrorPodClaims
	TokenAudiences
	MirrorPodReferences
	NodeOwnerReferences

	// Custom resources and their definitions.
	SelectableFields
	UnknownFormatsWarned
	TypedFormats
	NameFormats
	StatusRatcheting
	StoredVersionsExplained
	SelectableFieldsKept
	CompositeSetsWarned
	NameLengthsInEstimates
	RuleErrorsShowValue
	StatusPaths
	TypedOptionals
	NullFieldsEqual
	TypedSums
	FinalizerPathsWarned
	LibraryEquality
	LocalVariableSizes

	// Creation of policies and webhook configurations.
	ReservedNamesWarned
	ReservedNamesRefused
	ManifestSettings
	ManifestFiles
	WebhookAdmissionV1
	DeclaredChecks
	MatchResourcesSpelling
	JSONLists
	ShortFieldErrors
	LabelKeysInErrors
	OwnerReferenceIndex
	SingularLimits
	ByteLimits

	behaviours // their number
)

// behaviour is an entry of the table.
type behaviour struct {
	name   string // the identifier above
	period Period
	// text says what a server with the behaviour does. without says what a server without it does,
	// unless that is simply the opposite.
	text, without string
	// source is the rule's origin: a section of engine/semantics.md, a KEP, or "conformance", the
	// comparison with each release's API server packages. library is the library release that
	// introduced it.
	source, library string
	// patched is the patch release of each minor version that introduced the behaviour, if it was
	// not in the first release. A version means its newest patch release.
	patched map[int]int
	// wording marks a behaviour that only changes a message's words.
	wording bool
	// follows is the behaviour that implies this one, if no code checks it.
	follows string
	// data is the behaviour's line in engine/internal/kube/catalog/data, if no code checks it.
	data string
}

var table = [behaviours]behaviour{
	ExemptMutatingPolicies: {name: "ExemptMutatingPolicies", period: since(32), source: "semantics §4.6",
		text: "webhooks are not called for MutatingAdmissionPolicies and their bindings"},
	ExemptReviews: {name: "ExemptReviews", period: since(37), source: "semantics §4.6",
		text: "token and access reviews are not sent to webhooks"},
	MissingSelectorErrors: {name: "MissingSelectorErrors", period: since(35), source: "semantics §4.3",
		text: "a missing selector is an error", without: "it selected nothing"},
	NamespaceFromAPI: {name: "NamespaceFromAPI", period: since(32), source: "semantics §5.4", wording: true,
		text: "the error about a namespace that does not exist says `namespaces`", without: "it said `namespace`"},
	AuthorizerNames: {name: "AuthorizerNames", period: since(37), source: "conformance", wording: true,
		text: "the reason of an undecided authorizer begins with its name"},

	LibraryCosts: {name: "LibraryCosts", period: since(32), source: "semantics §12",
		text: "functions of the Kubernetes CEL libraries have their own costs", without: "such a call cost 1"},
	CostOfSoughtText: {name: "CostOfSoughtText", period: since(37), library: "cel-go 0.29",
		text: "`startsWith` and `endsWith` are charged by the prefix or suffix, and `matches(s, p)` costs the same as `s.matches(p)`"},
	SearchBehindEnd: {name: "SearchBehindEnd", period: since(32), library: "cel-go 0.22",
		text: "`indexOf` and `lastIndexOf` find nothing after the end of a string", without: "searching there was an error"},
	NegativeRangeErrors: {name: "NegativeRangeErrors", period: since(37), library: "cel-go 0.29",
		text: "`lists.range` of a negative number is an error", without: "it returned an empty list"},
	KeywordFieldNames: {name: "KeywordFieldNames", period: since(31), source: "semantics §12",
		text: "a declared type may have a field named like a CEL keyword"},
	BacktickTokens: {name: "BacktickTokens", period: since(33), library: "cel-go 0.23", wording: true,
		text: "CEL's parser knows field names in backticks", without: "a backtick was no token"},
	BacktickFields: {name: "BacktickFields", period: since(37), library: "cel-go 0.29",
		text: "CEL allows field names in backticks"},
	TypedInputs: {name: "TypedInputs", period: since(37), source: "semantics §1.5",
		text: "CEL sees built-in objects as the server's Go values: comparing a part of one with a value of another kind is an error", without: "it was false"},
	TypedPatchValues: {name: "TypedPatchValues", period: since(37), source: "semantics §1.5", follows: "TypedInputs",
		text: "CEL sees built-in objects as the server's Go values, which cannot be the value of a JSONPatch operation if the policy has match conditions"},
	TypeNamesInErrors: {name: "TypeNamesInErrors", period: since(32), source: "conformance", wording: true,
		text: "the error about an expression with a wrong type names that type"},
	SyntaxErrorsVerbatim: {name: "SyntaxErrorsVerbatim", period: since(33), library: "cel-go 0.23", wording: true,
		text: "a `%` in a CEL syntax error is shown unchanged", without: "it was read as a format verb"},
	FormatLabelKeys: {name: "FormatLabelKeys", period: since(34), source: "conformance", wording: true,
		text: "`format.qualifiedName` says label key", without: "it said qualified name"},
	PlainExponents: {name: "PlainExponents", period: since(33), source: "conformance", library: "golang.org/x/text 0.23",
		text: "`%e` in `format` writes `1.5×10³`", without: "narrow spaces were around the `×`"},

	OptionalListKeys: {name: "OptionalListKeys", period: since(34), library: "structured-merge-diff v6",
		text: "list items in an ApplyConfiguration may omit key fields"},
	DuplicatesInLive: {name: "DuplicatesInLive", period: since(35), source: "semantics §12",
		text: "ApplyConfiguration tolerates duplicate items in the changed object"},
	ObjectsInPatchLists: {name: "ObjectsInPatchLists", period: since(35), patched: map[int]int{35: 8, 36: 5}, source: "semantics §6.6",
		text: "a list or map with Object literals as a JSONPatch value does not crash the request"},
	TestForNothing: {name: "TestForNothing", period: since(35), library: "json-patch 4.13",
		text: "a JSON patch may `test` a missing path without a value", without: "it crashed the request"},
	ReplaceByScalarErrors: {name: "ReplaceByScalarErrors", period: since(35), library: "json-patch 4.13",
		text: "a JSON patch that replaces the whole object by a text, number or boolean is an error", without: "it did nothing"},
	UndecodablePatchFails: {name: "UndecodablePatchFails", period: since(34), source: "semantics §8.2",
		text: "a webhook's unreadable patch is a failed call, so `failurePolicy` decides", without: "it ended the request"},
	WebhookClientLine: {name: "WebhookClientLine", period: since(37), source: "conformance", wording: true,
		text: "the error about a webhook's unreadable answer names line 74 of the server's source", without: "it named line 71"},
	AggregatedFailures: {name: "AggregatedFailures", period: since(37), source: "semantics §7.5",
		text: "all failures of a request are in one audit annotation", without: "only the first was"},

	PodGeneration: {name: "PodGeneration", period: since(33), source: "KEP-5067",
		text: "Pods have a metadata.generation"},
	AutoscalerGeneration: {name: "AutoscalerGeneration", period: since(37), source: "conformance",
		text: "HorizontalPodAutoscalers have a metadata.generation"},
	PodClassComputed: {name: "PodClassComputed", period: since(37), source: "conformance",
		text: "the server computes the `qosClass` of a new Pod", without: "it kept one that the client sent"},
	ConversionBundles: {name: "ConversionBundles", period: since(31), source: "conformance",
		text: "an update of a CustomResourceDefinition may not set an unreadable `caBundle` for its conversion webhook"},
	AppArmorFieldsOnly: {name: "AppArmorFieldsOnly", period: since(34), source: "KEP-24",
		text: "a Pod's AppArmor profile fields are not copied to annotations", without: "they were"},
	SpreadKeysMerged: {name: "SpreadKeysMerged", period: since(34), source: "KEP-3243",
		text: "a new Pod's `topologySpreadConstraints` select by their `matchLabelKeys`", without: "the scheduler alone did"},
	RelaxedServiceNames: {name: "RelaxedServiceNames", period: since(36), source: "KEP-5311",
		text: "a Service's name may begin with a digit"},
	OmittedTimestamps: {name: "OmittedTimestamps", period: since(34), source: "semantics §12", data: "creationTimestamp?! Time @34-",
		text: "an unset creationTimestamp is omitted", without: "it was null"},
	PodResourcesAfterMutation: {name: "PodResourcesAfterMutation", period: since(37), source: "KEP-2837", data: "call pod-level-resources @34-36",
		text: "Pod-level resources are defaulted after the mutating phase"},
	ZeroTargetLeftOut: {name: "ZeroTargetLeftOut", period: since(36), source: "conformance",
		text: "a HorizontalPodAutoscaler in v1 with a target value of zero beside an average value has no target value in v2"},
	EmbeddedFieldNames: {name: "EmbeddedFieldNames", period: since(35), source: "sigs.k8s.io/json of July 2025", wording: true,
		text: "the error about a value of the wrong type names the embedded structs in its path"},
	EndpointsDeprecated: {name: "EndpointsDeprecated", period: since(33), source: "KEP-4974",
		text: "the server warns about Endpoints, which EndpointSlices replace"},
	BrokenBudgetCauses: {name: "BrokenBudgetCauses", period: since(37), source: "pkg/registry/core/pod/storage/eviction.go",
		text: "an eviction that a PodDisruptionBudget's broken status forbids has a cause"},
	TokenAccountUIDs: {name: "TokenAccountUIDs", period: since(34), source: "TokenRequestServiceAccountUIDValidation",
		text: "a token is refused for an account with another uid than the request's", without: "the server warned"},
	DefinitionPreconditions: {name: "DefinitionPreconditions", period: since(37), source: "conformance", wording: true,
		text: "the error about a precondition of a CustomResourceDefinition's deletion begins with a small letter"},

	DeclaredErrors: {name: "DeclaredErrors", period: since(37), source: "KEP-5073", wording: true,
		text: "errors that API types declare come after those of hand-written checks", without: "hand-written checks found them, and some named a value or a reason"},
	StatefulSetFieldsNamed: {name: "StatefulSetFieldsNamed", period: since(37), source: "pkg/apis/apps/validation", wording: true,
		text: "each changed field of a StatefulSet that is immutable has an error", without: "one error at `spec` listed the fields that may change"},
	StatefulSetTemplates: {name: "StatefulSetTemplates", period: since(34), source: "pkg/apis/apps/validation",
		text: "a StatefulSet's Pod template and claims are validated", without: "only its controller failed"},
	StatefulSetServiceNames: {name: "StatefulSetServiceNames", period: since(33), source: "pkg/apis/apps/validation",
		text: "the serviceName of a new StatefulSet must be valid"},
	StatefulSetHistories: {name: "StatefulSetHistories", period: since(33), source: "pkg/apis/apps/validation",
		text: "an update of a StatefulSet may change `revisionHistoryLimit`"},
	TemplateImagesRequired: {name: "TemplateImagesRequired", period: since(37), source: "pkg/apis/core/validation",
		text: "an image volume in a Pod template needs a reference", without: "only one in a Pod did"},
	TargetVersions: {name: "TargetVersions", period: since(34), source: "pkg/apis/autoscaling/validation",
		text: "the target of a HorizontalPodAutoscaler needs an apiVersion with a group"},
	RoleRefImmutable: {name: "RoleRefImmutable", period: since(37), source: "pkg/apis/rbac/validation", wording: true,
		text: "the error about a binding's changed roleRef says `field is immutable`", without: "it said `cannot change roleRef`"},
	ProcessNamespacePath: {name: "ProcessNamespacePath", period: since(37), source: "pkg/apis/core/validation", wording: true,
		text: "the error about `shareProcessNamespace` with `hostPID` has the field's path", without: "it named a field of `securityContext`"},
	EndPortShown: {name: "EndPortShown", period: since(37), source: "pkg/apis/networking/validation", wording: true,
		text: "the error about a NetworkPolicy's endPort shows it", without: "it showed the port"},
	ProviderIDsSet: {name: "ProviderIDsSet", period: since(37), source: "pkg/apis/core/validation", wording: true,
		text: "the error about a Node's changed providerID says `field cannot be modified once set`", without: "it said `node updates may not change providerID`"},
	MaxReplicasRequired: {name: "MaxReplicasRequired", period: since(36), source: "pkg/apis/autoscaling/validation", wording: true,
		text: "the error about a HorizontalPodAutoscaler without maxReplicas is `Required value`", without: "it was `Invalid value: 0`"},
	StorageClassImmutable: {name: "StorageClassImmutable", period: since(36), source: "pkg/apis/storage/validation", wording: true,
		text: "the error about a StorageClass's changed field says `field is immutable`", without: "it said that updates are forbidden"},
	HostUsersShort: {name: "HostUsersShort", period: since(34), source: "pkg/apis/core/validation", wording: true,
		text: "errors about Pods with `hostUsers: false` name that field", without: "they named `pod.Spec.HostUsers`"},

	UpdatesWithoutNamespace: {name: "UpdatesWithoutNamespace", period: since(37), source: "conformance",
		text: "an update in a Namespace that does not exist is not rejected by NamespaceLifecycle", without: "it was 404 Not Found"},
	PodLevelResources: {name: "PodLevelResources", period: since(34), source: "KEP-2837",
		text: "Pod-level resources count for LimitRanges, quotas and the quality of service"},
	ResizesCounted: {name: "ResizesCounted", period: since(32), source: "KEP-1287",
		text: "a Pod is resized through a subresource, which LimitRanges and quotas check"},
	NodeLabelsOnPods: {name: "NodeLabelsOnPods", period: since(35), source: "KEP-4742",
		text: "a Pod gets its node's zone and region as labels (PodTopologyLabels)"},
	ResizesFitNodes: {name: "ResizesFitNodes", period: since(36), source: "KEP-1287",
		text: "a resize beyond its node's free resources is rejected (PodResizeValidator)"},
	AttributesClasses: {name: "AttributesClasses", period: since(34), source: "KEP-3751",
		text: "VolumeAttributesClasses are protected while in use, and quotas can limit them"},
	AllocatedStorageCounts: {name: "AllocatedStorageCounts", period: since(32), source: "KEP-1790",
		text: "quotas count a claim's already allocated size"},
	ScopeChangesCounted: {name: "ScopeChangesCounted", period: since(33), source: "conformance",
		text: "quotas check updates that move a Pod into another scope by `activeDeadlineSeconds`", without: "only its creation"},
	ClaimStatusCounted: {name: "ClaimStatusCounted", period: since(33), source: "conformance",
		text: "quotas check updates of a claim's status"},
	DevicesRequested: {name: "DevicesRequested", period: since(36), source: "KEP-5004",
		text: "quotas also count a ResourceClaim's devices as extended resources"},
	KubeletCertificateNames: {name: "KubeletCertificateNames", period: since(31), source: "Kubernetes issue 126441",
		text: "NodeRestriction compares the name in a kubelet's certificate request"},
	MirrorPodClaims: {name: "MirrorPodClaims", period: since(32), source: "conformance",
		text: "NodeRestriction rejects mirror Pods with ResourceClaims"},
	TokenAudiences: {name: "TokenAudiences", period: since(33), source: "KEP-4412",
		text: "NodeRestriction compares the audience of a kubelet's token with the Pod's volumes"},
	MirrorPodReferences: {name: "MirrorPodReferences", period: since(34), source: "conformance",
		text: "NodeRestriction rejects mirror Pods with any volume that needs the API, and names the kind"},
	NodeOwnerReferences: {name: "NodeOwnerReferences", period: since(31), source: "CVE-2025-5187",
		text: "NodeRestriction keeps a node from changing its own ownerReferences"},

	SelectableFields: {name: "SelectableFields", period: since(31), source: "KEP-4358",
		text: "a CustomResourceDefinition can have selectableFields", without: "they were dropped"},
	UnknownFormatsWarned: {name: "UnknownFormatsWarned", period: since(34), source: "conformance",
		text: "an unknown format in a CustomResourceDefinition causes a warning"},
	TypedFormats: {name: "TypedFormats", period: since(36), source: "conformance",
		text: "number formats in a CustomResourceDefinition are checked", without: "only string formats were"},
	NameFormats: {name: "NameFormats", period: since(34), source: "conformance",
		text: "a default in a CustomResourceDefinition is checked by the formats `k8s-short-name` and `k8s-long-name`"},
	StatusRatcheting: {name: "StatusRatcheting", period: since(33), source: "conformance",
		text: "an update through a custom resource's `status` may keep unchanged violations", without: "only other updates could"},
	StoredVersionsExplained: {name: "StoredVersionsExplained", period: since(33), source: "conformance", wording: true,
		text: "the error about a CustomResourceDefinition without a storage version explains what to do"},
	SelectableFieldsKept: {name: "SelectableFieldsKept", period: since(35), source: "conformance",
		text: "an updated CustomResourceDefinition may keep too many selectableFields"},
	CompositeSetsWarned: {name: "CompositeSetsWarned", period: since(37), source: "conformance",
		text: "a set of objects or lists in a CustomResourceDefinition causes a warning"},
	NameLengthsInEstimates: {name: "NameLengthsInEstimates", period: since(37), source: "conformance",
		text: "the cost estimate of a CustomResourceDefinition rule knows the maximum length of metadata.name"},
	RuleErrorsShowValue: {name: "RuleErrorsShowValue", period: since(35), source: "conformance", wording: true,
		text: "the error of a failed custom resource rule shows a scalar's value, and nothing for other values", without: "it showed the name of the type"},
	StatusPaths: {name: "StatusPaths", period: since(31), source: "conformance", wording: true,
		text: "error paths in a custom resource's status begin with `status`"},
	TypedOptionals: {name: "TypedOptionals", period: since(37), source: "conformance", library: "cel-go 0.29",
		text:    "an optional `oldSelf` has the schema's types",
		without: "it is plain data: unknown fields in it make it unequal to `self`"},
	NullFieldsEqual: {name: "NullFieldsEqual", period: since(34), source: "conformance",
		text: "in a rule, an object with a null field can be equal to another one (`self == oldSelf`)", without: "it never was, not even to itself"},
	TypedSums: {name: "TypedSums", period: since(37), source: "conformance",
		text:    "rules can add lists and sets of times and durations; sets of objects fail with `listSet operations are only supported on lists of scalar values`",
		without: "such sums were unreadable, and sets of objects failed with `internal error: runtime error: hash of unhashable type`"},
	FinalizerPathsWarned: {name: "FinalizerPathsWarned", period: since(32), source: "conformance", wording: true,
		text: "the warning about a custom resource's finalizer without a path says so when the name has a dot"},
	LibraryEquality: {name: "LibraryEquality", period: since(32), source: "conformance",
		text: "the cost estimate of a rule charges 1 for `==` of quantities, addresses and other Kubernetes library values", without: "such values had no size limit, so the rule was rejected"},
	LocalVariableSizes: {name: "LocalVariableSizes", period: since(33), source: "conformance", library: "cel-go 0.23",
		text: "the cost estimate of a rule uses the size of the variable in `optMap`, and no limit where it is unknown", without: "it used the size of `self`"},

	ReservedNamesWarned: {name: "ReservedNamesWarned", period: Between(36, 36), source: "semantics §11.2",
		text: "a name that ends with `.static.k8s.io` causes a warning"},
	ReservedNamesRefused: {name: "ReservedNamesRefused", period: since(37), source: "semantics §11.2",
		text: "a name that ends with `.static.k8s.io` is rejected"},
	ManifestSettings: {name: "ManifestSettings", period: since(36), source: "KEP-5793",
		text: "the configuration of a policy or webhook plugin can name a `staticManifestsDir`"},
	ManifestFiles: {name: "ManifestFiles", period: since(37), source: "KEP-5793",
		text: "policies and webhooks are read from the files of a `staticManifestsDir`", without: "a server with that field did not start"},
	WebhookAdmissionV1: {name: "WebhookAdmissionV1", period: since(36), source: "conformance",
		text: "the configuration of webhook plugins must be v1", without: "v1alpha1 worked too"},
	DeclaredChecks: {name: "DeclaredChecks", period: since(37), source: "semantics §11.4", wording: true,
		text: "the error about a binding without policyName or validationActions comes last and has no detail"},
	MatchResourcesSpelling: {name: "MatchResourcesSpelling", period: since(32), source: "conformance", wording: true,
		text: "the errors of a binding name `spec.matchResources`", without: "they named `spec.matchResouces`"},
	JSONLists: {name: "JSONLists", period: since(34), source: "conformance", wording: true,
		text: "errors print lists as JSON", without: "they used Go syntax"},
	ShortFieldErrors: {name: "ShortFieldErrors", period: since(34), source: "conformance", wording: true,
		text: "errors do not repeat the field name", without: "they did, as in `kind must not be empty`"},
	LabelKeysInErrors: {name: "LabelKeysInErrors", period: since(35), source: "conformance", wording: true,
		text: "errors say label keys and bytes", without: "they said qualified names and characters"},
	OwnerReferenceIndex: {name: "OwnerReferenceIndex", period: since(37), source: "conformance", wording: true,
		text: "errors about an owner reference name it"},
	SingularLimits: {name: "SingularLimits", period: since(34), source: "conformance", wording: true,
		text: "errors about a limit of 1 say `1 byte` and `1 item`", without: "they said `1 bytes` and `1 items`"},
	ByteLimits: {name: "ByteLimits", period: since(32), source: "conformance", wording: true,
		text: "errors about long texts say `may not be more than` N bytes", without: "they said `may not be longer than`"},
}

func since(minor int) Period { return Period{since: minor} }

// Has reports whether API servers of this version have behaviour b.
func (v Version) Has(b Behaviour) bool { return table[b].period.Includes(v) }

// Behaviours lists all behaviours.
func Behaviours() []Behaviour {
	list := make([]Behaviour, behaviours)
	for i := range list {
		list[i] = Behaviour(i)
	}
	return list
}

// String returns the identifier, such as PodGeneration.
func (b Behaviour) String() string { return table[b].name }

// Since returns the first version with the behaviour.
func (b Behaviour) Since() Version { return Version{table[b].period.since} }

// Until returns the last version with the behaviour; the zero Version if the newest has it.
func (b Behaviour) Until() Version { return Version{table[b].period.until} }

// Text describes the behaviour in a sentence without capital and full stop, and the opposite
// behaviour if that is not obvious.
func (b Behaviour) Text() string { return strings.ReplaceAll(b.Markdown(), "`", "") }

// Markdown is Text with names of code between backticks.
func (b Behaviour) Markdown() string {
	e := table[b]
	text := e.text
	if e.library != "" {
		text += " (" + e.library + ")"
	}
	for _, v := range All() {
		if in := b.PatchedIn(v); in != "" {
			text += ", in " + v.String() + " from " + in + " on"
		}
	}
	if e.without != "" {
		text += "; before, " + e.without
	}
	return text
}

// PatchedIn returns the patch release of a version that introduced the behaviour, such as "1.36.5";
// empty if every release of that version has it, or none.
func (b Behaviour) PatchedIn(v Version) string {
	patch, ok := table[b].patched[v.minor]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s.%d", v, patch)
}

// Source returns the rule's origin: a section of engine/semantics.md, a KEP, a library release, or
// the comparison with each release's API server packages ("conformance").
func (b Behaviour) Source() string { return cmp.Or(table[b].source, table[b].library) }

// OnlyWording reports whether only a message's words differ.
func (b Behaviour) OnlyWording() bool { return table[b].wording }

// Data returns the behaviour's line in the catalog's data; empty if code checks it.
func (b Behaviour) Data() string { return table[b].data }

// Follows returns the behaviour that implies b, or nil.
func (b Behaviour) Follows() *Behaviour {
	for _, other := range Behaviours() {
		if table[b].follows != "" && other.String() == table[b].follows {
			return &other
		}
	}
	return nil
}
