package noeffect

import "testing"

func TestSameAccount(t *testing.T) {
	const account = "system:serviceaccount:"
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{account + "gpu:driver", account + "gpu:driver-kubeletplugin", true},
		{account + "gpu:driver", account + "kube-system:driver", true},
		{account + "gpu:default", account + "shop:default", false},
		{account + "kube-system:namespace-controller", account + "kube-system:deployment-controller", false},
		{"system:apiserver", "system:kube-apiserver", true},
		{"system:node:a", "system:node:b", false},
		{account + "gpu:driver", "gpu:driver", true},
		{account + "gpu:driver", "jane", false},
		{"jane", "jane-doe", false},
	} {
		if got := sameAccount(test.a, test.b); got != test.want || got != sameAccount(test.b, test.a) {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
}

func TestOptionalOldSelf(t *testing.T) {
	for rule, want := range map[string]string{
		"!has(self.a) || oldSelf.a == self.a":                     "!has(self.a) || oldSelf.hasValue() && oldSelf.value().a == self.a",
		"!has(self.a) || (has(oldSelf.a) && oldSelf.a == self.a)": "!has(self.a) || (oldSelf.hasValue() && has(oldSelf.value().a) && oldSelf.hasValue() && oldSelf.value().a == self.a)",
		"self == oldSelf":             "", // about the change alone
		"self > 1 || !(oldSelf == 1)": "", // not known what is meant
		"self >":                      "",
	} {
		if got, ok := optionalOldSelf(rule); got != want || ok != (want != "") {
			t.Errorf("%s\n got %s\nwant %s", rule, got, want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		list          []string
		resource, sub string
		want          bool
	}{
		{[]string{"pods"}, "pods", "", true},
		{[]string{"pods"}, "pods", "resize", false},
		{[]string{"pods/*"}, "pods", "resize", true},
		{[]string{"*"}, "pods", "resize", false},
		{[]string{"*/*"}, "pods", "resize", true},
		{[]string{"*/scale"}, "deployments", "scale", true},
	} {
		if got := covers(test.list, test.resource, test.sub); got != test.want {
			t.Errorf("%v %s/%s: %v", test.list, test.resource, test.sub, got)
		}
	}
}
