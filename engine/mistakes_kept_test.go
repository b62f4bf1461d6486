package engine_test

import "testing"

// TestMistakesKept has mistakes that each have a rule of their own, in packages that only a whole
// scenario reaches: where the rates of the corpus would not fall below their bars by one, this fails.
func TestMistakesKept(t *testing.T) {
	for _, name := range []string{
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
	} {
		t.Run(name, func(t *testing.T) {
			if tried := readMistake(t, "testdata/mistakes/"+name+".txtar").try(t); tried.first != "" || tried.worse != "" {
				t.Errorf("the first repair: %s; worse: %s", tried.first, tried.worse)
			}
		})
	}
}
