package scenarios

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

func webhookConfiguration(kind string, n int, more string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: " + kind + "WebhookConfiguration\nmetadata: {name: w}\nwebhooks:\n" + repeat(n, "", func(i int) string {
		return fmt.Sprintf("- {name: w%d.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: 'https://x'}, rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]%s}\n", i, more)
	})
}

func webhookResponse(body string) string {
	return "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: w0.example.com}\n" + body
}

// webhooks are webhooks and what they answer.
func webhooks() []Kind {
	answered := func(f func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: webhookConfiguration("Mutating", 1, ""), Cluster: webhookResponse("response:\n  allowed: true\n" + f(n)), Request: configMap(10)}
		}
	}
	return []Kind{
		{"webhooks", "webhooks", 8_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: webhookConfiguration("Validating", n, ""), Request: pod}
		}},
		{"webhooks-mutating", "webhooks", 8_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: webhookConfiguration("Mutating", n, ", reinvocationPolicy: IfNeeded"), Request: configMap(1000)}
		}},
		{"webhooks-conditions", "webhooks", 2_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: webhookConfiguration("Validating", n, ", matchConditions: [{name: a, expression: 'object.metadata.name != \"x\"'}]"), Request: pod}
		}},
		{"webhook-patch-copy", "copies", 26, answered(func(n int) string {
			return "  patch:\n  - {op: add, path: /data/l, value: [a, b]}\n" + strings.Repeat("  - {op: copy, from: /data/l, path: /data/l/-}\n", n)
		})},
		{"webhook-patch-operations", "operations", 50_000, answered(func(n int) string {
			return "  patch:\n" + repeat(n, "", numbered("  - {op: add, path: /data/x#, value: a}\n"))
		})},
		{"webhook-warnings", "warnings", 100_000, answered(func(n int) string { return "  warnings:\n" + repeat(n, "", numbered("  - warning #\n")) })},
		{"webhook-annotations", "annotations", 50_000, answered(func(n int) string {
			return "  auditAnnotations:\n" + repeat(n, "", numbered("    k#: v\n"))
		})},
		{"webhook-responses", "responses", 990, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: webhookConfiguration("Validating", n, ""), Cluster: repeat(n, "---\n", numbered("apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: w#.example.com}\nresponse: {allowed: true}\n")), Request: pod}
		}},
	}
}

// roles are RBAC.
func roles() []Kind {
	ask := validating("p", validation("authorizer.group('').resource('pods').check('get').allowed() || true"))
	asked := func(f func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: ask, Cluster: f(n), Request: pod}
		}
	}
	role := "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r#, labels: {x: y}}\nrules:\n"
	rule := "- {apiGroups: [''], resources: [secrets], verbs: [watch]}\n"
	return []Kind{
		{"rbac-rules", "roles of 100 rules", 450, asked(func(n int) string { return repeat(n, "", numbered(role+strings.Repeat(rule, 100))) })},
		{"rbac-one-role", "rules", 45_000, asked(func(n int) string { return numbered(role)(0) + strings.Repeat(rule, n) })},
		{"rbac-wrong-rules", "rules", 20_000, asked(func(n int) string { return numbered(role)(0) + strings.Repeat("- {verbs: []}\n", n) })},
		{"rbac-names", "names", 50_000, asked(func(n int) string {
			return numbered(role)(0) + "- {apiGroups: [''], resources: [pods], verbs: [get], resourceNames: [" + repeat(n, ", ", numbered("n#")) + "]}\n"
		})},
		{"rbac-bindings", "bindings", 990, asked(func(n int) string {
			return repeat(n, "", numbered("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b#}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: u#}]\n"))
		})},
		{"rbac-subjects", "subjects", 40_000, asked(func(n int) string {
			return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects:\n" + repeat(n, "", numbered("- {apiGroup: rbac.authorization.k8s.io, kind: User, name: u#}\n"))
		})},
		{"rbac-aggregated", "roles", 900, asked(func(n int) string {
			return repeat(n, "", numbered(role+rule)) + repeat(min(n, 90), "", numbered("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: g#, labels: {x: y}}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {x: y}}]}\n"))
		})},
		{"rbac-aggregated-rules", "roles of 50 rules", 300, asked(func(n int) string {
			return repeat(n, "", numbered(role+strings.Repeat(rule, 50))) + repeat(n, "", numbered("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: g#, labels: {x: y}}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {x: y}}]}\n"))
		})},
		{"rbac-groups", "groups of the user", 50_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: ask, Request: `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"a","kind":{"group":"","version":"v1","kind":"ConfigMap"},"resource":{"group":"","version":"v1","resource":"configmaps"},"name":"a","namespace":"b","operation":"CREATE","userInfo":{"username":"u","groups":[` +
				repeat(n, ",", numbered(`"g#"`)) + `]},"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"}}}}`}
		}},
	}
}

func crd(schema string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: xs, singular: x, kind: X, listKind: XList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema: " + schema + "\n"
}

// customResources are definitions and their objects.
func customResources() []Kind {
	head := "apiVersion: example.com/v1\nkind: X\nmetadata: {name: a, namespace: b}\n"
	of := func(schema, object func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: crd(schema(n)), Request: head + object(n)}
		}
	}
	fixed := func(s string) func(int) string { return func(int) string { return s } }
	items := func(item string) func(int) string {
		return func(n int) string { return "spec:\n" + repeat(n, "", numbered("- "+item+"\n")) }
	}
	spec := func(s string) string { return "{type: object, properties: {spec: " + s + "}}" }
	return []Kind{
		{"crd-defaults", "items, of 1,000 defaults", 20_000, of(fixed(spec("{type: array, items: {type: object, properties: {"+repeat(1000, ", ", numbered("p#: {type: string, default: x}"))+"}}}")), items("{}"))},
		{"crd-defaults-text", "items, of a default of 10 kB", 20_000, of(fixed(spec("{type: array, items: {type: object, properties: {p: {type: string, default: "+strings.Repeat("x", 10_000)+"}}}}")), items("{}"))},
		{"crd-defaults-nested", "levels", 60, of(func(n int) string {
			return spec(strings.Repeat("{type: object, default: {}, properties: {a: ", n) + "{type: string, default: x}" + strings.Repeat("}}", n))
		}, fixed("spec: {}\n"))},
		{"crd-defaults-map", "entries, of 100 defaults", 50_000, of(fixed(spec("{type: object, additionalProperties: {type: object, properties: {"+repeat(100, ", ", numbered("p#: {type: string, default: x}"))+"}}}")), func(n int) string {
			return "spec:\n" + repeat(n, "", numbered("  k#: {}\n"))
		})},
		{"crd-properties", "properties", 30_000, of(func(n int) string {
			return spec("{type: object, properties: {" + repeat(n, ", ", numbered("p#: {type: string}")) + "}}")
		}, fixed("spec: {p0: a}\n"))},
		{"crd-deep", "levels", 60, of(func(n int) string {
			return spec(strings.Repeat("{type: object, properties: {a: ", n) + "{type: string}" + strings.Repeat("}}", n))
		}, fixed("spec: {}\n"))},
		{"crd-rules", "items", 2_000, of(fixed(spec("{type: array, maxItems: 5000, items: {type: string, maxLength: 100}, x-kubernetes-validations: [{rule: 'self.all(a, self.all(b, a != b || a == b))'}]}")), items("v#"))},
		{"crd-rules-unbounded", "items", 5_000, of(fixed(spec("{type: array, items: {type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: 'self.a != \"\"'}]}}")), items("{a: b}"))},
		{"crd-many-rules", "rules", 2_000, of(func(n int) string {
			return spec("{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [" + repeat(n, ", ", numbered("{rule: 'has(self.a) || # == 0'}")) + "]}")
		}, fixed("spec: {a: b}\n"))},
		{"crd-enum", "values", 20_000, of(func(n int) string {
			return spec("{type: array, items: {type: string, enum: [" + repeat(n, ", ", numbered("v#")) + "]}}")
		}, func(n int) string { return items("v0")(min(n, 1000)) })},
		{"crd-pattern", "items", 5_000, of(fixed(spec("{type: array, items: {type: string, pattern: '^(a|aa)*(b{1,900})$'}}")), items(strings.Repeat("a", 500)))},
		{"crd-list-map", "items", 50_000, of(fixed(spec("{type: array, items: {type: object, required: [name], properties: {name: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}")), items("{name: n#}"))},
		{"crd-list-set", "items", 50_000, of(fixed(spec("{type: array, items: {type: string}, x-kubernetes-list-type: set}")), items("v#"))},
		{"crd-list-set-objects", "items", 10_000, of(fixed(spec("{type: array, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}, x-kubernetes-list-type: set}")), items("{a: v#}"))},
		{"crd-any-of", "alternatives", 500, of(func(n int) string {
			return spec("{type: object, properties: {a: {type: string}}, anyOf: [" + repeat(n, ", ", numbered("{required: [x#]}")) + "]}")
		}, fixed("spec: {a: b}\n"))},
		{"crd-wrong-items", "mistakes", 50_000, of(fixed(spec("{type: array, items: {type: integer}}")), items("x"))},
		{"crd-unknown-fields", "fields", 50_000, of(fixed(spec("{type: object, properties: {a: {type: string}}}")), func(n int) string { return "spec:\n" + repeat(n, "", numbered("  x#: 1\n")) })},
		{"crd-preserved", "fields", 100_000, of(fixed(spec("{type: object, x-kubernetes-preserve-unknown-fields: true}")), func(n int) string { return "spec:\n" + repeat(n, "", numbered("  x#: 1\n")) })},
		{"crds", "definitions", 900, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: repeat(n, "", func(i int) string {
				return "---\n" + strings.NewReplacer("xs", fmt.Sprintf("xs%d", i), "kind: X", fmt.Sprintf("kind: X%d", i), "XList", fmt.Sprintf("X%dList", i), "singular: x", fmt.Sprintf("singular: x%d", i)).Replace(crd(spec("{type: string}")))
			}), Request: pod}
		}},
		{"crd-objects", "objects of the cluster", 900, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: crd(spec("{type: array, maxItems: 100, items: {type: string, maxLength: 10, default: ''}, x-kubernetes-validations: [{rule: 'self.all(a, self.all(b, a != b || a == b))'}]}")) + repeat(n, "", func(i int) string {
				return fmt.Sprintf("---\napiVersion: example.com/v1\nkind: X\nmetadata: {name: a%d, namespace: b}\nspec: [%s]\n", i, repeat(100, ", ", numbered("v#")))
			}), Request: pod}
		}},
	}
}

// objects are large requests.
func objects() []Kind {
	meta := func(field string) func(int) string {
		return func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b\n  " + field + ":\n" + repeat(n, "", numbered("    k#: v#\n"))
		}
	}
	podOf := func(list, item string) func(int) string {
		return func(n int) string {
			containers := "  containers: [{name: a, image: b}]\n"
			if list == "containers" {
				containers = ""
			}
			return "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec:\n" + containers + "  " + list + ":\n" + repeat(n, "", numbered("  - "+item+"\n"))
		}
	}
	update := func(before, after func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			review := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"a","kind":{"group":"","version":"v1","kind":"ConfigMap"},"resource":{"group":"","version":"v1","resource":"configmaps"},"name":"a","namespace":"b","operation":"UPDATE","userInfo":{"username":"u"},"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"},` + after(n) + `},"oldObject":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"},` + before(n) + `}}}`
			return scenario.Scenario{Policies: validating("p", validation("object != oldObject")), Request: review}
		}
	}
	data := func(format string) func(int) string {
		return func(n int) string { return `"data":{` + repeat(n, ",", numbered(format)) + "}" }
	}
	return []Kind{
		{"labels", "labels", 50_000, request(meta("labels"))},
		{"annotations", "annotations", 50_000, request(meta("annotations"))},
		{"finalizers", "finalizers", 50_000, request(func(n int) string {
			return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b\n  finalizers:\n" + repeat(n, "", numbered("  - a/f#\n"))
		})},
		{"containers", "containers", 20_000, request(podOf("containers", "{name: c#, image: b, resources: {requests: {cpu: 1m}}}"))},
		{"containers-same-name", "containers", 20_000, request(podOf("containers", "{name: c, image: b}"))},
		{"volumes", "volumes", 30_000, request(podOf("volumes", "{name: v#, emptyDir: {}}"))},
		{"tolerations", "tolerations", 30_000, request(podOf("tolerations", "{key: k#, operator: Exists}"))},
		{"quantities", "exponent", 999_999_999, request(func(n int) string {
			return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: b, resources: {requests: {cpu: '1e%d', memory: '1e%d'}, limits: {cpu: '1e-%d'}}}]}\n", n, n, n)
		})},
		{"quantity-digits", "digits", 1_000_000, request(func(n int) string {
			return "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: b, resources: {requests: {cpu: '" + strings.Repeat("9", n) + "'}}}]}\n"
		})},
		{"update", "keys", 50_000, update(data(`"k#":"a"`), data(`"k#":"b"`))},
		{"update-renamed", "keys", 50_000, update(data(`"k#":"a"`), data(`"l#":"a"`))},
		{"limit-ranges", "objects", 990, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: repeat(n, "", numbered("---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l#, namespace: b}\nspec: {limits: [{type: Container, default: {cpu: 1}, defaultRequest: {cpu: 1m}}]}\n")), Request: podOf("containers", "{name: c#, image: b}")(500)}
		}},
		{"resource-quotas", "objects", 990, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: repeat(n, "", numbered("---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q#, namespace: b}\nspec: {hard: {pods: 10, cpu: 1}}\n")), Request: podOf("containers", "{name: c#, image: b}")(500)}
		}},
		{"settings", "plugins", 100_000, func(n int) scenario.Scenario {
			s := scenario.Scenario{Request: pod}
			s.Kubernetes = strings.Repeat("1", n)
			return s
		}},
	}
}
