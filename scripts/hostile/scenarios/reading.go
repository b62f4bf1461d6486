package scenarios

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

const configMapHead = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"

// reading are texts that are hard to read.
func reading() []Kind {
	return []Kind{
		{"yaml-alias-values", "aliases of aliases", 30, request(func(n int) string {
			return configMapHead + "a0: &a0 [x, x]\n" + repeat(n, "", func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i) })
		})},
		{"yaml-alias-bytes", "aliases of a 400 kB string", 60_000, request(func(n int) string {
			return configMapHead + "data: {a: &a " + strings.Repeat("x", 400_000) + "}\nl: [" + strings.Repeat("*a,", n) + "]\n"
		})},
		{"yaml-alias-bytes-policies", "aliases of a 100 kB string", 60_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: "a: &a " + strings.Repeat("x", 100_000) + "\nl: [" + strings.Repeat("*a,", n) + "]\n", Request: pod}
		}},
		{"yaml-alias-bytes-cluster", "aliases of a 100 kB string", 60_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: configMapHead + "data: {a: &a " + strings.Repeat("x", 100_000) + "}\nl: [" + strings.Repeat("*a,", n) + "]\n", Request: pod}
		}},
		{"yaml-merge-keys", "merges", 2_000, request(func(n int) string {
			return configMapHead + "m0: &m0 {a: b}\n" + repeat(n, "", func(i int) string { return fmt.Sprintf("m%d: &m%d {<<: *m%d, k%d: v}\n", i+1, i+1, i, i) })
		})},
		{"yaml-merge-lists", "merges in one list", 3_000, request(func(n int) string {
			return configMapHead + "m: &m {" + repeat(200, ", ", numbered("k#: v")) + "}\nx: {<<: [" + strings.Repeat("*m,", n) + "]}\n"
		})},
		{"yaml-deep-flow", "brackets", 100_000, request(func(n int) string { return configMapHead + "data: " + strings.Repeat("[", n) })},
		{"yaml-deep-flow-closed", "levels", 10_000, request(func(n int) string {
			return configMapHead + "x: " + strings.Repeat("[", n) + strings.Repeat("]", n)
		})},
		{"yaml-deep-block", "levels", 1_500, request(func(n int) string {
			return configMapHead + repeat(n, "", func(i int) string { return strings.Repeat(" ", i) + "a:\n" })
		})},
		{"json-deep", "levels", 100_000, request(func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) })},
		{"json-deep-lists", "levels", 100_000, request(func(n int) string { return `{"a":` + strings.Repeat("[", n) })},
		{"documents", "documents", 10_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: repeat(n, "---\n", numbered("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#, namespace: b}\n")), Request: pod}
		}},
		{"separators", "separators", 1_000_000, request(func(n int) string { return strings.Repeat("---\n", n) })},
		{"list-items", "items of a List", 50_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: "apiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", n), Request: pod}
		}},
		{"nested-lists", "lists in lists", 190, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: strings.Repeat("{apiVersion: v1, kind: List, items: [", n) + strings.Repeat("]}", n), Request: pod}
		}},
		{"one-long-line", "bytes", 3_900_000, request(func(n int) string { return configMapHead + "data: {a: " + strings.Repeat("x", n) + "}\n" })},
		{"long-flow-line", "keys on one line", 200_000, request(func(n int) string { return configMapHead + "data: {" + repeat(n, ", ", numbered("k#: v")) + "}\n" })},
		{"lines", "lines", 290_000, request(configMap)},
		{"block-scalar-lines", "lines", 700_000, request(func(n int) string { return configMapHead + "data:\n  a: |\n" + strings.Repeat("    x\n", n) })},
		{"folded-scalar", "lines", 400_000, request(func(n int) string { return configMapHead + "data:\n  a: >\n" + strings.Repeat("    x\n\n", n) })},
		{"plain-scalar-lines", "lines", 300_000, request(func(n int) string { return configMapHead + "data:\n  a: x\n" + strings.Repeat("    x\n", n) })},
		{"escapes", "escapes", 600_000, request(func(n int) string { return configMapHead + `data: {a: "` + strings.Repeat(`\u00e4`, n) + "\"}\n" })},
		{"duplicate-keys", "keys", 100_000, request(func(n int) string { return configMapHead + "data:\n" + strings.Repeat("  a: b\n", n) })},
		{"numeric-keys", "keys", 100_000, request(func(n int) string { return configMapHead + "data:\n" + repeat(n, "", numbered("  0x#: b\n")) })},
		{"big-integers", "digits", 1_000_000, request(func(n int) string { return configMapHead + "x: " + strings.Repeat("9", n) + "\n" })},
		{"float-exponents", "numbers", 200_000, request(func(n int) string { return configMapHead + "x: [" + strings.Repeat("1e308,", n) + "]\n" })},
		{"anchors", "anchors", 100_000, request(func(n int) string { return configMapHead + "x:\n" + repeat(n, "", numbered("- &a# x\n")) })},
		{"tags", "tags", 100_000, request(func(n int) string { return configMapHead + "x:\n" + strings.Repeat("- !!str x\n", n) })},
		{"binary-tags", "bytes", 2_000_000, request(func(n int) string { return configMapHead + "x: !!binary " + strings.Repeat("A", n) + "\n" })},
		{"comments", "comments", 500_000, request(func(n int) string { return strings.Repeat("# x\n", n) + pod })},
		{"tab-indents", "lines", 100_000, request(func(n int) string { return configMapHead + "data:\n" + strings.Repeat("\ta: b\n", n) })},
		{"no-utf8", "bytes", 2_000_000, request(func(n int) string { return configMapHead + strings.Repeat("\xff", n) })},
		{"null-bytes", "bytes", 2_000_000, request(func(n int) string { return configMapHead + strings.Repeat("\x00", n) })},
		{"open-quote", "bytes", 3_000_000, request(func(n int) string { return configMapHead + "data: {a: \"" + strings.Repeat("x ", n/2) })},
		{"open-quotes-everywhere", "documents", 900, request(func(n int) string { return strings.Repeat("a: \"x\n---\n", n) })},
		{"carriage-returns", "lines", 200_000, request(func(n int) string { return strings.ReplaceAll(configMap(n), "\n", "\r\n") })},
		{"byte-order-marks", "marks", 500_000, request(func(n int) string { return strings.Repeat("\ufeff", n) + pod })},
		{"policies-no-yaml", "lines", 200_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: strings.Repeat("}{\n", n), Request: pod}
		}},
		{"unknown-fields", "fields", 250_000, request(func(n int) string { return pod + repeat(n, "", numbered("x#: 1\n")) })},
		{"unknown-fields-deep", "fields", 100_000, request(func(n int) string {
			return pod + "status:\n  conditions:\n" + repeat(n, "", numbered("  - {x#: 1}\n"))
		})},
		{"unknown-fields-policies", "fields", 100_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", "validations: [{expression: 'true'}]\n"+repeat(n, "", numbered("x#: 1\n"))), Request: pod}
		}},
		{"unknown-kinds", "objects", 1_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Cluster: repeat(n, "---\n", numbered("apiVersion: x.example.com/v1\nkind: Kin#\nmetadata: {name: c#}\n")), Request: pod}
		}},
	}
}
