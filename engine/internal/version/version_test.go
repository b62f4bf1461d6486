package version

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"1.30": "1.30", "1.37": "1.37", "v1.36": "1.36", "1.36.3": "1.36", "v1.36.3": "1.36", "1.36.0": "1.36",
		"v1.36.3-gke.100": "1.36", "1.36.3+k3s1": "1.36", " 1.31 ": "1.31",
	} {
		v, err := Parse(text)
		if err != nil || v.String() != want || v != MustParse(want) {
			t.Errorf("Parse(%q) = %v, %v; want %s", text, v, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        `no Kubernetes version is given`,
		" ":                       `no Kubernetes version is given`,
		"abc":                     `"abc" is not a Kubernetes version such as "1.37"`,
		"1":                       `"1" is not a Kubernetes version such as "1.37"`,
		"v":                       `"v" is not a Kubernetes version such as "1.37"`,
		"36":                      `"36" is not a Kubernetes version such as "1.37"`,
		"1.-30":                   `"1.-30" is not a Kubernetes version such as "1.37"`,
		"1.+36":                   `"1.+36" is not a Kubernetes version such as "1.37"`,
		"1.036":                   `"1.036" is not a Kubernetes version such as "1.37"`,
		"1.30foo":                 `"1.30foo" is not a Kubernetes version such as "1.37"`,
		"1.36.":                   `"1.36." is not a Kubernetes version such as "1.37"`,
		"1.36.x":                  `"1.36.x" is not a Kubernetes version such as "1.37"`,
		"1.36.3.1":                `"1.36.3.1" is not a Kubernetes version such as "1.37"`,
		"1.3":                     `Kubernetes 1.3 is not known`,
		"1.29":                    `Kubernetes 1.29 is not known`,
		"1.38":                    `Kubernetes 1.38 is not known`,
		"1.99.1":                  `Kubernetes 1.99 is not known`,
		"2.36":                    `Kubernetes 2.36 is not known`,
		"1.99999999999999999999":  `Kubernetes 1.99999999999999999999 is not known`,
		"99999999999999999999.36": `Kubernetes 99999999999999999999.36 is not known`,
	} {
		v, err := Parse(text)
		if want += "; known are 1.30 to 1.37"; err == nil || err.Error() != want || v != (Version{}) {
			t.Errorf("Parse(%q) = %v, %v; want %q", text, v, err, want)
		}
	}
}

func TestOrDefault(t *testing.T) {
	if v, err := OrDefault(""); v != Default() || err != nil {
		t.Errorf("nothing: %v, %v", v, err)
	}
	if v, err := OrDefault("1.31.2"); v.String() != "1.31" || err != nil {
		t.Errorf("1.31.2: %v, %v", v, err)
	}
	if _, err := OrDefault("x"); err == nil {
		t.Error("x is accepted")
	}
}

func TestAll(t *testing.T) {
	var texts []string
	for _, v := range All() {
		texts = append(texts, v.String())
	}
	if want := "1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37"; strings.Join(texts, " ") != want {
		t.Errorf("%v, want %s", texts, want)
	}
	if !slices.IsSortedFunc(All(), Version.Compare) || !Oldest().Before(Newest()) || Newest().Before(Newest()) || Newest().Before(Oldest()) {
		t.Error("the order is wrong")
	}
	if v := MustParse("1.36"); v.Previous() != MustParse("1.35") || v.Next() != MustParse("1.37") {
		t.Errorf("around %s: %s, %s", v, v.Previous(), v.Next())
	}
}
