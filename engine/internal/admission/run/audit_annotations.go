package run

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// Annotate publishes an audit annotation. The first value of a key stays, as
// in the server, which refuses to overwrite one. A key that is not a qualified
// name with a prefix is dropped. The server mentions neither; a note on the current
// step does.
func (c *Chain) Annotate(key, value string) {
	if !strings.Contains(key, "/") || len(validation.IsQualifiedName(key)) > 0 {
		c.Note(codes.AnnotationDropped, fmt.Sprintf("The server drops the audit annotation %s, because it is not a qualified name with a prefix.", key))
		return
	}
	if c.audit == nil {
		c.audit = map[string]string{}
	}
	first, ok := c.audit[key]
	if !ok {
		c.audit[key] = value
	} else if first != value {
		c.Note(codes.AnnotationDropped, fmt.Sprintf("The audit annotation %s has a value already, and the server keeps the first one.", key))
	}
}

// AuditAnnotations returns what was published.
func (c *Chain) AuditAnnotations() map[string]string { return c.audit }
