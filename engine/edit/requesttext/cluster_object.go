package requesttext

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
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
// an operation: they are settings, or a change wraps it in an AdmissionReview.
func IsObject(text string) bool {
	e, err := open(text)
	return err == nil && e.bare
}

// Stripped returns an object without what only a server sets; the rest keeps its layout. It fails
// for a text that is not one readable document.
func Stripped(text string) (_ string, err error) {
	defer guard.Error(&err)
	e, err := open(text)
	if err != nil {
		return "", err
	}
	for _, f := range setByServer {
		e.removeFrom(f.parent, f.path)
	}
	if len(untyped.Sub(e.doc.Value, "metadata", "annotations")) == 0 {
		e.removeFrom("metadata", "metadata.annotations")
	}
	return e.text, e.err
}
