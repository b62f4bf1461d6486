package expressions

import "testing"

func TestEscapedWords(t *testing.T) {
	for expression, want := range map[string]string{
		`self.all(p, !has(p.namespace) || p.namespace != self.namespace)`: `self.all(p, !has(p.__namespace__) || p.__namespace__ != self.__namespace__)`,
		`self.in.size() > 0`: `self.__in__.size() > 0`,
		`self.name != 'a.namespace' && self.__namespace__ == '' && self.as()`: "",
	} {
		if got := escapedWords(expression); got != want {
			t.Errorf("%s: %q, not %q", expression, got, want)
		}
	}
}

func TestAsFormat(t *testing.T) {
	for expression, want := range map[string]string{
		`'max is ' + string(self.max)`:                    `'max is %s'.format([self.max])`,
		`string(self.a) + "% of " + string(size(self.b))`: `'%s%% of %s'.format([self.a, size(self.b)])`,
		`'a' + self.name + string(self.n)`:                `'a%s%s'.format([self.name, self.n])`,
		`'a' + string(self.n) + (self.b ? 'x' : 'y')`:     `'a%s%s'.format([self.n, (self.b ? 'x' : 'y')])`,
		// Nothing is converted, or it is no sum of texts.
		`'a' + self.name`:                  "",
		`string(self.n)`:                   "",
		`self.b ? 'a' + string(1) : 'b'`:   "",
		`'it\'s ' + string(self.n)`:        "",
		`'a' + string(self.n) + `:          "",
		`'a' + string(self.n`:              "",
		`'a' + string(self.n) // a number`: "",
		``:                                 "",
	} {
		if got := asFormat(expression); got != want {
			t.Errorf("%s: %q, not %q", expression, got, want)
		}
	}
}
