package custom

import (
	"fmt"
	"strings"
)

// escaped returns a property's name in CEL.
func escaped(name string) string {
	switch name {
	case "in", "namespace":
		return "__" + name + "__"
	}
	return strings.NewReplacer(".", "__dot__", "-", "__dash__").Replace(name)
}

func (g *generator) addRules(s object) {
	if !g.chance(30) || g.rules > 8 {
		return
	}
	var list []any
	for range 1 + g.IntN(2) {
		if expression := g.expression("self", s, 2); expression != "" {
			list = append(list, g.rule(s, expression))
			g.rules++
		}
	}
	if len(list) > 0 {
		s["x-kubernetes-validations"] = list
	}
}

func (g *generator) rule(s object, expression string) object {
	if g.chance(25) {
		old := one(g, "self == oldSelf", "oldSelf == self", expression+" || self == oldSelf", "self in [oldSelf]", "[self].all(x, x == oldSelf)")
		if s["type"] == "integer" {
			old = one(g, "self >= oldSelf", "self - oldSelf < 3", old)
		}
		expression = old
	}
	r := object{"rule": expression}
	if strings.Contains(expression, "oldSelf") && g.chance(25) {
		r["optionalOldSelf"] = true
		r["rule"] = one(g, "!oldSelf.hasValue() || "+strings.ReplaceAll(expression, "oldSelf", "oldSelf.value()"),
			"oldSelf.hasValue() ? "+strings.ReplaceAll(expression, "oldSelf", "oldSelf.value()")+" : true", "oldSelf.orValue(self) == self")
	}
	switch g.IntN(8) {
	case 0:
		r["message"] = one(g, "must be right", "is not that", "a 'quoted' word")
	case 1:
		r["messageExpression"] = one(g, "'computed'", "'kind: ' + (type(self) == type(1) ? 'a' : 'b')", "''", "'  '", "'two\\nlines'", "string(1)", "'x' + [1][3]")
	case 2:
		r["message"] = "static"
		r["messageExpression"] = one(g, "''", "'computed'", "'two\\nlines'", "string(1 / 0)")
	case 3:
		if s["type"] == "string" {
			r["messageExpression"] = "'got ' + self"
		}
	}
	if g.chance(20) {
		r["reason"] = one(g, "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid")
	}
	if properties, ok := s["properties"].(object); ok && len(properties) > 0 && g.chance(25) {
		name := one(g, sorted(properties)...)
		r["fieldPath"] = "." + name
		if strings.ContainsAny(name, ".-") {
			r["fieldPath"] = "['" + name + "']"
		}
		if g.chance(5) {
			r["fieldPath"] = ".nothing"
		}
	}
	return r
}

// expression generates a condition on a schema's value; empty if none is possible.
func (g *generator) expression(self string, s object, depth int) string {
	if s["nullable"] == true && g.chance(70) {
		return ""
	}
	if g.chance(1) {
		return one(g, self+" > 'a' && "+self+" > 1", self+".nothing", "unknown("+self+")", self+" ==", "math.abs(1) == 1")
	}
	switch s["type"] {
	case "string":
		return g.textExpression(self)
	case "integer":
		return one(g, self+" < 5", self+" >= 0", self+" % 2 == 0", "10 / "+self+" > 1", self+" in [1, 2, 3]", "string("+self+").size() < 3")
	case "number":
		return one(g, self+" < 5.0", self+" >= 0.5", "int("+self+") < 4")
	case "boolean":
		return one(g, self, "!"+self)
	case "object":
		return g.objectExpression(self, s, depth)
	case "array":
		return g.listExpression(self, s, depth)
	}
	if s["x-kubernetes-int-or-string"] == true {
		return one(g, fmt.Sprintf("type(%s) == int ? %s < 50 : %s.endsWith('%%')", self, self, self), fmt.Sprintf("type(%s) == int", self))
	}
	return ""
}

func (g *generator) textExpression(self string) string {
	return one(g, self+".size() < 6", self+" != 'bad'", self+".startsWith('a')", self+".matches('^[a-z]+$')", self+" in ['red', 'green']",
		"!"+self+".contains('x')", self+".lowerAscii() == "+self, "int("+self+") < 5", "isURL("+self+")", self+".split('.').size() < 3", self+".find('[0-9]+') == ''",
		self+".charAt(0) == 'a'", self+".replace('a', 'bb').size() < 8")
}

func (g *generator) objectExpression(self string, s object, depth int) string {
	if values, ok := s["additionalProperties"].(object); ok {
		if inner := g.expression(self+"[k]", values, depth-1); inner != "" && depth > 0 && g.chance(50) {
			return fmt.Sprintf("%s.all(k, %s)", self, inner)
		}
		return one(g, self+".size() < 3", self+".all(k, k.size() < 4)", "'a' in "+self, self+".exists(k, k == 'b')")
	}
	properties, ok := s["properties"].(object)
	if !ok || len(properties) == 0 {
		return ""
	}
	name := one(g, sorted(properties)...)
	at := self + "." + escaped(name)
	property := properties[name].(object)
	if property["nullable"] == true || len(property) == 0 {
		return fmt.Sprintf("has(%s)", at)
	}
	inner := ""
	if depth > 0 {
		inner = g.expression(at, property, depth-1)
	}
	if g.chance(8) {
		return fmt.Sprintf("!has(%s) || %s", at, g.itself(at, property))
	}
	if inner == "" {
		return one(g, fmt.Sprintf("has(%s)", at), fmt.Sprintf("!has(%s)", at))
	}
	if g.chance(75) {
		return fmt.Sprintf("!has(%s) || (%s)", at, inner)
	}
	return inner
}

// itself compares a value with itself, and a list with itself plus an item: releases differ in
// both.
func (g *generator) itself(self string, s object) string {
	same := fmt.Sprintf("%s == %s", self, self)
	items, ok := s["items"].(object)
	if !ok || s["type"] != "array" {
		return one(g, same, self+" in ["+self+"]")
	}
	added := self
	switch items["format"] {
	case "date-time", "date":
		added = "[timestamp('2026-01-01T00:00:00Z')]"
	case "duration":
		added = "[duration('1s')]"
	case nil:
		if items["type"] == "string" {
			added = one(g, self, "['a', 'b']")
		}
	}
	return one(g, same, fmt.Sprintf("%s.all(x, x in %s)", self, self), fmt.Sprintf("(%s + %s).size() < 4", self, added),
		fmt.Sprintf("(%s + %s).all(x, x in %s)", self, added, self), fmt.Sprintf("%s + %s == %s + %s", self, added, self, added))
}

func (g *generator) listExpression(self string, s object, depth int) string {
	items, ok := s["items"].(object)
	if !ok {
		return ""
	}
	if g.chance(10) {
		return g.itself(self, s)
	}
	if depth > 0 && g.chance(50) {
		if inner := g.expression("x", items, depth-1); inner != "" {
			return fmt.Sprintf("%s.%s(x, %s)", self, one(g, "all", "exists", "exists_one"), inner)
		}
	}
	switch items["type"] {
	case "integer":
		return one(g, self+".sum() < 10", self+".isSorted()", self+".max() < 5", self+".all(x, "+self+".exists_one(y, y == x))", self+"[0] < 3")
	case "string":
		return one(g, self+".isSorted()", self+".all(x, "+self+".exists_one(y, y == x))", self+".indexOf('a') < 2", self+".join(',').size() < 10")
	}
	return one(g, self+".size() < 3", self+".size() > 0", self+".filter(x, true).size() < 4")
}
