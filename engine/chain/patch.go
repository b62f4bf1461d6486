package chain

import (
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/report"
)

// ApplyPatch applies a JSON patch with the server's library. The library crashes
// when an operation goes below a value that is null, and with it the request:
// then the error is a *apierrors.StatusError that ends everything.
func (c *Chain) ApplyPatch(step int, patch jsonpatch.Patch, document []byte) (after []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.Crash(step, fmt.Sprint(p), "The API server crashes this request and closes the connection, because an operation of the patch goes below a value that is null. Give the value itself in one operation.")
		}
	}()
	return patch.Apply(document)
}

// Crash records that the server crashes the request with a panic, and why, and
// gives the error that ends it here.
func (c *Chain) Crash(step int, text, why string) *apierrors.StatusError {
	c.Panic = text
	s := c.Step(step)
	s.Notes = append(s.Notes, report.Note{Code: "server-panic", Text: why})
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Message: text}}
}
