package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DefaultVersion is the Kubernetes version of a scenario that names none.
const DefaultVersion = "1.37"

// The oldest and newest minor versions that can be simulated.
const (
	oldestMinor = 30
	newestMinor = 37
)

// Versions lists the Kubernetes minor versions that can be simulated, oldest
// first: "1.30" to "1.37".
func Versions() []string {
	var list []string
	for minor := oldestMinor; minor <= newestMinor; minor++ {
		list = append(list, fmt.Sprintf("1.%d", minor))
	}
	return list
}

// ParseVersion reads a Kubernetes version, with or without the v and the patch
// number ("1.36", "v1.36", "1.36.3", "v1.36.3-gke.1"), and returns its minor
// version ("1.36"). The error is a sentence for the user.
func ParseVersion(s string) (string, error) {
	parts := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(s), "v"), ".", 3)
	if len(parts) < 2 || !isNumber(parts[0]) || !isNumber(parts[1]) {
		return "", fmt.Errorf("%q is not a Kubernetes version such as %q", s, DefaultVersion)
	}
	version := parts[0] + "." + parts[1]
	if !slices.Contains(Versions(), version) {
		return "", fmt.Errorf("Kubernetes %s is not known; known are 1.%d to 1.%d", version, oldestMinor, newestMinor)
	}
	return version, nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}
