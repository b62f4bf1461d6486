package suggest

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	names := []string{"replicas", "selector", "template", "minReadySeconds", "paused", "no", "m", "runAsGroup", "runAsNonRoot"}
	for got, want := range map[string]string{
		"replica":         "replicas",
		"Replicas":        "replicas",
		"relpicas":        "replicas",
		"minReadySeocnds": "minReadySeconds",
		"replicas":        "", // is one
		"strategy":        "",
		"initSelector":    "", // another field
		"replicasMax":     "",
		"runAsRoot":       "", // no kind of group
		"runAsGruop":      "runAsGroup",
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

// TestOfKeys: two keys that share a domain may be unrelated.
func TestOfKeys(t *testing.T) {
	for _, tc := range []struct{ has, got, want string }{
		{"app.kubernetes.io/instance", "app.kubernetes.io/name", ""},
		{"team.example.com/cost", "team.example.com/owner", ""},
		{"pod-security.kubernetes.io/warn", "pod-security.kubernetes.io/enforce", ""},
		{"topology.kubernetes.io/region", "topology.kubernetes.io/zone", ""},
		{"routes.example.com/channel", "routes.example.com/version", ""},
		{"app.kubernetes.io/name", "app.kubernetes.io/nmae", "app.kubernetes.io/name"},
		{"app.kubernetes.io/name", "app.kuberntes.io/name", "app.kubernetes.io/name"},
		{"a.example.com/name", "name", ""},
		{"deployments/scale", "deployments/scales", "deployments/scale"},
	} {
		if best, _ := Of([]string{tc.has}, tc.got); best != tc.want {
			t.Errorf("%s where there is %s: %q, want %q", tc.got, tc.has, best, tc.want)
		}
	}
}

func TestQuantities(t *testing.T) {
	for text, want := range map[string][]string{
		"512MB":         {"512Mi", "512M"},
		"500MB":         {"500M", "500Mi"},
		"1.5 gb":        {"1.5Gi", "1.5G"},
		"10GiB":         {"10Gi"},
		"10 gi":         {"10Gi"},
		"64k":           {"64k"},
		"2KB":           {"2Ki", "2k"},
		"512 M":         {"512M"},
		"100 m":         {"100m"},
		"2 cores":       {"2"},
		"250millicores": {"250m"},
		"3bytes":        {"3"},
		"2 weeks":       nil,
		"MB":            nil,
	} {
		if got := Quantities(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
