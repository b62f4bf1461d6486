package suggest

import "testing"

func TestOf(t *testing.T) {
	names := []string{"replicas", "selector", "template", "minReadySeconds", "paused", "no", "m"}
	for got, want := range map[string]string{
		"replica":         "replicas",
		"Replicas":        "replicas",
		"relpicas":        "replicas",
		"minReadySeocnds": "minReadySeconds",
		"replicas":        "", // is one
		"strategy":        "",
		"initSelector":    "", // another field
		"replicasMax":     "",
		"on":              "no",
		"x":               "",
		"M":               "m",
		"":                "",
	} {
		if best, ok := Of(names, got); best != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", got, best, ok, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abc", "abc", 0}, {"ca", "abc", 3}} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
