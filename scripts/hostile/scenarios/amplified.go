package scenarios

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// bigText is a ConfigMap with one text of so many bytes.
func bigText(n int, piece string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"},"data":{"big":"` + strings.Repeat(piece, n/len(piece)) + `"}}`
}

// overText is one validation of a ConfigMap with a text of n bytes.
func overText(expression string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: validating("p", validation(expression)), Request: bigText(n, "a")}
	}
}

// eachText calls a method of a text of 900 kB n times.
func eachText(method string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(%d).all(i, object.data.big.%s)", n, method))), Request: bigText(900_000, "a")}
	}
}

// amplified are short expressions that ask for much: macros that copy, and calls that cost little
// and read all of a text.
func amplified() []Kind {
	const n = 900_000
	return []Kind{
		{"macro-opt-map", "calls", 24, chain("optional.of(1)", ".optMap(x, x + 1)", ".hasValue()")},
		{"macro-opt-map-long", "calls", 5_000, chain("optional.of(1)", ".optMap(x, x + 1)", ".hasValue()")},
		{"macro-opt-flat-map", "calls", 30, chain("optional.of(1)", ".optFlatMap(x, optional.of(x))", ".hasValue()")},
		{"macro-opt-map-many", "chains of 9", 300, cel(func(n int) string {
			return "[" + strings.Repeat("optional.of(1)"+strings.Repeat(".optMap(x, x + 1)", 9)+", ", n) + "].size() > 0"
		})},
		{"macro-opt-map-nested", "levels", 400, cel(func(n int) string {
			return strings.Repeat("optional.of(1).optMap(x, ", n) + "1" + strings.Repeat(")", n) + ".hasValue()"
		})},
		{"macro-opt-map-targets", "levels", 12, cel(func(n int) string {
			e := "optional.of(1)"
			for range n {
				e = "optional.of(" + e + ".optMap(x, x).hasValue()).optMap(y, y)"
			}
			return e + ".hasValue()"
		})},
		{"macro-bind", "bindings", 40, cel(func(n int) string {
			return "cel.bind(v0, [1], " + repeat(n, "", func(i int) string { return fmt.Sprintf("cel.bind(v%d, [v%d, v%d], ", i+1, i, i) }) + fmt.Sprintf("v%d.size() > 0", n) + strings.Repeat(")", n+1)
		})},
		{"macro-bind-equality", "bindings", 26, cel(func(n int) string {
			return "cel.bind(v0, [1], " + repeat(n, "", func(i int) string { return fmt.Sprintf("cel.bind(v%d, [v%d, v%d], ", i+1, i, i) }) + fmt.Sprintf("v%d == v%d", n, n) + strings.Repeat(")", n+1)
		})},
		{"macro-transform-nested", "levels", 30, cel(func(n int) string {
			return strings.Repeat("{'a': 1}.transformMap(k, v, ", n) + "1" + strings.Repeat(")", n) + ".size() > 0"
		})},
		{"macro-sort-by", "levels", 25, cel(func(n int) string {
			return "[3, 1, 2]" + strings.Repeat(".sortBy(x, -x)", n) + ".size() > 0"
		})},
		{"macro-opt-map-rules", "calls", 24, func(n int) scenario.Scenario {
			return definition("{type: string, x-kubernetes-validations: [{rule: "+quoted("optional.of(1)"+strings.Repeat(".optMap(x, x + 1)", n)+".hasValue()")+"}]}", "a")
		}},
		{"macro-opt-map-webhook", "calls", 24, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: webhookConfiguration("Validating", 1, ", matchConditions: [{name: a, expression: '"+"optional.of(1)"+strings.Repeat(".optMap(x, x + 1)", n)+".hasValue()'}]"), Request: pod}
		}},
		{"macro-opt-map-variable", "calls", 9, func(n int) scenario.Scenario {
			return chained("optional.of(1)", "#"+strings.Repeat(".optMap(x, x + 1)", n), "#.hasValue()")(n)
		}},
		{"macro-opt-map-free", "calls", 24, func(n int) scenario.Scenario {
			return scenario.Scenario{Expression: "optional.of(1)" + strings.Repeat(".optMap(x, x + 1)", n), Request: pod}
		}},
		{"text-char-at", "calls", 20_000, eachText("charAt(i) != 'x'")},
		{"text-char-at-emoji", "calls", 20_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(%d).all(i, object.data.big.charAt(i) != 'x')", n))), Request: bigText(1_000_000, "😀")}
		}},
		{"text-index-of", "calls", 20_000, eachText("indexOf('x') < 0")},
		{"text-last-index-of", "calls", 20_000, eachText("lastIndexOf('x') < 0")},
		{"text-substring", "calls", 20_000, eachText("substring(i, i + 1) != 'x'")},
		{"text-size", "calls", 200_000, eachText("size() > i")},
		{"text-contains", "calls", 20_000, eachText("contains('b') == false")},
		{"text-starts-with", "calls", 200_000, eachText("startsWith(object.data.big)")},
		{"text-trim", "calls", 20_000, eachText("trim() != ''")},
		{"text-matches", "calls", 20_000, eachText("matches('(a|b)*c$') == false")},
		{"text-int-absorbed", "calls", 200_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(%d).all(i, int(object.data.big) > 0 || true)", n))), Request: bigText(900_000, "a")}
		}},
		{"text-conversions", "calls", 20_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(%d).all(i, bytes(object.data.big).size() > i)", n))), Request: bigText(900_000, "a")}
		}},
		{"text-index-of-text", "bytes", n, overText("object.data.big.indexOf(object.data.big.substring(0, object.data.big.size() / 2) + 'b') < 0")},
		{"text-last-index-of-text", "bytes", n, overText("object.data.big.lastIndexOf('b' + object.data.big.substring(0, object.data.big.size() / 2)) < 0")},
		{"text-matches-itself", "bytes", n, overText("object.data.big.matches(object.data.big + 'b')")},
		{"text-find-itself", "bytes", n, overText("object.data.big.find(object.data.big + 'b') == ''")},
		{"text-find-all-behind", "bytes", n, overText("object.data.big.findAll('(a*b)|a').size() > 0")},
		{"text-find-all-computed", "bytes", n, overText("object.data.big.findAll('(a*b)' + '|a').size() > 0")},
		{"text-pattern-counts", "bytes", n, overText("object.data.big.matches('((a|b){30}){30}c$')")},
		{"text-pattern-optional", "bytes", n, overText("object.data.big.matches('(a?){500}(a){500}b')")},
		{"text-pattern-words", "bytes", n, overText("object.data.big.matches('(\\\\w+\\\\s?)+!')")},
		{"text-pattern-unicode", "classes", 1_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("object.data.big.matches('"+strings.Repeat("\\\\p{L}?", n)+"x')")), Request: bigText(100_000, "ä")}
		}},
		{"text-split-join", "bytes", n, overText("object.data.big.split('').join(',').split(',').join('') == object.data.big")},
		{"text-split-loop", "bytes", n, overText("object.data.big.split('').all(c, object.data.big.contains(c))")},
		{"text-replace-all", "bytes", n, overText("object.data.big.replace('a', 'bb').replace('b', 'cc').replace('c', 'dd').replace('d', 'ee').size() > 0")},
		{"text-replace-empty", "bytes", n, overText("object.data.big.replace('', '0123456789').size() > 0")},
		{"text-sort", "items", 30_000, overTexts("sort().size() > 0")},
		{"text-distinct", "items", 20_000, overTexts("distinct().size() > 0")},
		{"text-sets", "items", 10_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation("sets.contains(object.data.map(k, k + 'x'), object.data.map(k, k))")), Request: configMap(n)}
		}},
		{"text-flatten", "levels", 40, cel(func(n int) string {
			return "[" + strings.Repeat("[", n) + "1" + strings.Repeat("]", n) + "]" + strings.Repeat(".flatten()", n) + ".size() > 0"
		})},
		{"text-min-max", "bytes", n, overText("lists.range(1000).map(i, object.data.big + string(i)).max() != ''")},
		{"text-quote", "calls", 2_000, func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(%d).all(i, '%%s'.format([object.data.big]) != '')", n))), Request: bigText(900_000, `\u0001`)}
		}},
	}
}

// overTexts calls a method of a list of texts with a long beginning in common.
func overTexts(method string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(%d).map(i, %s + string(i)).%s", n, "'"+strings.Repeat("a", 500)+"'", method))), Request: pod}
	}
}

// libraries are functions of Kubernetes on large texts, alone and in loops.
func libraries() []Kind {
	const n = 400_000
	text := func(expression, piece string) func(int) scenario.Scenario {
		return func(n int) scenario.Scenario {
			return scenario.Scenario{Policies: validating("p", validation(fmt.Sprintf("lists.range(1000).all(i, %s)", strings.ReplaceAll(expression, "#", "object.data.big")))), Request: bigText(n, piece)}
		}
	}
	return []Kind{
		{"library-ip", "bytes", n, text("!isIP(#)", "1:")},
		{"library-cidr", "bytes", n, text("!isCIDR(#)", "1.")},
		{"library-url", "bytes", n, text("isURL('https://a/' + #)", "%41")},
		{"library-url-query", "bytes", n, text("url('https://a/?' + #).getQuery().size() >= 0", "a=b&")},
		{"library-quantity", "bytes", n, text("!isQuantity(#)", "9.")},
		{"library-quantity-sum", "bytes", 90_000, text("quantity(#).add(quantity(#)).isGreaterThan(quantity('1'))", "9")},
		{"library-semver", "bytes", n, text("!isSemver(#)", "1.")},
		{"library-format", "bytes", n, text("format.dns1123Subdomain().validate(#).hasValue()", "a.")},
		{"library-format-label", "bytes", n, text("format.labelValue().validate(#).hasValue()", "a-")},
		{"library-format-uri", "bytes", n, text("format.uri().validate('https://' + #).hasValue() || true", "a/")},
		{"library-format-date", "bytes", n, text("format.datetime().validate(#).hasValue()", "1")},
		{"library-duration", "bytes", n, text("duration(#) > duration('1s') || true", "1h")},
		{"library-timestamp", "bytes", n, text("timestamp(#) > timestamp('2020-01-01T00:00:00Z') || true", "1")},
		{"library-double", "bytes", n, text("double(#) > 0.0 || true", "9")},
		{"library-base64", "bytes", n, text("base64.decode(#).size() > 0 || true", "YWJj")},
		{"library-authorizer", "bytes", n, text("authorizer.path('/' + #).check('get').allowed() || true", "a/")},
		{"library-authorizer-selector", "bytes", n, text("authorizer.group('').resource('pods').fieldSelector('metadata.name in (' + # + ')').check('list').allowed() || true", "a,")},
	}
}
