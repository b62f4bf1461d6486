package expressions

import "testing"

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
