// Package remote calls a registry in another program, in JSON: on the page the API server's
// own code is a separate module, which loads after the first result.
package remote

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/registry"
)

// call is a question: about a kind, or about a request.
type call struct {
	Knows  *known            `json:"knows,omitempty"`
	Before *registry.Request `json:"before,omitempty"`
}

type known struct {
	Kind        schema.GroupVersionKind
	Resource    schema.GroupResource
	SubResource string
}

// reply answers either; Failed is a mistake of the caller or of the program.
type reply struct {
	Knows    bool           `json:"knows,omitempty"`
	Object   map[string]any `json:"object,omitempty"`
	Status   *metav1.Status `json:"status,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Release  string         `json:"release,omitempty"`
	Failed   string         `json:"error,omitempty"`
}

// Protocol is the version of the calls; both sides come from one build.
const Protocol = 1

// Failure is the reply to a call that panicked.
func Failure(reason any) string { return encode(reply{Failed: fmt.Sprint(reason)}) }

// Serve is the far side: a function that answers calls with r.
func Serve(r registry.Registry) func(call string) (reply string) {
	return func(text string) string {
		var c call
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return encode(reply{Failed: err.Error()})
		}
		return encode(serve(r, c))
	}
}

func serve(r registry.Registry, c call) reply {
	switch {
	case c.Knows != nil:
		return reply{Knows: r.Knows(c.Knows.Kind, c.Knows.Resource, c.Knows.SubResource)}
	case c.Before == nil:
		return reply{Failed: "the call asks nothing"}
	}
	answer, err := r.Before(*c.Before)
	if err != nil {
		return reply{Failed: err.Error()}
	}
	out := reply{Object: answer.Object, Warnings: answer.Warnings, Release: answer.Release}
	if answer.Status != nil {
		out.Status = &answer.Status.ErrStatus
	}
	return out
}

func encode(r reply) string {
	text, err := json.Marshal(r)
	if err != nil {
		text, _ = json.Marshal(reply{Failed: err.Error()}) // a text can always be written
	}
	return string(text)
}

// New is the near side: a registry that asks through ask, which takes a call and returns its reply.
func New(ask func(call string) (reply string, err error)) registry.Registry {
	return &remote{ask: ask, knows: map[known]bool{}}
}

type remote struct {
	ask   func(string) (string, error)
	knows map[known]bool
}

// Knows implements [registry.Registry].
func (r *remote) Knows(kind schema.GroupVersionKind, resource schema.GroupResource, subResource string) bool {
	k := known{kind, resource, subResource}
	knows, asked := r.knows[k]
	if !asked {
		answer, err := r.send(call{Knows: &k})
		knows = err == nil && answer.Knows
		r.knows[k] = knows
	}
	return knows
}

// Before implements [registry.Registry].
func (r *remote) Before(q registry.Request) (registry.Answer, error) {
	answer, err := r.send(call{Before: &q})
	if err != nil {
		return registry.Answer{}, err
	}
	out := registry.Answer{Object: answer.Object, Warnings: answer.Warnings, Release: answer.Release}
	if answer.Status != nil {
		out.Status = &apierrors.StatusError{ErrStatus: *answer.Status}
	}
	return out, nil
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
