package expressions

import "testing"

// TestTyped gives problems of types as the compiler says them, and what the
// expression is repaired to.
func TestTyped(t *testing.T) {
	const noFields = "type 'list(x)' does not support field selection"
	for _, tc := range []struct {
		from, message string
		at            int
		want          string
	}{
		{"object.items.image == 'a'", noFields, 12, "object.items.all(i, i.image == 'a')"},
		{"a && object.items.image.startsWith('a') || b", noFields, 17, "a && object.items.all(i, i.image.startsWith('a')) || b"},
		{"object.items.length > 0", noFields, 12, "object.items.size() > 0"},
		{"!object.items.privileged", noFields, 13, "object.items.all(i, !i.privileged)"},
		{"has(object.items.image)", noFields, 3, "object.items.all(i, has(i.image))"},
		{"1 < object.items.port", noFields, 16, ""},
		{"a || r.host in object.items.hosts", noFields, 27, "a || object.items.exists(i, r.host in i.hosts)"},
		{"!('web' in object.items.name) && b", noFields, 23, "!(object.items.exists(i, i.name == 'web')) && b"},
		{"'a%d %.1f'.format([object.a, object.b])", "error during formatting: decimal clause can only be used on integers, was given string", 17, "'a%s %.1f'.format([object.a, object.b])"},
		{"'a%d %.1f'.format([object.a, object.b])", "error during formatting: fixed-point clause can only be used on doubles, was given int", 17, "'a%d %s'.format([object.a, object.b])"},
		{"'a%v {0} ${b}'.format([object.a])", `could not parse formatting clause: unrecognized formatting clause "v"`, 1, "'a%s %s %s'.format([object.a])"},
		{"'a%d'.format([object.a, object.b])", "too many arguments supplied to string.format (expected 1, got 2)", 1, ""},
		{"object.labels.exists(l, l.key == 'a' && l.value == 'b')", "type 'string' does not support field selection", 25, "object.labels.exists(l, l == 'a' && object.labels[l] == 'b')"},
		{"object.name.first == 'a'", "type 'string' does not support field selection", 11, ""},
		{"object.items['web'].image != 'x'", "found no matching overload for '_[_]' applied to '(list(x), string)'", 12, "object.items.exists(i, i.name == 'web' && i.image != 'x')"},
		{"'a%d'.format(object.n)", "found no matching overload for 'format' applied to 'string.(int)'", 12, "'a%d'.format([object.n])"},
		{"'%d of %d'.format([object.n], object.m)", "found no matching overload for 'format' applied to 'string.(list(int), int)'", 20, "'%d of %d'.format([object.n, object.m])"},
		{"object.name[0] == 'a'", "found no matching overload for '_[_]' applied to '(string, int)'", 11, "object.name.charAt(0) == 'a'"},
		{"object.drop == 'ALL'", "found no matching overload for '_==_' applied to '(list(string), string)'", 12, "'ALL' in object.drop"},
		{"object.drop != 'ALL'", "found no matching overload for '_!=_' applied to '(list(string), string)'", 12, "!('ALL' in object.drop)"},
		{"'a' + object.n", "found no matching overload for '_+_' applied to '(string, int)'", 4, "'a' + string(object.n)"},
		{"['a'] in object.labels", "found no matching overload for '@in' applied to '(list(string), map(string, string))'", 6, "'a' in object.labels"},
		{"!['a'] in object.labels", "found no matching overload for '@in' applied to '(list(string), map(string, string))'", 7, "!('a' in object.labels)"},
		{"object.labels.contains('a')", "found no matching overload for 'contains' applied to 'map(string, string).(string)'", 22, "'a' in object.labels"},
		{"!object.labels.contains('a')", "found no matching overload for 'contains' applied to 'map(string, string).(string)'", 23, "!('a' in object.labels)"},
		{"object.ip in cidr('10.0.0.0/8')", "found no matching overload for '@in' applied to '(string, net.CIDR)'", 10, "cidr('10.0.0.0/8').containsIP(object.ip)"},
		{"cidr(object.net) in cidr('10.0.0.0/8')", "found no matching overload for '@in' applied to '(net.CIDR, net.CIDR)'", 17, "cidr('10.0.0.0/8').containsCIDR(cidr(object.net))"},
		{"object.a == null", "found no matching overload for '_==_' applied to '(int, null)'", 9, "!has(object.a)"},
	} {
		t.Run(tc.from, func(t *testing.T) {
			if got := Typed(tc.from, tc.message, tc.at); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestUnitsCompared: durations and quantities that are compared as texts, and what is left alone.
func TestUnitsCompared(t *testing.T) {
	for from, want := range map[string]string{
		"self.wait < '5m'":              "duration(self.wait) < duration('5m')",
		"'2h' >= params.data.age":       "duration('2h') >= duration(params.data.age)",
		"self.size > '2Gi' && self.a":   "quantity(self.size).isGreaterThan(quantity('2Gi')) && self.a",
		"self.version > '1.2'":          "",
		"self.day < '2024-01-01'":       "",
		"self.wait == '5m'":             "",
		"duration(self.wait) < '5m'":    "",
		"self.date < 'm'":               "",
		"'9m' < '10m'":                  "",
		"self.wait <= duration('5m')":   "",
		"['5m'].exists(x, x == self.a)": "",
	} {
		got := ""
		for _, d := range Doubts(from) {
			got = d.Repaired
		}
		if got != want {
			t.Errorf("%s: %q", from, got)
		}
	}
}
