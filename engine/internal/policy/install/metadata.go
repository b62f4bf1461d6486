package install

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// staticSuffix ends the names that are reserved for admission configuration
// from manifest files (semantics §11.2).
const staticSuffix = serverconfig.Suffix

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
	meta.SelfLink = "" //lint:ignore SA1019 the server clears it too
	meta.DeletionTimestamp = nil
	meta.DeletionGracePeriodSeconds = nil
}

// metadata checks the metadata of any of the six kinds: the name is a DNS
// subdomain, the kinds are cluster-scoped.
func (c *checker) metadata(meta *metav1.ObjectMeta) {
	path := field.NewPath("metadata")
	names := metav1.ObjectMeta{Name: meta.Name, GenerateName: meta.GenerateName}
	for _, e := range validation.ValidateObjectMeta(&names, false, validation.NameIsDNSSubdomain, path) {
		c.add(metadataCode(e), e)
	}
	c.labels(path.Child("labels"), meta.Labels, codes.InvalidMetadata)
	c.annotations(path.Child("annotations"), meta.Annotations)
	c.ownerReferences(path.Child("ownerReferences"), meta.OwnerReferences)
	c.addAll(codes.InvalidMetadata, validation.ValidateFinalizers(meta.Finalizers, path.Child("finalizers")))
}

// annotations checks the keys and the size of annotations. The server reports
// keys in random order, we in theirs.
func (c *checker) annotations(path *field.Path, annotations map[string]string) {
	for _, key := range sortedKeys(annotations) {
		for _, e := range validation.ValidateAnnotations(map[string]string{key: ""}, path) {
			p := c.add(codes.InvalidMetadata, e)
			p.at, p.key = path.Key(key).String(), true
		}
	}
	if validation.ValidateAnnotationsSize(annotations) != nil {
		c.add(codes.InvalidMetadata, field.TooLong(path, "", validation.TotalAnnotationSizeLimitB))
	}
}

// ownerReferences checks owner references. The texts of the library are those
// of versions that say which reference they mean.
func (c *checker) ownerReferences(path *field.Path, refs []metav1.OwnerReference) {
	list := validation.ValidateOwnerReferences(refs, path)
	if c.version.Has(version.OwnerReferenceIndex) {
		c.addAll(codes.InvalidMetadata, list)
		return
	}
	for i, r := range refs {
		gvk := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
		for _, f := range []struct{ value, name, was string }{
			{gvk.Version, "apiVersion", "version"}, {r.Kind, "kind", "kind"}, {r.Name, "name", "name"}, {string(r.UID), "uid", "uid"},
		} {
			if f.value != "" {
				continue
			}
			text := "must not be empty"
			if !c.version.Has(version.ShortFieldErrors) || f.name == "apiVersion" {
				text = f.was + " " + text
			}
			value := f.value
			if f.name == "apiVersion" {
				value = r.APIVersion
			}
			c.invalid(codes.InvalidMetadata, path.Child(f.name), value, text).at = path.Index(i).Child(f.name).String()
		}
		if _, banned := validation.BannedOwners[gvk]; banned {
			c.invalid(codes.InvalidMetadata, path, r, fmt.Sprintf("%s is disallowed from being an owner", gvk)).at = path.Index(i).String()
		}
	}
	for _, e := range list {
		if e.Field == path.String() { // two controllers
			c.add(codes.InvalidMetadata, e)
		}
	}
}

func metadataCode(e *field.Error) string {
	switch {
	case e.Type == field.ErrorTypeRequired:
		return codes.RequiredValue
	case e.Field == "metadata.name" || e.Field == "metadata.generateName":
		return codes.InvalidName
	}
	return codes.InvalidMetadata
}

// reservedName checks for names that are kept for manifest files: rejected where
// the feature is on, a warning where it is off.
func (c *checker) reservedName(name string) (warnings []string) {
	if !strings.HasSuffix(name, staticSuffix) || !c.version.Has(version.ReservedNamesRefused) {
		return c.reservedWarnings(name)
	}
	c.invalid(codes.ReservedName, reservedPath, name, reservedText)
	return nil
}

var (
	reservedPath = field.NewPath("metadata", "name")
	reservedText = fmt.Sprintf("names ending with %q are reserved for static manifest-based configurations and cannot be managed via the API", staticSuffix)
)

// reservedWarnings are the server's warnings about a name that an object may keep.
func (c *checker) reservedWarnings(name string) []string {
	if !strings.HasSuffix(name, staticSuffix) || !c.version.Has(version.ReservedNamesWarned) {
		return nil
	}
	return []string{reservedPath.String() + ": " + reservedText}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
