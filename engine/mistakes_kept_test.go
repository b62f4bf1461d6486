package engine_test

import (
	"os"
	"testing"
)

// TestMistakesKept has mistakes that each have a rule of their own, in packages that only a whole
// scenario reaches: where the rates of the corpus would not fall below their bars by one, this fails.
func TestMistakesKept(t *testing.T) {
	for i, name := range []string{
		"cel-apply-ternary-without-object", "cel-audit-value-bare-word", "cel-comment-folded", "cel-comment-folded-silent", "cel-crd-all-in-items",
		"cel-gatekeeper-any-object", "cel-gatekeeper-params-variable", "cel-guard-choice-turned", "cel-guard-has-turned", "cel-jsonpatch-slash-in-key",
		"cel-jsonpatch-star-between", "cel-jsonpatch-star-index", "cel-old-null-turned", "cel-secret-string-data", "cel-secret-string-data-value",
		"yaml-crd-message-lines", "yaml-kyverno-mutating-policy", "yaml-kyverno-validating-policy", "yaml-name-placeholder-example", "yaml-response-old-review",
		"cel-late-crd-either-or", "cel-late-crd-immutable-on-create", "cel-late-jsonpatch-value-quoted-map", "cel-late-username-contains-case", "yaml-late-policy-name-with-namespace",
		"cel-map-op-merge", "cel-map-patch-from-value", "cel-crd-each-map-value", "cel-crd-url-scheme", "cel-inverted-label",
		"yaml-audit-annotation-names", "yaml-binding-param-kind", "yaml-condition-split", "yaml-crd-additional-false", "yaml-crd-field-path-root",
		"yaml-crd-list-map-keys", "yaml-crd-reason-immutable", "yaml-crd-schema-text", "yaml-rule-comma-resources",
		"cel-day-format-braces", "cel-day-format-d-of-text", "cel-day-ingress-tls-host", "cel-day-param-configmap-name", "cel-day-webhook-params",
		"cel-eve-all-init-plus", "cel-eve-message-percent", "cel-eve-or-strings-single", "yaml-eve-pasted-slack-bullets", "yaml-day-binding-namespaces", "yaml-day-group-version-both", "yaml-day-pasted-diff", "yaml-day-request-volume-secret-name",
		"cel-way-jq-alternative", "cel-way-jq-pipe-length", "cel-way-gotemplate-default", "cel-way-apply-spread", "cel-way-terraform-contains", "cel-way-terraform-can", "cel-way-rego-object-get", "cel-way-rego-some-in",
		"cel-way-kyverno-pattern-or", "cel-way-guard-and-should-or", "cel-way-guard-not-and", "cel-way-patch-item-appended", "cel-way-apply-env-as-map", "cel-way-image-latest-regex", "cel-way-unless", "cel-way-jq-select",
		"cel-way-jq-map-all", "cel-way-js-object-keys", "cel-way-js-regex-test", "cel-way-js-find-undefined", "cel-way-template-and", "cel-way-json-path-object", "cel-way-data-request", "cel-way-wildcard-macro",
		"cel-way-patch-guarded-object", "cel-way-flatten", "cel-way-config-map-name", "cel-way2-js-some-function", "cel-way2-js-triple-and-typeof", "cel-way2-bash-z", "cel-way2-helm-has-key", "cel-way2-map-apply-list-plus",
		"cel-way2-ports-in", "cel-way2-host-path-list", "cel-way2-python-any-list", "cel-way2-sql-is-not-null", "cel-way2-cpu-compare", "cel-way3-authorizer-verb", "cel-way3-concat-int", "cel-way3-map-append-env",
		"cel-way3-map-container-by-index", "cel-way3-map-ternary-missing", "cel-way3-size-of-optional", "cel-way3-ternary-bool", "cel-way3-exists-one-typo", "yaml-way2-expression-backtick", "yaml-way2-req-resources-flat",
		"yaml-way3-versions-number", "yaml-way3-req-probe-exec", "yaml-way3-req-tcp-probe", "yaml-way-request-env-map", "yaml-way-request-httpget-text", "yaml-way-request-probe-of-port", "yaml-way-request-envfrom-name",
		"yaml-way-response-pasted", "cel-way6-pointer-misspelt", "cel-way6-pointer-without-spec", "cel-way6-pointer-of-template", "cel-way6-pointer-labels", "cel-way6-apply-dotted-field", "cel-way6-apply-new", "cel-way6-apply-null-first", "cel-way6-apply-if-brackets",
		"yaml-way5-tab-in-block", "yaml-way5-curly-expression", "yaml-way5-param-namespace", "yaml-way-policies-object-without-version",
		"cel-hand-pointer-item-in-brackets", "cel-hand-pointer-of-path", "cel-hand-pointer-first-item",
		"cel-maps-item-of-list", "cel-maps-env-of-item", "cel-maps-context-of-variable", "cel-maps-items-of-variable",
		"cel-merges-empty-resources", "cel-merges-empty-labels", "cel-merges-empty-map",
		"cel-text-as-list-args-of-patch", "cel-text-as-list-args-of-literal", "cel-text-as-list-finalizers",
		"cel-none-map-value", "cel-none-or-value", "cel-none-variable", "cel-none-zero",
		"cel-wrong-date-first", "cel-wrong-get-or-default", "cel-wrong-group-compared", "cel-wrong-group-of-authenticated", "cel-wrong-host-anywhere", "cel-wrong-int-or-string-and", "cel-wrong-namespace-misspelt", "cel-wrong-operation-without-map", "cel-wrong-path-anywhere", "cel-wrong-rego-negated-number", "cel-wrong-star-negated", "cel-wrong-variables-turned", "yaml-wrong-object-selector-list", "yaml-wrong-params-of-another-namespace",
	} {
		if testing.Short() && os.Getenv("PREADMIT_FULL") != "1" && i%8 != 0 {
			continue // the rules are maps and strings, which are the same under js/wasm
		}
		t.Run(name, func(t *testing.T) {
			if tried := readMistake(t, "testdata/mistakes/"+name+".txtar").try(t); tried.first != "" || tried.worse != "" {
				t.Errorf("the first repair: %s; worse: %s", tried.first, tried.worse)
			}
		})
	}
}
