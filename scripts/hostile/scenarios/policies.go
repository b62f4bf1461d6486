package scenarios

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// many are n policies of one kind.
func many(kind func(name, spec string) string, spec string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: repeat(n, "", func(i int) string { return kind(fmt.Sprintf("p%d", i), spec) }), Request: configMap(100)}
	}
}

// parametrised has n bindings, each with n params.
func parametrised(kind, spec string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		actions := ", validationActions: [Deny]"
		if kind != "Validating" {
			actions = ""
		}
		policy := fmt.Sprintf("apiVersion: admissionregistration.k8s.io/v1\nkind: %sAdmissionPolicy\nmetadata: {name: p}\nspec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  reinvocationPolicy: IfNeeded\n  %s\n%s", kind, everything, indented(spec))
		if kind == "Validating" {
			policy = strings.Replace(policy, "  reinvocationPolicy: IfNeeded\n", "", 1)
		}
		return scenario.Scenario{
			Policies: policy + repeat(n, "", func(i int) string {
				return fmt.Sprintf("---\napiVersion: admissionregistration.k8s.io/v1\nkind: %sAdmissionPolicyBinding\nmetadata: {name: b%d}\nspec: {policyName: p, paramRef: {selector: {}, namespace: b, parameterNotFoundAction: Deny}%s}\n", kind, i, actions)
			}),
			Cluster: repeat(n, "", numbered("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#, namespace: b}\ndata: {a: b}\n")),
			Request: pod,
		}
	}
}

// policies are many policies, or policies of many parts.
func policies() []Kind {
	list := func(field, item string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			spec := field + ":\n" + repeat(n, "", numbered(item+"\n"))
			if field != "validations" {
				spec += validation("true")
			}
			return scenario.Scenario{Policies: validating("p", spec), Request: pod}
		}
	}
	rule := func(n int, field string) string {
		return "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods']}\n" + field + "  " + validation("true") + "\n" + binding("Validating", "p")
	}
	return []Kind{
		{"policies", "policies", 5_000, many(validating, validation("true"))},
		{"policies-quadratic", "policies", 450, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: repeat(n, "", func(i int) string {
				return validating(fmt.Sprintf("p%d", i), validation("object.data.all(a, object.data.all(b, a != '' && b != ''))"))
			}), Request: configMap(500)}
		}},
		{"policies-branches", "policies", 30, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: repeat(n, "", func(i int) string {
				return validating(fmt.Sprintf("p%d", i), validation("object.data.all(a, object.data.all(b, has(object.data) ? true : true))"))
			}), Request: configMap(900)}
		}},
		{"policies-refused", "policies", 490, many(validating, "validations: [{expression: 'no such'}]\nvariables: [{name: '?', expression: ''}]")},
		{"policies-mutating", "policies", 490, many(mutating, apply("Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}}"))},
		{"validations", "validations", 5_000, list("validations", "- {expression: 'object.metadata.name != \"#\"'}")},
		{"validations-failing", "validations", 5_000, list("validations", "- {expression: 'object.metadata.name == \"#\"', messageExpression: \"'no ' + object.metadata.name\"}")},
		{"variables", "variables", 5_000, list("variables", "- {name: v#, expression: 'object.metadata.name'}")},
		{"variables-chained", "variables", 3_000, chained("1", "# + 1", "# > 0")},
		{"variables-unknown", "variables", 2_000, list("variables", "- {name: v#, expression: 'variables.w#'}")},
		{"match-conditions", "conditions", 60, list("matchConditions", "- {name: m#, expression: 'true'}")},
		{"audit-annotations", "annotations", 20, list("auditAnnotations", "- {key: k#, valueExpression: 'string(object.metadata)'}")},
		{"resource-rules", "rules", 20_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: rule(n, strings.Repeat("    - {apiGroups: ['a'], apiVersions: ['v1'], operations: ['*'], resources: ['x']}\n", n)), Request: pod}
		}},
		{"resource-names", "names", 50_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: rule(n, "    - {apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'], resourceNames: ["+repeat(n, ", ", numbered("n#"))+"]}\n"), Request: pod}
		}},
		{"selector-expressions", "expressions", 20_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: rule(n, "    objectSelector:\n      matchExpressions:\n"+repeat(n, "", numbered("      - {key: k#, operator: NotIn, values: [a, b]}\n"))), Request: pod}
		}},
		{"selector-values", "values", 50_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: rule(n, "    namespaceSelector:\n      matchExpressions:\n      - {key: k, operator: NotIn, values: ["+repeat(n, ", ", numbered("v#"))+"]}\n"), Request: pod}
		}},
		{"bindings", "bindings", 5_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("true")) + repeat(n, "", func(i int) string {
				return strings.Replace(binding("Validating", fmt.Sprintf("b%d", i)), fmt.Sprintf("policyName: b%d,", i), "policyName: p,", 1)
			}), Request: pod}
		}},
		{"bindings-without-policies", "bindings", 990, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: repeat(n, "", func(i int) string { return binding("Validating", fmt.Sprintf("b%d", i)) }), Request: pod}
		}},
		{"params", "bindings, and params of each", 600, parametrised("Validating", validation("params.data.a != object.metadata.name"))},
		{"params-failing", "bindings, and params of each", 300, parametrised("Validating", "validations: [{expression: 'params.data.a == object.metadata.name', messageExpression: \"'no ' + params.metadata.name\"}]")},
		{"params-mutating", "bindings, and params of each", 100, parametrised("Mutating", jsonPatch("[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': params.metadata.name}}]"))},
		{"params-applying", "bindings, and params of each", 100, parametrised("Mutating", apply("Object{metadata: Object.metadata{labels: {'a': params.metadata.name}}}"))},
		{"params-990", "bindings, and params of each", 990, parametrised("Validating", validation("true"))},
		{"namespaces", "namespaces", 990, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: repeat(n, "", numbered("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n#}\n")), Request: pod}
		}},
	}
}

// mutations are patches.
func mutations() []Kind {
	patch := func(f func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", jsonPatch(f(n))), Request: configMap(10)}
		}
	}
	applied := func(f func(n int) string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", apply(f(n))), Request: configMap(10)}
		}
	}
	add := "JSONPatch{op: 'add', path: '/data/l', value: ['a', 'b']}, "
	return []Kind{
		{"patch-copy", "copies", 26, patch(func(n int) string {
			return "[" + add + repeat(n, ", ", func(int) string { return "JSONPatch{op: 'copy', from: '/data/l', path: '/data/l/-'}" }) + "]"
		})},
		{"patch-copy-map", "copies", 40, patch(func(n int) string {
			return "[" + repeat(n, ", ", numbered("JSONPatch{op: 'copy', from: '/data', path: '/data/c#'}")) + "]"
		})},
		{"patch-move", "operations", 500, patch(func(n int) string {
			return "[" + repeat(n, ", ", func(i int) string { return "JSONPatch{op: 'move', from: '/data/k', path: '/data/k'}" }) + "]"
		})},
		{"patch-operations", "operations", 9_999, patch(func(n int) string {
			return fmt.Sprintf("lists.range(%d).map(i, JSONPatch{op: 'add', path: '/data/x' + string(i), value: 'a'})", n)
		})},
		{"patch-tests", "operations", 9_999, patch(func(n int) string {
			return fmt.Sprintf("lists.range(%d).map(i, JSONPatch{op: 'test', path: '/data/k0', value: 'value 0'})", n)
		})},
		{"patch-tests-large", "operations", 5_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", jsonPatch(fmt.Sprintf("lists.range(%d).map(i, JSONPatch{op: 'test', path: '/data', value: object.data})", n))), Request: configMap(2_000)}
		}},
		{"patch-list-front", "operations", 9_999, patch(func(n int) string {
			return "[JSONPatch{op: 'add', path: '/data/l', value: []}] + " + fmt.Sprintf("lists.range(%d).map(i, JSONPatch{op: 'add', path: '/data/l/0', value: 'a'})", n)
		})},
		{"patch-value", "doublings", 30, func(n int) scenario.Scenario {
			s := chained("[1]", "[#, #]", "true")(n)
			s.Policies = strings.Replace(strings.Replace(s.Policies, "Validating", "Mutating", -1), validation("true"), jsonPatch(fmt.Sprintf("[JSONPatch{op: 'add', path: '/data/l', value: variables.v%d}]", n)), 1)
			s.Policies = strings.Replace(strings.Replace(s.Policies, ", validationActions: [Deny]", "", -1), "spec:\n  match", "spec:\n  reinvocationPolicy: Never\n  match", 1)
			return s
		}},
		{"patch-value-text", "doublings", 30, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", jsonPatch("[JSONPatch{op: 'add', path: '/data/l', value: 'a'"+fmt.Sprintf(".replace('', lists.range(%d).map(i, 'aaaaaaaaaa').join(''))", n*1000)+"}]")), Request: pod}
		}},
		{"patch-deep", "levels", 500, patch(func(n int) string {
			return "[" + repeat(n, ", ", func(i int) string {
				return "JSONPatch{op: 'add', path: '/data" + strings.Repeat("/a", i+1) + "', value: {}}"
			}) + "]"
		})},
		{"apply-labels", "labels", 2_000, applied(func(n int) string {
			return "Object{metadata: Object.metadata{labels: {" + repeat(n, ", ", numbered("'k#': 'v'")) + "}}}"
		})},
		{"apply-data", "keys", 100_000, applied(func(n int) string {
			return fmt.Sprintf("Object{data: lists.range(%d).transformMapEntry(i, v, {'x' + string(i): 'a'})}", n)
		})},
		{"apply-containers", "containers", 1_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", apply("Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: 'x'})}}")),
				Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec:\n  containers:\n" + repeat(n, "", numbered("  - {name: c#, image: b}\n"))}
		}},
		{"mutations", "mutations", 500, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: mutating("p", "mutations:\n"+repeat(n, "", numbered("- {patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{op: 'add', path: '/data/y#', value: 'a'}]\"}}\n"))), Request: configMap(1000)}
		}},
	}
}
