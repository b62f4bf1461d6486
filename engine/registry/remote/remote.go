// Package remote calls a registry in another program, in JSON: on the page the API server's
// own code is a separate module, which loads after the first result.
package remote

import (
	"errors"
	"fmt"
	"maps"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/registry"
)

// call is a question: about a kind, or about a request.
type call struct {
	Knows  *known  `json:"knows,omitempty"`
	Before *before `json:"before,omitempty"`
}

// before is a request without its objects. While a reader types, the object of a kind is nearly the
// one of the call before, so only what differs from that crosses: a key in an object of a megabyte
// costs as much as in a small one.
type before struct {
	registry.Request
	// Slot is where the far side keeps the objects of this kind. Last is the number of the call that
	// left what is there, or 0 if nothing is expected there; Number is that of this call.
	Slot   int
	Last   int `json:",omitempty"`
	Number int
	// Objects and Olds lead from the objects of the last call to those of this one, and Decodeds from
	// this object to its decoded form.
	Objects, Olds, Decodeds change
}

// slots is for how many kinds both sides keep the last objects.
const slots = 4

// kept is what a slot has.
type kept struct {
	kind        schema.GroupVersionKind
	number      int
	object, old any
}

type known struct {
	Kind        schema.GroupVersionKind
	Resource    schema.GroupResource
	SubResource string
}

// reply answers either; Failed is a mistake of the caller or of the program.
type reply struct {
	Knows bool `json:"knows,omitempty"`
	// Again says that the slot does not have what the call expects; the call is to be made without.
	Again bool `json:"again,omitempty"`
	// Object leads from the object of the request to that of the answer, if Answered.
	Object   change         `json:"object"`
	Answered bool           `json:"answered,omitempty"`
	Bytes    int            `json:"bytes,omitempty"`
	Status   *metav1.Status `json:"status,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Release  string         `json:"release,omitempty"`
	Failed   string         `json:"error,omitempty"`
}

// Protocol is the version of the calls; both sides come from one build.
const Protocol = 2

// Failure is the reply to a call that panicked.
func Failure(reason any) string { return encode(reply{Failed: fmt.Sprint(reason)}) }

// Server is the far side. It answers calls with a registry, one at a time.
type Server struct {
	registry registry.Registry
	kept     [slots]kept
}

// Serve returns a server that asks r.
func Serve(r registry.Registry) *Server { return &Server{registry: r} }

// Forget drops the objects of earlier calls.
func (s *Server) Forget() { s.kept = [slots]kept{} }

// Call answers a call. Its reply is JSON, also to one that cannot be read.
func (s *Server) Call(text string) (reply string) {
	var c call
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return encode(replyOf(err))
	}
	return encode(s.serve(c))
}

func replyOf(err error) reply { return reply{Failed: err.Error()} }

func (s *Server) serve(c call) reply {
	switch {
	case c.Knows != nil:
		return reply{Knows: s.registry.Knows(c.Knows.Kind, c.Knows.Resource, c.Knows.SubResource)}
	case c.Before == nil:
		return reply{Failed: "the call asks nothing"}
	case c.Before.Slot < 0 || c.Before.Slot >= slots:
		return reply{Failed: "the call names a slot that does not exist"}
	}
	q, again, err := s.request(c.Before)
	switch {
	case err != nil:
		return replyOf(err)
	case again:
		return reply{Again: true}
	}
	answer, err := s.registry.Before(q)
	if err != nil {
		return replyOf(err)
	}
	out := reply{Warnings: answer.Warnings, Release: answer.Release, Bytes: answer.Bytes, Answered: answer.Object != nil}
	if out.Answered {
		out.Object = between(q.Object, answer.Object)
	}
	if answer.Status != nil {
		out.Status = &answer.Status.ErrStatus
	}
	return out
}

// request completes the request of a call with its objects, and keeps these for the next one. again
// says that the slot has others than the call expects.
func (s *Server) request(b *before) (q registry.Request, again bool, err error) {
	last := &s.kept[b.Slot]
	if b.Last == 0 {
		*last = kept{}
	}
	if last.number != b.Last {
		return q, true, nil
	}
	object, err := b.Objects.applied(last.object)
	if err != nil {
		return q, false, err
	}
	old, err := b.Olds.applied(last.old)
	if err != nil {
		return q, false, err
	}
	decoded, err := b.Decodeds.applied(object)
	if err != nil {
		return q, false, err
	}
	*last = kept{number: b.Number, object: object, old: old}
	q = b.Request
	q.Object, _ = object.(map[string]any)
	q.Old, _ = old.(map[string]any)
	if !b.Decodeds.none() {
		q.Decoded, _ = decoded.(map[string]any)
	}
	return q, false, nil
}

func encode(r reply) string {
	text, err := json.Marshal(r)
	if err != nil {
		text, _ = json.Marshal(replyOf(err)) // a text can always be written
	}
	return string(text)
}

// New is the near side: a registry that asks through ask, which takes a call and returns its reply.
func New(ask func(call string) (reply string, err error)) registry.Registry {
	return &remote{ask: ask, knows: map[known]bool{}}
}

// remote is safe for concurrent use. It implements registry.Registry.
type remote struct {
	mu     sync.Mutex // of one call, with what it keeps
	ask    func(string) (string, error)
	knows  map[known]bool
	kept   [slots]kept
	number int
}

func (r *remote) Knows(kind schema.GroupVersionKind, resource schema.GroupResource, subResource string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := known{kind, resource, subResource}
	knows, asked := r.knows[k]
	if !asked {
		answer, err := r.send(call{Knows: &k})
		knows = err == nil && answer.Knows
		r.knows[k] = knows
	}
	return knows
}

func (r *remote) Before(q registry.Request) (registry.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := r.slot(q.Kind)
	answer, err := r.before(q, slot)
	if err == nil && answer.Again {
		r.kept[slot] = kept{kind: q.Kind}
		answer, err = r.before(q, slot)
	}
	if err == nil && answer.Again {
		err = errors.New("the API server's code does not take a new object")
	}
	if err != nil {
		r.kept[slot] = kept{kind: q.Kind} // nobody knows what the far side has
		return registry.Answer{}, err
	}
	out := registry.Answer{Warnings: answer.Warnings, Release: answer.Release, Bytes: answer.Bytes}
	if answer.Answered {
		object, err := answer.Object.applied(q.Object)
		if err != nil {
			return registry.Answer{}, err
		}
		out.Object, _ = object.(map[string]any)
	}
	if answer.Status != nil {
		out.Status = &apierrors.StatusError{ErrStatus: *answer.Status}
	}
	return out, nil
}

// slot returns the slot of a kind. A new kind takes the one that was used least recently.
func (r *remote) slot(kind schema.GroupVersionKind) int {
	oldest := 0
	for i, k := range r.kept {
		if k.kind == kind {
			return i
		}
		if k.number < r.kept[oldest].number {
			oldest = i
		}
	}
	r.kept[oldest] = kept{kind: kind}
	return oldest
}

// before asks with what has changed since the last call for this slot, and keeps what it has asked.
func (r *remote) before(q registry.Request, slot int) (reply, error) {
	last := &r.kept[slot]
	r.number++
	b := &before{Request: q, Slot: slot, Last: last.number, Number: r.number,
		Objects: between(last.object, q.Object), Olds: between(last.old, q.Old)}
	if q.Decoded != nil {
		b.Decodeds = between(q.Object, q.Decoded)
	}
	b.Object, b.Old, b.Decoded = nil, nil, nil
	answer, err := r.send(call{Before: b})
	if err != nil || answer.Again {
		return answer, err
	}
	// The engine goes on with its objects. It may change their own fields, and nothing below these in place:
	// what is shared with the next call's object is then known to be equal.
	*last = kept{kind: q.Kind, number: r.number, object: maps.Clone(q.Object), old: maps.Clone(q.Old)}
	return answer, nil
}

func (r *remote) send(c call) (reply, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return reply{}, err
	}
	said, err := r.ask(string(text))
	if err != nil {
		return reply{}, err
	}
	var answer reply
	if err := json.Unmarshal([]byte(said), &answer); err != nil {
		return reply{}, err
	}
	if answer.Failed != "" {
		return reply{}, fmt.Errorf("the API server's code for this kind failed: %s", answer.Failed)
	}
	return answer, nil
}
