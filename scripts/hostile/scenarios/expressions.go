package scenarios

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// chained is a policy whose variables each use the one before.
func chained(first, next, last string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		spec := "variables:\n- {name: v0, expression: " + quoted(first) + "}\n" + repeat(n, "", func(i int) string {
			return fmt.Sprintf("- {name: v%d, expression: %s}\n", i+1, quoted(strings.ReplaceAll(next, "#", fmt.Sprintf("variables.v%d", i))))
		})
		return scenario.Scenario{Policies: validating("p", spec+validation(strings.ReplaceAll(last, "#", fmt.Sprintf("variables.v%d", n)))), Request: configMap(10)}
	}
}

// chain is one expression of n calls.
func chain(before, each, after string) func(int) scenario.Scenario {
	return cel(func(n int) string { return before + strings.Repeat(each, n) + after })
}

// expressions are CEL.
func expressions() []Kind {
	text := func(n int) string { return "'" + strings.Repeat("a", min(n, 90_000)) + "'" }
	return []Kind{
		{"cel-and", "terms", 3_000, cel(func(n int) string { return repeat(n, " && ", numbered("object.x# != 1")) })},
		{"cel-and-true", "terms", 3_000, cel(func(n int) string { return strings.Repeat("true && ", n) + "true" })},
		{"cel-or-has", "terms", 3_000, cel(func(n int) string { return repeat(n, " || ", numbered("has(object.x#)")) })},
		{"cel-plus", "terms", 20_000, cel(func(n int) string { return strings.Repeat("1 + ", n) + "1 > 0" })},
		{"cel-parentheses", "parentheses", 40_000, cel(func(n int) string { return strings.Repeat("(", n) + "true" + strings.Repeat(")", n) })},
		{"cel-ternaries", "conditions", 5_000, cel(func(n int) string { return strings.Repeat("true ? true : ", n) + "true" })},
		{"cel-not", "negations", 90_000, cel(func(n int) string { return strings.Repeat("!", n) + "true" })},
		{"cel-selections", "selections", 20_000, cel(func(n int) string { return "object" + strings.Repeat(".a", n) + " == 1" })},
		{"cel-indexes", "indexes", 20_000, cel(func(n int) string { return "object" + strings.Repeat("['a']", n) + " == 1" })},
		{"cel-list-literal", "items", 20_000, cel(func(n int) string { return "[" + strings.Repeat("1,", n) + "1].size() > 0" })},
		{"cel-list-deep", "levels", 20_000, cel(func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) + ".size() > 0" })},
		{"cel-map-literal", "entries", 8_000, cel(func(n int) string { return "{" + repeat(n, ", ", numbered("'k#': #")) + "}.size() > 0" })},
		{"cel-long", "characters", 3_000_000, cel(func(n int) string { return "'" + strings.Repeat("a", n) + "' != ''" })},
		{"cel-names", "characters", 90_000, cel(func(n int) string { return strings.Repeat("a", n) + " == 1" })},
		{"cel-errors", "mistakes", 10_000, cel(func(n int) string { return repeat(n, " && ", numbered("x# == 1")) })},
		{"cel-syntax-errors", "mistakes", 30_000, cel(func(n int) string { return strings.Repeat("@ ", n) })},
		{"cel-macros", "loops in loops", 60, cel(func(n int) string {
			return repeat(n, "", numbered("[1].all(x#, ")) + "true" + strings.Repeat(")", n)
		})},
		{"cel-nested-lists", "doublings", 30, chain("[[1,2]]", ".map(a, [a,a])", ".size() > 0")},
		{"cel-nested-lists-deep", "doublings", 200, chain("[[1,2]]", ".map(a, [a,a])", ".size() > 0")},
		{"cel-nested-variables", "variables", 40, chained("[1]", "[#, #]", "#.size() == 2")},
		{"cel-nested-equality", "variables", 26, chained("[1]", "[#, #]", "# == #")},
		{"cel-nested-in", "variables", 26, chained("[1]", "[#, #]", "1 in [#, #]")},
		{"cel-string-doubling", "doublings", 40, chained("'0123456789'", "# + #", "#.size() > 0")},
		{"cel-list-doubling", "doublings", 26, chained("[1]", "# + #", "#.size() > 0")},
		{"cel-list-doubling-loop", "doublings", 24, chained("[1]", "# + #", "#.all(x, x == 1)")},
		{"cel-replace-squared", "characters", 1_000, cel(func(n int) string {
			t := text(n)
			return t + ".replace('a', " + t + ").replace('a', " + t + ").size() > 0"
		})},
		{"cel-replace-cubed", "characters", 500, cel(func(n int) string {
			t := text(n)
			return t + strings.Repeat(".replace('', "+t+")", 3) + ".size() > 0"
		})},
		{"cel-replace-variables", "variables", 10, chained("'aaaaaaaaaa'", "#.replace('a', #)", "#.size() > 0")},
		{"cel-join", "doublings", 10, chained("'0123456789'", "[1,2,3,4,5,6,7,8,9,10].map(x, #).join(#)", "#.size() > 0")},
		{"cel-join-loop", "characters", 50_000, cel(func(n int) string { return "lists.range(10000).map(x, " + text(n) + ").join('').size() > 0" })},
		{"cel-split", "characters", 80_000, cel(func(n int) string { return text(n) + ".split('').size() > 0" })},
		{"cel-split-loop", "characters", 50_000, cel(func(n int) string { return "lists.range(1000).map(x, " + text(n) + ".split('')).size() > 0" })},
		{"cel-format", "variables", 12, chained("'0123456789'", "'%s%s%s%s%s%s%s%s%s%s'.format([#,#,#,#,#,#,#,#,#,#])", "#.size() > 0")},
		{"cel-format-map", "keys", 3_000, celOver("object.data.all(k, '%s'.format([object.data]) != '')")},
		{"cel-format-precision", "digits", 1_000_000_000, cel(func(n int) string { return fmt.Sprintf("'%%.%df'.format([1.5]).size() > 0", n) })},
		{"cel-format-lists", "variables", 26, chained("[1]", "[#, #]", "'%s'.format([#]).size() > 0")},
		{"cel-string-conversion", "repetitions", 10_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, string(bytes(%s)) != '')", n, text(10_000))
		})},
		{"cel-base64", "variables", 40, chained("'0123456789'", "base64.encode(bytes(# + #))", "#.size() > 0")},
		{"cel-upper", "repetitions", 10_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, %s.upperAscii() != '')", n, text(10_000))
		})},
		{"cel-substring", "repetitions", 10_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, %s.substring(i) != '')", n, text(10_000))
		})},
		{"cel-reverse", "repetitions", 10_000, cel(func(n int) string { return fmt.Sprintf("lists.range(%d).all(i, %s.reverse() != '')", n, text(10_000)) })},
		{"cel-regex-nested", "levels", 1_000, cel(func(n int) string {
			return "'a'.matches('" + strings.Repeat("(", n) + "a" + strings.Repeat(")*", n) + "')"
		})},
		{"cel-regex-counts", "repetitions", 1_000, cel(func(n int) string { return fmt.Sprintf("%s.matches('(((a{%d}){%d})b)')", text(10_000), n, n) })},
		{"cel-regex-alternatives", "alternatives", 10_000, cel(func(n int) string { return text(10_000) + ".matches('" + repeat(n, "|", numbered("a#")) + "')" })},
		{"cel-regex-long-text", "repetitions", 1_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, %s.matches('(a|aa)+$'))", n, text(50_000))
		})},
		{"cel-find-all", "repetitions", 1_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, %s.findAll('a').size() > 0)", n, text(50_000))
		})},
		{"cel-regex-computed", "repetitions", 10_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, 'a'.matches('(a{1000})' + string(i)) || true)", n)
		})},
		{"cel-quantity-exponent", "exponent", 999_999_999, cel(func(n int) string {
			return fmt.Sprintf("quantity('1e%d').add(quantity('1')).isGreaterThan(quantity('1'))", n)
		})},
		{"cel-quantity-compare", "exponent", 999_999_999, cel(func(n int) string { return fmt.Sprintf("quantity('1e%d').compareTo(quantity('1')) > 0", n) })},
		{"cel-quantity-sub", "exponent", 999_999_999, cel(func(n int) string {
			return fmt.Sprintf("quantity('1').sub(quantity('1e-%d')).isLessThan(quantity('1'))", n)
		})},
		{"cel-quantity-integer", "exponent", 999_999_999, cel(func(n int) string {
			return fmt.Sprintf("quantity('1e%d').asApproximateFloat() > 1.0 || quantity('1e%d').isInteger()", n, n)
		})},
		{"cel-quantity-digits", "digits", 80_000, cel(func(n int) string { return "quantity('" + strings.Repeat("9", n) + "').isInteger()" })},
		{"cel-url", "characters", 90_000, cel(func(n int) string { return "isURL('https://a/?' + " + text(n) + ")" })},
		{"cel-ip", "repetitions", 100_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, ip('10.0.0.1').isUnspecified() || cidr('10.0.0.0/8').containsIP('10.0.0.1'))", n)
		})},
		{"cel-semver", "characters", 90_000, cel(func(n int) string { return "isSemver('1.0.0-' + " + text(n) + ")" })},
		{"cel-quadratic", "keys", 2_000, celOver("object.data.all(a, object.data.all(b, a != '' && b != ''))")},
		{"cel-cubic", "keys", 300, celOver("object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != '')))")},
		{"cel-map-object", "keys", 2_000, celOver("object.data.map(k, object.data).size() > 0")},
		{"cel-map-list", "keys", 2_000, celOver("object.data.map(k, object.data.map(l, [k, l])).size() > 0")},
		{"cel-filter", "keys", 20_000, celOver("object.data.filter(k, object.data[k] != '').size() > 0")},
		{"cel-keys", "keys", 100_000, celOver("object.data.all(k, k != '')")},
		{"cel-sort", "keys", 50_000, celOver("object.data.map(k, k).isSorted() && object.data.map(k, k).sort().size() > 0")},
		{"cel-distinct", "keys", 20_000, celOver("object.data.map(k, k).distinct().size() > 0")},
		{"cel-index-of", "keys", 20_000, celOver("object.data.map(k, object.data.map(l, l).indexOf(k)).size() > 0")},
		{"cel-in-list", "keys", 3_000, celOver("object.data.all(k, k in object.data.map(l, l))")},
		{"cel-flatten", "keys", 2_000, celOver("object.data.map(k, object.data.map(l, l)).flatten().size() > 0")},
		{"cel-sets", "keys", 3_000, celOver("sets.equivalent(object.data.map(l, l), object.data.map(l, l))")},
		{"cel-sum", "keys", 50_000, celOver("object.data.map(k, 1).sum() > 0")},
		{"cel-exists-one", "keys", 3_000, celOver("object.data.exists_one(k, object.data.exists_one(l, l == k))")},
		{"cel-equality", "keys", 3_000, celOver("object.data.all(k, object == object)")},
		{"cel-two-variables", "keys", 3_000, celOver("object.data.transformMap(k, v, object.data).size() > 0")},
		{"cel-transform-list", "keys", 3_000, celOver("object.data.transformList(k, v, object.data.transformList(l, w, [k, l, v, w])).size() > 0")},
		{"cel-range", "numbers", 1_000_000_000, cel(func(n int) string { return fmt.Sprintf("lists.range(%d).size() > 0", n) })},
		{"cel-range-all", "numbers", 1_000_000, cel(func(n int) string { return fmt.Sprintf("lists.range(%d).all(x, x >= 0)", n) })},
		{"cel-range-map", "numbers", 1_000_000, cel(func(n int) string { return fmt.Sprintf("lists.range(%d).map(x, [x, x]).size() > 0", n) })},
		{"cel-range-map-text", "numbers", 1_000_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).map(x, string(x) + %s).size() > 0", n, text(1_000))
		})},
		{"cel-range-nested", "numbers", 1_500, cel(func(n int) string { return fmt.Sprintf("lists.range(%d).map(x, lists.range(%d)).size() > 0", n, n) })},
		{"cel-range-join", "numbers", 100_000, cel(func(n int) string { return fmt.Sprintf("lists.range(%d).map(x, %s).join('') != ''", n, text(1_000)) })},
		{"cel-optionals", "steps", 5_000, cel(func(n int) string { return "object" + strings.Repeat(".?a", n) + ".orValue(1) == 1" })},
		{"cel-timestamps", "repetitions", 100_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, timestamp('2020-01-01T00:00:00Z').getFullYear('Europe/Berlin') > 0)", n)
		})},
		{"cel-authorizer", "checks", 1_000, cel(func(n int) string {
			return fmt.Sprintf("lists.range(%d).all(i, !authorizer.group('').resource('pods').check('get').allowed() || true)", n)
		})},
		{"cel-authorizer-selectors", "characters", 50_000, cel(func(n int) string {
			return "authorizer.group('').resource('pods').labelSelector('a=' + " + text(n) + ").check('list').allowed() || true"
		})},
		{"cel-message", "characters", 90_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", "validations: [{expression: 'false', messageExpression: "+quoted(text(n)+" + "+text(n))+"}]"), Request: pod}
		}},
		{"cel-free", "keys", 3_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Expression: "object.data.map(k, object.data.map(l, k + l))", Request: configMap(n)}
		}},
		{"cel-free-list", "doublings", 26, func(n int) scenario.Scenario {
			return scenario.Scenario{Expression: "[[1,2]]" + strings.Repeat(".map(a, [a,a])", n), Request: pod}
		}},
	}
}
