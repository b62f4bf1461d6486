package storage

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

const (
	// maxRaft is the largest request that etcd writes by default (--max-request-bytes), and raftHeader what
	// it puts before one.
	maxRaft, raftHeader = 1536 << 10, 18
	// maxSent is the largest message that the server's etcd client sends.
	maxSent = 2 << 20
)

// TooLarge is the server's answer to an object that etcd does not store; nil for others. A server that
// etcd refuses tries again without managed fields, except for a server-side apply, so they count only there.
func (e *Storage) TooLarge(applied bool) *apierrors.StatusError {
	a := &e.Attributes
	if a.DryRun || a.Object == nil || a.Operation == "CREATE" && a.SubResource != "" || a.Operation == "UPDATE" && !e.replaces() || e.reviewed() {
		return nil
	}
	size := e.bytes(applied)
	if size < maxRaft/2 {
		return nil
	}
	sent := e.transaction(size)
	message := "etcdserver: request is too large"
	switch {
	case sent > maxSent:
		message = fmt.Sprintf("rpc error: code = ResourceExhausted desc = trying to send message larger than max (%d vs. %d)", sent, maxSent)
	case sent+raftHeader <= maxRaft:
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message}}
}

// bytes is the length of the object as it is stored, 0 where it is short. Objects with code of their own
// are stored as protocol buffers, others as JSON.
func (e *Storage) bytes(applied bool) int {
	object := e.Attributes.Object
	if untyped.Within(object, maxRaft/2) {
		return 0
	}
	metadata := maps.Clone(untyped.Sub(object, "metadata"))
	managed := metadata["managedFields"]
	delete(metadata, "managedFields")
	size := 0
	if e.Registered != nil {
		size = e.Registered.Bytes
	} else {
		delete(metadata, "resourceVersion")
		object = maps.Clone(object)
		object["metadata"] = metadata
		size = length(object) + 1 // a line break
	}
	if applied {
		size += length(managed)
	}
	return size
}

// length is that of a value's JSON.
func length(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0 // decoded values can be written
	}
	return len(text)
}

// transaction is the length of the request to etcd: put a value if the key has a revision. An update also
// says what to read if it has not (kubernetes.Interface of etcd's client).
func (e *Storage) transaction(value int) int {
	key := len("/registry" + e.key())
	put := delimited(key) + delimited(value)
	condition, otherwise := 2+delimited(key)+2, 0
	if e.Attributes.Operation == "UPDATE" {
		stored, _ := strconv.ParseUint(metadataString(e.Attributes.OldObject, "resourceVersion"), 10, 64)
		condition += protowire.SizeVarint(stored) - 1
		otherwise = delimited(delimited(delimited(key)))
	}
	return delimited(condition) + delimited(delimited(put)) + otherwise
}

// delimited is the length of a field with n bytes in a protocol buffer.
func delimited(n int) int { return 1 + protowire.SizeBytes(n) }
