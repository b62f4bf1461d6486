package codes

import "slices"

// standing are the codes of Standing.
var standing = []string{
	AuthorCanSkip, UnsafeDefault, ContainersLeftOut, EphemeralLeftOut, PodLevelOnly, WorkloadsLeftOut, UpdateLeftOut, StatusLeftOut, ScaleLeftOut, LabelRemovable, DroppedByConversion, Overwrites, FailsWhenMissing, FailsWhenNull, FailsForKind, PolicyBlocksControlPlane, MissingParamField, MutationRejected,
	WebhookBlocksControlPlane, WebhookBlocksItself, WebhooksBlockEachOther, WebhookIgnoresFailures, WebhookLocalAddress,
	WebhookLongTimeout, WebhookMatchesEverything, WebhookMutatesThenValidates, WebhookSingleReplica, WebhookTimeoutsAddUp, WebhookWithoutBackend,
}

// Standing reports whether a code belongs to a finding about a configuration, independent of the
// request. It says nothing about the verdict.
func Standing(code string) bool { return slices.Contains(standing, code) }

// withoutEffect are the codes of WithoutEffect.
var withoutEffect = []string{AnnotationAlways, DroppedValue, KeepsObject, NearName, NearlyMatches, NoChange, RuleWithoutValue, SelectorNotApplied}

// WithoutEffect reports whether a code says why a policy, mutation or rule did nothing for a
// request.
func WithoutEffect(code string) bool { return slices.Contains(withoutEffect, code) }
