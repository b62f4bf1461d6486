package generate

import (
	"fmt"
	"strconv"
	"strings"
)

// Expressions are made by the type of their value. What they read is dyn to
// the compiler, so most of what goes wrong goes wrong when they run, as in real
// policies.
//
// Macros never walk over a map: its order is random in the server, and with it
// the cost of a loop that ends early.

const depth = 3

// boolean is an expression whose static type is bool.
func (g *gen) boolean(d int) string {
	if d <= 0 || g.chance(0.15) {
		return g.boolLeaf()
	}
	switch g.IntN(14) {
	case 0, 1:
		return g.boolean(d-1) + " && " + g.paren(g.boolean(d-1))
	case 2, 3:
		return g.paren(g.boolean(d-1)) + " || " + g.paren(g.boolean(d-1))
	case 4:
		return "!(" + g.boolean(d-1) + ")"
	case 5:
		return g.paren(g.boolean(d-1)) + " ? " + g.paren(g.boolean(d-1)) + " : " + g.paren(g.boolean(d-1))
	case 6, 7:
		return g.integer(d-1) + pick(g, " > ", " <= ", " == ", " != ", " >= ", " < ") + g.integer(d-1)
	case 8:
		return g.str(d-1) + pick(g, " == ", " != ", " < ") + g.str(d-1)
	case 9:
		return g.receiver(g.str(d-1)) + "." + pick(g, "startsWith", "endsWith", "contains") + "(" + g.str(0) + ")"
	case 10, 11:
		return g.macro(d)
	case 12:
		return g.library()
	}
	l, item := g.list(d - 1)
	if item == intItem {
		return g.integer(d-1) + " in " + l
	}
	return g.str(d-1) + " in " + l
}

func (g *gen) paren(e string) string { return "(" + e + ")" }

// receiver makes an expression callable.
func (g *gen) receiver(e string) string {
	if strings.ContainsAny(e, " ?:") {
		return "(" + e + ")"
	}
	return e
}

func (g *gen) boolLeaf() string {
	options := []string{
		"true", "true", "false", "1 < 2",
		"has(" + g.fieldPath() + ")", "has(" + g.fieldPath() + ")",
		g.objectName() + " == null",
		"request.operation == " + quote(pick(g, "CREATE", "UPDATE", "DELETE")),
		"request.namespace == " + quote(pick(g, "default", "team-a")),
		"request.dryRun", "has(request.subResource)",
		"request.userInfo.groups.exists(x, x == 'dev')",
		"namespaceObject == null", "namespaceObject.metadata.name == 'default'",
		"oldObject == null", "object == oldObject",
		"type(" + g.objectName() + ") == map",
		g.intPath() + " > " + strconv.Itoa(g.IntN(6)),
		g.strPath() + " == " + quote(pick(g, "red", "nginx", "web", "1")),
	}
	if len(g.kind.bools) > 0 {
		options = append(options, pick(g, g.kind.bools...)+" == true")
	}
	if v := g.variableOf("bool"); v != "" {
		options = append(options, v, v, v)
	}
	if g.hasParams {
		options = append(options, "params == null", "has(params.metadata)", g.paramInt()+" < 4")
	}
	return pick(g, options...)
}

func (g *gen) integer(d int) string {
	if d <= 0 || g.chance(0.4) {
		options := []string{strconv.Itoa(g.IntN(10)), strconv.Itoa(g.IntN(10)), g.intPath(), g.intPath(), "size(" + g.listPath() + ")", "size(request.name)"}
		if v := g.variableOf("int"); v != "" {
			options = append(options, v, v)
		}
		if g.hasParams {
			options = append(options, g.paramInt(), g.paramInt())
		}
		return pick(g, options...)
	}
	switch g.IntN(9) {
	case 0, 1:
		return g.paren(g.integer(d-1) + pick(g, " + ", " - ", " * ") + g.integer(d-1))
	case 2:
		return g.paren(g.integer(d-1) + pick(g, " / ", " % ") + g.integer(d-1))
	case 3:
		return "size(" + g.str(d-1) + ")"
	case 4:
		return "int(" + g.str(d-1) + ")"
	case 5:
		l, _ := g.list(d - 1)
		return "size(" + l + ")"
	case 6:
		return g.paren(g.paren(g.boolean(d-1)) + " ? " + g.integer(d-1) + " : " + g.integer(d-1))
	case 7:
		return g.receiver(g.str(d-1)) + ".indexOf(" + quote(pick(g, "a", "e", "-")) + ")"
	}
	return pick(g, "[1, 2, 3].sum()", "[3, 1, 2].max()", g.later(35, "lists.range(5).sum()", "[5].sum()"), "quantity('2').asInteger()", g.later(34, "semver('1.2.3').minor()", "2"))
}

// str is an expression whose static type is string.
func (g *gen) str(d int) string {
	if d <= 0 || g.chance(0.35) {
		options := []string{quote(pick(g, "a", "web", "nginx:1.25", "", "x-y", "ünï")), "string(" + g.strPath() + ")", "'' + " + g.strPath(),
			"request.name", "request.operation", "request.userInfo.username", "string(" + g.intPath() + ")", "request.kind.kind"}
		if v := g.variableOf("string"); v != "" {
			options = append(options, v, v, v)
		}
		if g.hasParams {
			options = append(options, "string("+g.paramString()+")")
		}
		return g.paren(pick(g, options...))
	}
	s := g.receiver(g.str(d - 1))
	switch g.IntN(10) {
	case 0, 1:
		return g.paren(s + " + " + g.str(d-1))
	case 2:
		return s + "." + pick(g, "lowerAscii()", "upperAscii()", "trim()")
	case 3:
		return s + ".replace(" + quote(pick(g, "a", "e", ":")) + ", " + quote(pick(g, "", "zz")) + ")"
	case 4:
		return s + ".substring(" + strconv.Itoa(g.IntN(5)) + ")"
	case 5:
		return s + ".split(" + quote(pick(g, ":", "-")) + ")[" + strconv.Itoa(g.IntN(2)) + "]"
	case 6:
		return g.paren(g.paren(g.boolean(d-1)) + " ? " + s + " : " + g.str(d-1))
	case 7:
		l, _ := g.list(d - 1)
		return l + ".map(x, string(x)).join(',')"
	case 8:
		return "'%s is %d'.format([" + g.str(d-1) + ", " + g.integer(d-1) + "])"
	}
	return "string(" + g.integer(d-1) + ")"
}

// The types of items that the compiler knows.
const (
	dynItem    = "dyn"
	stringItem = "string"
	intItem    = "int"
)

// list is an expression of a list, and the type of its items.
func (g *gen) list(d int) (expression, item string) {
	if d <= 0 || g.chance(0.5) {
		return g.listLeaf()
	}
	l, item := g.list(d - 1)
	switch g.IntN(6) {
	case 0:
		return l + ".filter(x, " + g.item("x", item) + ")", item
	case 1:
		if item == dynItem && g.chance(0.5) {
			return l + ".map(x, x.name)", dynItem
		}
		return l + ".map(x, string(x))", stringItem
	case 2:
		return g.paren(l + " + " + l), item
	case 3:
		return l + g.later(35, pick(g, ".distinct()", ".reverse()", ".slice(0, 1)"), ""), item
	case 4:
		return g.later(35, pick(g, "lists.range(3)", "[[1], [2, 3]].flatten()", "[3, 1, 2].sort()"), "[3, 1, 2]"), intItem
	}
	return g.receiver(g.str(d-1)) + ".split(',')", stringItem
}

func (g *gen) listLeaf() (expression, item string) {
	switch g.IntN(6) {
	case 0:
		return "['a', 'b', 'web']", stringItem
	case 1:
		return "[1, 2, 3]", intItem
	case 2:
		return "request.userInfo.groups", stringItem
	case 3:
		for _, item := range []string{dynItem, stringItem, intItem} {
			if v := g.variableOf("list/" + item); v != "" {
				return v, item
			}
		}
	}
	return g.listPath(), dynItem
}

// later is an expression that is known from that minor version on, and on older
// versions mostly one that they know: the others are rejected when the policy is
// created, which leaves nothing else to compare.
func (g *gen) later(since int, expression, older string) string {
	if g.minor >= since || g.chance(0.03) {
		return expression
	}
	return older
}

// macro is a loop with a boolean result.
func (g *gen) macro(d int) string {
	l, item := g.list(d - 1)
	condition := g.item("x", item)
	switch g.IntN(6) {
	case 0, 1:
		return l + ".all(x, " + condition + ")"
	case 2, 3:
		return l + ".exists(x, " + condition + ")"
	case 4:
		return l + ".exists_one(x, " + condition + ")"
	}
	return g.later(33, l+".all(i, x, i >= 0 && ("+condition+"))", l+".all(x, x != null && ("+condition+"))")
}

// item is a condition about the item of a loop.
func (g *gen) item(x, typ string) string {
	switch typ {
	case stringItem:
		return pick(g, "true", x+" == 'web'", x+".size() > 1", x+" in ['dev', 'x']", x+".startsWith('s')", x+".contains(':')", x+".matches('^[a-z]+$')")
	case intItem:
		return pick(g, "true", x+" > 1", x+" % 2 == 0", x+" in [1, 2]", x+" - 1 >= 0", "10 / "+x+" > 3")
	}
	return pick(g,
		"true", "has("+x+".image)", x+" != null", x+" == 'web'", x+".name == 'a'", x+" in ['dev', 'x']", x+".name.size() > 1",
		"!has("+x+".securityContext) || "+x+".securityContext.privileged != true", x+".image.contains(':')", x+".?resources.?limits.hasValue()",
		"has("+x+".ports) && "+x+".ports.all(p, p.containerPort > 1024)", "type("+x+") == string", x+".n > 1", x+".startsWith('s')", "string("+x+") == 'x'")
}

// library calls the functions that Kubernetes adds to CEL.
func (g *gen) library() string {
	options := []string{
		"quantity(" + quote(pick(g, "100m", "1Gi", "20Mo", "50k")) + ").isLessThan(quantity('1'))",
		"isQuantity(" + g.str(0) + ")",
		"quantity(" + g.strPath() + ").compareTo(quantity('1')) < 0",
		g.receiver(g.str(0)) + ".matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
		"matches(" + g.str(0) + ", '^[a-z]+')",
		g.receiver(g.str(0)) + ".find('[0-9]+') != ''",
		g.receiver(g.str(0)) + ".findAll('[a-z]').size() > 1",
		"isURL(" + g.str(0) + ")", "url('https://example.com:80/path?q=1').getHost() == 'example.com:80'",
		g.later(31, "isIP("+g.str(0)+")", "true"), g.later(31, "ip('10.0.0.1').family() == 4", "true"),
		g.later(31, "cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"), g.later(31, "ip('x').isLoopback()", "false"),
		g.later(34, "isSemver("+g.str(0)+")", "true"), g.later(34, "semver('1.2.3').isGreaterThan(semver('1.2.0'))", "true"),
		g.later(32, "!format.dns1123Label().validate("+g.str(0)+").hasValue()", "true"),
		"sets.contains(['a', 'b', 'c'], ['a'])", "sets.intersects(request.userInfo.groups, ['web', 'dev'])",
		"object.?metadata.?labels[?'env'].orValue('none') == 'prod'", "object.metadata.?annotations['note'].hasValue()",
		"['c', 'a'].isSorted()", "[1, 2].indexOf(2) == 1",
		"duration('1h') > duration('30m')", "timestamp('2026-01-01T00:00:00Z').getFullYear() == 2026",
		g.later(33, "{'a': 1}.exists(k, v, k == 'a' && v == 1)", "{'a': 1}.exists(k, k == 'a')"),
		g.later(33, "[1, 2, 3].transformList(i, v, v * 2).sum() == 12", "[1, 2, 3].map(v, v * 2).sum() == 12"),
	}
	if g.authorizer || g.chance(0.05) {
		options = append(options, g.authorizerCheck(), g.authorizerCheck(), g.authorizerCheck(), g.authorizerCheck())
	}
	return pick(g, options...)
}

func (g *gen) authorizerCheck() string {
	who := pick(g, "authorizer", "authorizer", "authorizer.serviceAccount('default', 'bot')")
	what := pick(g,
		".group('apps').resource('deployments').namespace('default').check('create')",
		".group('').resource('configmaps').namespace('default').name('web').check('update')",
		".group('').resource('pods').namespace('team-a').check('get')",
		".group('apps').resource('deployments').subresource('scale').check('update')",
		".path('/metrics/x').check('get')", ".path('/healthz').check('get')", ".requestResource.check('create')")
	if strings.Contains(what, "requestResource") {
		who = "authorizer"
	}
	return who + what + pick(g, ".allowed()", ".allowed()", ".errored()", ".reason() == ''")
}

// expensive is an expression that breaks a budget, or comes near it.
func (g *gen) expensive() string {
	check := "authorizer.path('/x').check('get').allowed()"
	return pick(g,
		check+" || "+check+" || true",
		check+" && "+check+" && "+check,
		g.later(35, "lists.range(300).all(x, lists.range(300).all(y, x + y >= 0))", "'"+strings.Repeat("x,", 300)+"'.split(',').all(x, '"+strings.Repeat("x,", 300)+"'.split(',').all(y, x + y != '-'))"),
		g.later(35, "lists.range(1000).all(x, x >= 0)", "'"+strings.Repeat("x,", 300)+"'.split(',').all(x, x != '-')"),
		"[1, 2, 3, 4, 5, 6, 7, 8].all(a, [1, 2, 3, 4, 5, 6, 7, 8].all(b, [1, 2, 3, 4, 5, 6, 7, 8].all(c, a + b + c > 0)))")
}

// broken is an expression that does not compile, or has the wrong type.
func (g *gen) broken() string {
	return pick(g, "object.spec.paused", "1 +", "undeclared == 1", "'text'", "object.metadata.name.nosuch(", "1 == 'a'", "request.uid == ''",
		"variables.nosuch == 1", "params.x == 1", "duration('x') > duration('1s')", "'a'.matches('[')", "[1, 'a'].size() == 2", "cel.bind(x, 1, x == 1)")
}

func (g *gen) objectName() string { return pick(g, "object", "object", "object", "oldObject") }

// on puts a path of object sometimes on oldObject, and sometimes leaves it to
// chance whether it exists.
func (g *gen) on(path string) string {
	if g.operation == "DELETE" && g.chance(0.8) || g.operation == "UPDATE" && g.chance(0.3) || g.chance(0.03) {
		path = strings.ReplaceAll(path, "object.", "oldObject.")
	}
	return path
}

func (g *gen) intPath() string {
	paths := append([]string{"size(object.metadata.name)", "object.metadata.generation"}, g.kind.ints...)
	paths = append(paths, g.kind.ints...)
	return g.on(pick(g, paths...))
}

func (g *gen) strPath() string {
	paths := append([]string{"object.metadata.name", "object.metadata.labels.app", "object.metadata.labels['env']", "object.metadata.namespace", "object.kind"}, g.kind.strings...)
	return g.on(pick(g, paths...))
}

func (g *gen) listPath() string {
	paths := append([]string{"object.metadata.finalizers"}, g.kind.lists...)
	return g.on(pick(g, append(paths, g.kind.lists...)...))
}

// fieldPath ends in a field selection, as has() wants it.
func (g *gen) fieldPath() string {
	paths := []string{"object.metadata.labels", "object.metadata.annotations", "object.metadata.labels.env", "object.metadata.uid", "object.metadata.creationTimestamp", "object.spec", "object.status", "object.nosuch"}
	for _, list := range [][]string{g.kind.ints, g.kind.strings, g.kind.bools, g.kind.lists, g.kind.maps} {
		for _, p := range list {
			if !strings.HasSuffix(p, "]") && !strings.HasSuffix(p, ")") {
				paths = append(paths, p)
			}
		}
	}
	return g.on(pick(g, paths...))
}

func (g *gen) paramInt() string {
	switch g.params {
	case "Widget":
		return pick(g, "params.spec.size", "params.spec.size", "params.spec.undeclared")
	case "Quota":
		return "params.limit"
	}
	return "int(params.data.limit)"
}

func (g *gen) paramString() string {
	switch g.params {
	case "Widget":
		return pick(g, "params.spec.color", "params.kind", "params.metadata.name")
	case "Quota":
		return "params.metadata.name"
	}
	return pick(g, "params.data.color", "params.kind", "params.metadata.name", "params.data.missing")
}

// variableOf gives a variable of that type, "" when there is none.
func (g *gen) variableOf(typ string) string {
	var names []string
	for _, v := range g.variables {
		if v.typ == typ {
			names = append(names, "variables."+v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(g, names...)
}

// typed makes an expression of the type of a variable.
func (g *gen) typed(typ string) string {
	switch typ {
	case "bool":
		return g.boolean(depth - 1)
	case "int":
		return g.integer(depth - 1)
	}
	return g.str(depth - 1)
}

func quote(s string) string { return fmt.Sprintf("'%s'", s) }
