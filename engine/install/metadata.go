package install

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// staticSuffix ends the names that are reserved for admission configuration
// from manifest files (semantics §11.2).
const staticSuffix = ".static.k8s.io"

// maxGeneratedBase is how much of generateName the server keeps: 63 characters
// less the five that it appends.
const maxGeneratedBase = 58

// prepareMetadata does to the metadata what the server does before it looks at
// it: a name is generated, a namespace on a cluster-scoped kind is dropped, and
// what only the system may set is cleared.
func prepareMetadata(meta *metav1.ObjectMeta) {
	if meta.Name == "" && meta.GenerateName != "" {
		base := meta.GenerateName
		if len(base) > maxGeneratedBase {
			base = base[:maxGeneratedBase]
		}
		// The server appends five random characters; ours are always the
		// same, so that reports are stable.
		meta.Name = base + "xxxxx"
	}
	meta.Namespace = ""
	meta.Generation = 1
	meta.ManagedFields = nil
	meta.SelfLink = ""
	meta.DeletionTimestamp = nil
	meta.DeletionGracePeriodSeconds = nil
}

// metadata checks the metadata of any of the six kinds: the name is a DNS
// subdomain, the kinds are cluster-scoped.
func (c *checker) metadata(meta *metav1.ObjectMeta) {
	path := field.NewPath("metadata")
	// Labels and annotations are maps, and the server reports their errors in
	// random order. Here they are in order of their keys.
	labels, annotations := meta.Labels, meta.Annotations
	rest := *meta
	rest.Labels, rest.Annotations = nil, nil

	list := validation.ValidateObjectMeta(&rest, false, validation.NameIsDNSSubdomain, path)
	before, after := splitAt(list, path.Child("ownerReferences").String())
	for _, e := range before {
		c.add(metadataCode(e), e)
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		c.labels(path.Child("labels"), map[string]string{key: labels[key]}, CodeMetadata)
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		one := map[string]string{key: ""}
		for _, e := range validation.ValidateAnnotations(one, path.Child("annotations")) {
			p := c.add(CodeMetadata, e)
			p.at, p.key = path.Child("annotations").Key(key).String(), true
		}
	}
	if validation.ValidateAnnotationsSize(annotations) != nil {
		c.add(CodeMetadata, field.TooLong(path.Child("annotations"), "", validation.TotalAnnotationSizeLimitB))
	}
	for _, e := range after {
		c.add(metadataCode(e), e)
	}
}

// splitAt cuts a list before the first error whose field is not earlier in the
// server's order than prefix: owner references, finalizers, managed fields.
func splitAt(list field.ErrorList, prefix string) (before, after field.ErrorList) {
	for i, e := range list {
		if strings.HasPrefix(e.Field, prefix) || strings.HasPrefix(e.Field, "metadata.finalizers") {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

func metadataCode(e *field.Error) string {
	switch {
	case e.Type == field.ErrorTypeRequired:
		return CodeRequired
	case e.Field == "metadata.name" || e.Field == "metadata.generateName":
		return CodeName
	}
	return CodeMetadata
}

// reservedName checks for names that are kept for manifest files: refused from
// 1.37 on, where the feature is on, a warning in 1.36, where it is off.
func (c *checker) reservedName(name string) (warnings []string) {
	if !strings.HasSuffix(name, staticSuffix) || c.minor < 36 {
		return nil
	}
	path := field.NewPath("metadata", "name")
	text := fmt.Sprintf("names ending with %q are reserved for static manifest-based configurations and cannot be managed via the API", staticSuffix)
	if c.minor >= 37 {
		c.invalid(CodeReservedName, path, name, text)
		return nil
	}
	return []string{path.String() + ": " + text}
}
