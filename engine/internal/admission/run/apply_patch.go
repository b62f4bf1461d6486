package run

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxCopyBytes is how much the copy operations of one patch may add, in bytes.
// The server sets it for the whole process, by JSONPatchMaxCopyBytes
// (k8s.io/apiserver pkg/server/config.go), so for policies and webhooks too.
const maxCopyBytes = 3 << 20

// The library has the limit as a variable and not as an option. Only
// initialisation may set it, as it is read without a lock. A program that is an
// API server itself has set it already.
func init() {
	atomic.CompareAndSwapInt64(&jsonpatch.AccumulatedCopySizeLimit, 0, maxCopyBytes)
}

// ApplyPatch applies a JSON patch with the server's library. The library crashes
// when an operation goes below a value that is null, and with it the request:
// then the error is a *apierrors.StatusError that ends everything.
func (c *Chain) ApplyPatch(step *report.Step, patch jsonpatch.Patch, document []byte) (after []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.Evaluator.Budget().Check() // a limit is no crash of the server
			err = c.Crash(step, fmt.Sprint(p), "The API server crashes this request and closes the connection, because an operation of the patch goes below a null value. Set the value itself in one operation.")
		}
	}()
	// The document is read and written, and each operation looks for its place.
	c.Evaluator.Budget().Work(2*len(document) + 100*len(patch))
	c.Evaluator.Budget().Make(2 * len(document))
	if !c.Version.Has(version.ReplaceByScalarErrors) {
		patch = slices.DeleteFunc(slices.Clone(patch), replacesByScalar)
	}
	if !c.Version.Has(version.TestForNothing) && c.testsForNothing(patch, document) {
		return nil, c.Crash(step, "runtime error: invalid memory address or nil pointer dereference", "Up to Kubernetes "+version.TestForNothing.Since().Previous().String()+" the API server crashes this request and closes the connection, because a test operation has no value and there is nothing at its path.")
	}
	return patch.Apply(document)
}

// replacesByScalar says that an operation replaces the whole document by a text,
// number or boolean. The old library does nothing then; today's gives an error.
func replacesByScalar(op jsonpatch.Operation) bool {
	path, err := op.Path()
	value := op["value"]
	if op.Kind() != "replace" || err != nil || path != "" || value == nil {
		return false
	}
	text := strings.TrimSpace(string(*value))
	return text != "null" && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[")
}

// testsForNothing says that the patch comes to such an operation. With today's
// library it is one that succeeds.
func (c *Chain) testsForNothing(patch jsonpatch.Patch, document []byte) bool {
	for i, op := range patch {
		path, err := op.Path()
		// A value that is null is given, though nothing is kept of it: the old library
		// compares it.
		if _, given := op["value"]; op.Kind() != "test" || given || err != nil || path == "" {
			continue
		}
		c.Evaluator.Budget().Work(2*len(document) + 100*i)
		if _, err := patch[:i+1].Apply(document); err == nil {
			return true
		}
	}
	return false
}

// Crash records that the server crashes the request with a panic, and why, and
// gives the error that ends it here.
func (c *Chain) Crash(step *report.Step, text, why string) *apierrors.StatusError {
	c.Panic = text
	step.Notes = append(step.Notes, report.Note{Code: codes.ServerPanic, Text: why})
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Message: text}}
}
