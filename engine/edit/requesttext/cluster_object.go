package requesttext

import (
	"errors"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/guard"
)

// Form is what an object of a running cluster is made of, as a request.
type Form string

// The forms.
const (
	Stripped Form = "stripped" // the object without what only a server sets: it is created
	Updated  Form = "updated"  // an UPDATE of the object, as it is, to itself
	Deleted  Form = "deleted"  // a DELETE of the object

)

// lastApplied is what kubectl apply keeps in an object.
const lastApplied = "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]"

// setByServer are the fields that a client does not send, and what they are in.
var setByServer = []struct{ parent, path string }{
	{"metadata.annotations", lastApplied},
	{"metadata", "metadata.managedFields"},
	{"metadata", "metadata.uid"},
	{"metadata", "metadata.resourceVersion"},
	{"metadata", "metadata.generation"},
	{"metadata", "metadata.creationTimestamp"},
	{"metadata", "metadata.selfLink"},
	{"", "status"},
}

// FromCluster reports whether a text is an object as a running cluster has it: it
// has a uid.
func FromCluster(text string) bool {
	// Most texts have no such key, which can only be written otherwise with escapes: nothing must be read then.
	if !strings.Contains(text, "uid") && !strings.Contains(text, `\`) {
		return false
	}
	e, err := open(text)
	return err == nil && e.bare && e.hasValue("metadata.uid")
}

// IsObject reports whether a text is an object alone, which has no room for a user or
// an operation: a change wraps it in an AdmissionReview.
func IsObject(text string) bool {
	e, err := open(text)
	return err == nil && e.bare
}

// As makes another request of an object that comes from a running cluster.
func As(text string, form Form) (_ string, err error) {
	defer guard.Error(&err)
	switch form {
	case Updated:
		operation := "UPDATE"
		return Change(text, Changes{Operation: &operation, OldObject: &text})
	case Deleted:
		operation := "DELETE"
		return Change(text, Changes{Operation: &operation})
	case Stripped:
		return strip(text)
	}
	return "", errors.New("an object cannot become a request in the form " + string(form))
}

// strip removes what only a server sets; the rest keeps its layout.
func strip(text string) (string, error) {
	e, err := open(text)
	if err != nil {
		return "", err
	}
	for _, f := range setByServer {
		e.removeFrom(f.parent, f.path)
	}
	if annotations, ok := nested(e.doc.Value, "metadata", "annotations").(map[string]any); (ok && len(annotations) == 0) || !ok {
		e.removeFrom("metadata", "metadata.annotations")
	}
	return e.text, e.err
}

func nested(value any, fields ...string) any {
	for _, field := range fields {
		m, _ := value.(map[string]any)
		value = m[field]
	}
	return value
}
