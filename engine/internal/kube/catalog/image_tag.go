package catalog

import (
	"regexp"
	"strings"
	"sync"
)

// imageReference is the grammar for container image references (github.com/distribution/reference):
// name, tag and digest.
var imageReference = sync.OnceValue(func() *regexp.Regexp {
	const (
		label  = `(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])`
		domain = `(?:` + label + `(?:\.` + label + `)*|\[(?:[a-fA-F0-9:]+)\])(?::[0-9]+)?`
		part   = `[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*`
		name   = `(?:` + domain + `/)?` + part + `(?:/` + part + `)*`
		tag    = `[\w][\w.-]{0,127}`
		digest = `[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`
	)
	return regexp.MustCompile(`^(` + name + `)(?::(` + tag + `))?(?:@(` + digest + `))?$`)
})

var (
	imageIdentifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-f0-9]{64}$`) })
	imageDigest     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$`)
	})
)

// maxImageName is the maximum length of a name with its domain.
const maxImageName = 255

// latestTag reports whether an image's tag is latest, explicitly or because it has neither tag nor
// digest. Invalid references have no tag.
func latestTag(image string) bool {
	if imageIdentifier().MatchString(image) {
		return false
	}
	full := withDomain(image)
	if full == "" {
		return false
	}
	groups := imageReference().FindStringSubmatch(full)
	if groups == nil || len(groups[1]) > maxImageName {
		return false
	}
	tag, digest := groups[2], groups[3]
	if digest != "" && !imageDigest().MatchString(digest) {
		return false
	}
	return tag == "latest" || tag == "" && digest == ""
}

// withDomain adds the default registry and namespace to a short reference. It returns "" for a
// repository name with capital letters.
func withDomain(image string) string {
	domain, rest, found := strings.Cut(image, "/")
	if !found || !strings.ContainsAny(domain, ".:") && domain != "localhost" && domain == strings.ToLower(domain) {
		domain, rest = "docker.io", image
	}
	if domain == "index.docker.io" {
		domain = "docker.io"
	}
	if domain == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	if name, _, _ := strings.Cut(rest, ":"); name != strings.ToLower(name) {
		return ""
	}
	return domain + "/" + rest
}
