// Package version has the supported Kubernetes versions and their differences: one type, and tables
// of named behaviours, admission API versions and CEL functions. The engine uses these tables for
// every decision that depends on a version. They also provide the reasons in a comparison of
// versions, and docs/versions.md.
package version

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is a minor version of Kubernetes, such as 1.36. It is comparable and can be a map key.
// The zero Version means none.
type Version struct {
	minor int // 36 of 1.36
}

// The oldest and newest supported minor versions.
const (
	oldest = 30
	newest = 37
)

// patches are the newest patch releases, starting with the oldest version. Each version simulates
// this release. The table marks behaviours that came with a patch release.
var patches = [newest - oldest + 1]int{14, 14, 13, 13, 13, 10, 6, 2}

// Release returns the simulated patch release, such as "1.36.6".
func (v Version) Release() string { return fmt.Sprintf("%s.%d", v, patches[v.minor-oldest]) }

// Oldest is the first supported version.
func Oldest() Version { return Version{oldest} }

// Newest is the last supported version.
func Newest() Version { return Version{newest} }

// DefaultText is Default as users write it.
const DefaultText = "1.37"

// Default is the version of a scenario that names none.
func Default() Version { return MustParse(DefaultText) }

// All lists the supported versions, oldest first.
func All() []Version {
	var list []Version
	for v := Oldest(); !Newest().Before(v); v = v.Next() {
		list = append(list, v)
	}
	return list
}

// Parse reads a supported version, with or without the v and the patch number, which it ignores:
// "1.36", "v1.36", "1.36.3" and "v1.36.3-gke.1" are 1.36. The error is a sentence for the user
// without a final full stop; it lists the supported versions.
func Parse(text string) (Version, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return Version{}, fmt.Errorf("no Kubernetes version is given; known are %s to %s", Oldest(), Newest())
	}
	parts := strings.SplitN(strings.TrimPrefix(trimmed, "v"), ".", 3)
	if len(parts) < 2 || !isNumber(parts[0]) || !isNumber(parts[1]) || len(parts) == 3 && !isPatch(parts[2]) {
		return Version{}, fmt.Errorf("%q is not a Kubernetes version such as %q; known are %s to %s", text, DefaultText, Oldest(), Newest())
	}
	// A number too large for an int is not a supported version either.
	minor, err := strconv.Atoi(parts[1])
	if v := (Version{minor}); err == nil && parts[0] == "1" && v.Known() {
		return v, nil
	}
	return Version{}, fmt.Errorf("Kubernetes %s.%s is not known; known are %s to %s", parts[0], parts[1], Oldest(), Newest())
}

// OrDefault is Parse for a scenario's version: an empty text means Default.
func OrDefault(text string) (Version, error) {
	if text == "" {
		return Default(), nil
	}
	return Parse(text)
}

// MustParse is Parse for known versions, as in tests. It panics on an error.
func MustParse(text string) Version {
	v, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return v
}

// isNumber reports whether text is digits without a leading zero.
func isNumber(text string) bool {
	for i, c := range []byte(text) {
		if c < '0' || c > '9' || i == 0 && c == '0' && len(text) > 1 {
			return false
		}
	}
	return text != ""
}

// isPatch reports whether text can follow the minor version: a number and, after a hyphen or plus
// sign, anything that a distribution adds.
func isPatch(text string) bool {
	if i := strings.IndexAny(text, "-+"); i >= 0 {
		text = text[:i]
	}
	return isNumber(text)
}

// String is the version as users write it: "1.36".
func (v Version) String() string { return "1." + strconv.Itoa(v.minor) }

// Known reports whether v is supported.
func (v Version) Known() bool { return !v.Before(Oldest()) && !Newest().Before(v) }

// Before reports whether v is older than other.
func (v Version) Before(other Version) bool { return v.minor < other.minor }

// Compare orders versions, the oldest first, for package slices.
func (v Version) Compare(other Version) int { return cmp.Compare(v.minor, other.minor) }

// Previous returns the minor version before v, supported or not.
func (v Version) Previous() Version { return Version{v.minor - 1} }

// Next returns the minor version after v, supported or not.
func (v Version) Next() Version { return Version{v.minor + 1} }
