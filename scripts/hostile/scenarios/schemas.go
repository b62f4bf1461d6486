package scenarios

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// definition is a custom resource whose spec has a schema, in YAML, and a value.
func definition(schema, value string) scenario.Scenario {
	return scenario.Scenario{Cluster: crd("{type: object, properties: {spec: " + schema + "}}"), Request: "apiVersion: example.com/v1\nkind: X\nmetadata: {name: a, namespace: b}\nspec: " + value + "\n"}
}

// array is a custom resource with a list of n items.
func array(items, item string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return definition("{type: array, items: "+items+"}", "["+repeat(n, ", ", numbered(item))+"]")
	}
}

// schemas are checks of custom resources that take the square of something, or write much for each mistake.
func schemas() []Kind {
	enum := "{type: string, enum: [" + repeat(20_000, ", ", numbered("v#")) + "]}"
	alternatives := repeat(5_000, "|", numbered("alternative#"))
	any := func(n int, each string) string {
		return "{type: string, anyOf: [" + repeat(n, ", ", numbered(each)) + "]}"
	}
	nested := func(n int, inner string) string {
		return strings.Repeat("{type: object, properties: {a: ", n) + inner + strings.Repeat("}}", n)
	}
	return []Kind{
		{"schema-enum-misses", "items, of 20,000 values", 5_000, array(enum, "x#")},
		{"schema-enum-hits", "items, of 20,000 values", 5_000, array(enum, "v1999")},
		{"schema-enum-properties", "properties, of 500 values", 200, func(n int) scenario.Scenario {
			return definition("{type: object, properties: {"+repeat(n, ", ", numbered("p#: {type: string, enum: ["+repeat(500, ", ", numbered("v#"))+"]}"))+"}}", "{"+repeat(n, ", ", numbered("p#: x"))+"}")
		}},
		{"schema-pattern-misses", "items, of 5,000 alternatives", 3_000, array("{type: string, pattern: '^("+alternatives+")$'}", "x#")},
		{"schema-pattern-long-text", "bytes", 900_000, func(n int) scenario.Scenario {
			return definition("{type: string, pattern: '^((a|aa)*b){1,50}$'}", strings.Repeat("a", n))
		}},
		{"schema-errors", "mistakes", 20_000, array("{type: string}", "1")},
		{"schema-errors-lists", "lists of 150 mistakes", 150, func(n int) scenario.Scenario {
			return definition("{type: array, items: {type: array, items: {type: string}}}", "["+repeat(n, ", ", func(int) string { return "[" + strings.Repeat("1, ", 149) + "1]" })+"]")
		}},
		{"schema-errors-map", "mistakes", 20_000, func(n int) scenario.Scenario {
			return definition("{type: object, additionalProperties: {type: string}}", "{"+repeat(n, ", ", numbered("k#: 1"))+"}")
		}},
		{"schema-required", "items without 20 fields", 2_000, array("{type: object, required: ["+repeat(20, ", ", numbered("f#"))+"], properties: {"+repeat(20, ", ", numbered("f#: {type: string}"))+"}}", "{}")},
		{"schema-too-long", "mistakes", 20_000, array("{type: string, maxLength: 3}", "'"+strings.Repeat("x", 100)+"'")},
		{"schema-format", "items", 20_000, array("{type: string, format: date-time}", "x#")},
		{"schema-formats", "bytes", 900_000, func(n int) scenario.Scenario {
			return definition("{type: string, format: uri}", "'https://"+strings.Repeat("a", n)+"'")
		}},
		{"schema-any-of", "items, of 500 alternatives", 2_000, array(any(500, "{pattern: a#}"), "x#")},
		{"schema-one-of", "alternatives", 2_000, func(n int) scenario.Scenario {
			return definition("{type: object, properties: {a: {type: string}}, oneOf: ["+repeat(n, ", ", numbered("{required: [a], properties: {a: {enum: [v#]}}}"))+"]}", "{a: x}")
		}},
		{"schema-not", "levels", 40, func(n int) scenario.Scenario {
			return definition("{type: string, "+strings.Repeat("not: {", n)+"pattern: a"+strings.Repeat("}", n)+"}", "x")
		}},
		{"schema-unique-set", "items", 40_000, array("{type: string}", "same")},
		{"schema-set-objects-same", "items", 5_000, func(n int) scenario.Scenario {
			return definition("{type: array, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}, x-kubernetes-list-type: set}", "["+strings.Repeat("{a: x}, ", n)+"{a: x}]")
		}},
		{"schema-map-keys-same", "items", 20_000, func(n int) scenario.Scenario {
			return definition("{type: array, items: {type: object, required: [name], properties: {name: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}", "["+strings.Repeat("{name: x}, ", n)+"{name: x}]")
		}},
		{"schema-rules-deep", "levels with rules", 40, func(n int) scenario.Scenario {
			s := "{type: string, maxLength: 10}"
			v := "x"
			for i := range n {
				s = "{type: object, properties: {a: " + s + "}, x-kubernetes-validations: [{rule: 'has(self.a)', message: m" + fmt.Sprint(i) + "}]}"
				v = "{a: " + v + "}"
			}
			return definition(s, v)
		}},
		{"schema-rules-failing", "items", 3_000, array("{type: object, properties: {a: {type: string, maxLength: 10}}, x-kubernetes-validations: [{rule: 'self.a != \"b\"', messageExpression: \"'no ' + self.a\"}]}", "{a: b}")},
		{"schema-rules-text", "calls", 100_000, func(n int) scenario.Scenario {
			return definition(fmt.Sprintf("{type: string, maxLength: 1000000, x-kubernetes-validations: [{rule: 'lists.range(%d).all(i, self.charAt(i) != \"x\")'}]}", n), strings.Repeat("a", 500_000))
		}},
		{"schema-rules-message", "bytes", 900_000, func(n int) scenario.Scenario {
			return definition("{type: string, x-kubernetes-validations: [{rule: 'false', messageExpression: 'self + self'}]}", strings.Repeat("a", n))
		}},
		{"schema-defaults-deep", "levels", 60, func(n int) scenario.Scenario {
			return definition(strings.Replace(nested(n, "{type: array, items: {type: object, properties: {b: {type: string, default: x}}}}"), "properties", "default: {}, properties", n), "{}")
		}},
		{"schema-selectable-fields", "fields on one line", 5_000, func(n int) scenario.Scenario {
			s := definition("{type: object}", "{}")
			s.Cluster = strings.Replace(s.Cluster, "schema:", "selectableFields: ["+repeat(n, ", ", numbered("{jsonPath: .spec.a#}"))+"]\n    schema:", 1)
			return s
		}},
		{"schema-printer-columns", "columns", 5_000, func(n int) scenario.Scenario {
			s := definition("{type: string}", "a")
			s.Cluster = strings.Replace(s.Cluster, "schema:", "additionalPrinterColumns: ["+repeat(n, ", ", numbered("{name: c#, type: string, jsonPath: .spec}"))+"]\n    schema:", 1)
			return s
		}},
	}
}

// combined are inputs whose sizes multiply.
func combined() []Kind {
	hook := func(n int, patch string) scenario.Scenario {
		return scenario.Scenario{Policies: webhookConfiguration("Mutating", n, ", reinvocationPolicy: IfNeeded"),
			Cluster: repeat(n, "---\n", numbered("apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: w#.example.com}\nspec:\n  allowed: true\n  patch: ["+patch+"]\n")), Request: configMap(1000)}
	}
	patched := func(f func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", jsonPatch(f(n))), Request: configMap(10)}
		}
	}
	message := func(n int) string { return "'" + strings.Repeat("m", n) + "'" }
	return []Kind{
		{"combined-policies-bindings-params", "of each", 60, func(n int) scenario.Scenario {
			return scenario.Scenario{
				Policies: repeat(n, "", func(i int) string {
					name := fmt.Sprintf("p%d", i)
					return strings.Replace(validating(name, validation("params.data.a != object.metadata.name")), "spec:\n  match", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  match", 1) +
						repeat(n, "", func(j int) string {
							return fmt.Sprintf("---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b%d-%d}\nspec: {policyName: %s, validationActions: [Deny], paramRef: {selector: {}, namespace: b, parameterNotFoundAction: Deny}}\n", i, j, name)
						})
				}),
				Cluster: repeat(n, "", numbered("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#, namespace: b}\ndata: {a: b}\n")),
				Request: pod,
			}
		}},
		{"combined-hooks-patches", "webhooks with patches", 300, func(n int) scenario.Scenario { return hook(n, "{op: add, path: /metadata/labels, value: {a: b}}") }},
		{"combined-hooks-growing", "webhooks", 40, func(n int) scenario.Scenario {
			return hook(n, "{op: add, path: /data/l, value: [a, b]}, {op: copy, from: /data, path: /data/c}")
		}},
		{"combined-hooks-index", "webhooks", 50, func(n int) scenario.Scenario {
			return hook(n, "{op: add, path: /data/999999999999999999999, value: a}, {op: remove, path: /data/k/99999999}")
		}},
		{"combined-hooks-warnings", "webhooks of 1,000 warnings", 50, func(n int) scenario.Scenario {
			s := hook(n, "")
			s.Cluster = strings.ReplaceAll(s.Cluster, "  patch: []\n", "  warnings: ["+repeat(1000, ", ", numbered("warning #"))+"]\n")
			return s
		}},
		{"combined-patch-index", "digits", 10_000, patched(func(n int) string {
			return "[JSONPatch{op: 'add', path: '/data/l', value: []}, JSONPatch{op: 'add', path: '/data/l/" + strings.Repeat("9", n) + "', value: 'a'}]"
		})},
		{"combined-patch-index-large", "operations", 5_000, patched(func(n int) string {
			return fmt.Sprintf("[JSONPatch{op: 'add', path: '/data/l', value: []}] + lists.range(%d).map(i, JSONPatch{op: 'add', path: '/data/l/2147483647', value: 'a'})", n)
		})},
		{"combined-patch-paths", "bytes of a path", 90_000, patched(func(n int) string {
			return "[JSONPatch{op: 'add', path: '/data/" + strings.Repeat("~1", n/2) + "', value: 'a'}]"
		})},
		{"combined-patch-escape", "bytes", 90_000, patched(func(n int) string {
			return "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('" + strings.Repeat("~", n) + "'), value: 'a'}]"
		})},
		{"combined-patch-deep-values", "levels", 150, patched(func(n int) string {
			return "[JSONPatch{op: 'add', path: '/data/l', value: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "}]"
		})},
		{"combined-messages", "validations with a message of 1 kB", 500, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", "validations:\n"+repeat(n, "", func(i int) string {
				return fmt.Sprintf("- {expression: 'false', messageExpression: \"%s + '%d'\"}\n", message(1000), i)
			})), Request: pod}
		}},
		{"combined-message-megabytes", "bytes", 1_000_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", "validations: [{expression: 'false', messageExpression: \"object.data.big + object.data.big + object.data.big\"}]"), Request: bigText(n, "m")}
		}},
		{"combined-message-literal", "bytes", 1_000_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", "validations: [{expression: 'false', message: "+message(n)+"}]"), Request: pod}
		}},
		{"combined-audit", "policies with 20 annotations of 1 kB", 100, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: repeat(n, "", func(i int) string {
				return validating(fmt.Sprintf("p%d", i), validation("true")+"\nauditAnnotations:\n"+repeat(20, "", numbered("- {key: k#, valueExpression: \""+message(1000)+"\"}\n")))
			}), Request: pod}
		}},
		{"combined-audit-large", "bytes", 900_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("true")+"\nauditAnnotations: [{key: a, valueExpression: 'object.data.big + object.data.big'}]"), Request: bigText(n, "m")}
		}},
		{"combined-groups-roles", "groups, bindings and rules", 900, func(n int) scenario.Scenario {
			return scenario.Scenario{
				Policies: validating("p", validation("lists.range(100).all(i, authorizer.group('').resource('pods').namespace('n' + string(i)).check('get').allowed() || true)")),
				Cluster: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules:\n" + strings.Repeat("- {apiGroups: [''], resources: [secrets], verbs: [watch]}\n", n) +
					repeat(n, "", numbered("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b#}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\nsubjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: g#}]\n")),
				Request: `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"a","kind":{"group":"","version":"v1","kind":"ConfigMap"},"resource":{"group":"","version":"v1","resource":"configmaps"},"name":"a","namespace":"b","operation":"CREATE","userInfo":{"username":"u","groups":[` + repeat(n, ",", numbered(`"g#"`)) + `]},"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"}}}}`,
			}
		}},
		{"combined-namespaces-selectors", "namespaces, and labels of each", 300, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("namespaceObject.metadata.labels.all(k, k != '')")), Cluster: repeat(n, "", func(i int) string {
				return fmt.Sprintf("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n%d, labels: {%s}}\n", i, repeat(100, ", ", numbered("l#: v")))
			}), Request: strings.Replace(pod, "namespace: b", "namespace: n0", 1)}
		}},
		{"combined-unicode-names", "bytes", 900_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("object.metadata.name != 'x'")), Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"" + strings.Repeat(`\u202e`, n/6) + "\", namespace: b}\n"}
		}},
		{"combined-unicode-keys", "keys", 20_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("object.data.all(k, k != '')")), Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata:\n" + repeat(n, "", numbered("  \"\\U0001F600\\u0301#\": v\n"))}
		}},
		{"combined-similar-names", "names that are unknown", 3_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation(repeat(n, " && ", numbered("objekt#.metadata == 1")))), Request: pod}
		}},
	}
}
