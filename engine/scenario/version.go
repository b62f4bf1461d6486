package scenario

import "github.com/preadmit/preadmit/engine/internal/version"

// DefaultVersion is the Kubernetes version of a scenario that names none.
const DefaultVersion = version.DefaultText

// Versions lists the Kubernetes minor versions that can be simulated, oldest
// first: "1.30" to "1.37".
func Versions() []string {
	var list []string
	for _, v := range version.All() {
		list = append(list, v.String())
	}
	return list
}

// Release returns the patch release that a minor version simulates, such as "1.36.6" for "1.36";
// empty for unsupported versions.
func Release(minor string) string {
	v, err := version.Parse(minor)
	if err != nil {
		return ""
	}
	return v.Release()
}

// ParseVersion reads a Kubernetes version, with or without the v and the patch
// number ("1.36", "v1.36", "1.36.3", "v1.36.3-gke.1"), and returns its minor
// version ("1.36"). The error is a sentence for the user.
func ParseVersion(text string) (string, error) {
	v, err := version.Parse(text)
	if err != nil {
		return "", err
	}
	return v.String(), nil
}
