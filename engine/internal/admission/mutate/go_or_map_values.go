package mutate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

// celForms say whether object and oldObject of one kind are Go values or maps to
// CEL. Since 1.37 match conditions ask for Go values, mutations do not; but
// whichever reads an object first decides for all that read it until it changes,
// and the wish of a match condition lasts: with a condition before it, in any
// policy, a mutation gets Go values too (LazyObject in apiserver/pkg/admission).
type celForms struct {
	wanted      bool
	object, old form
}

// form is how a value was read; it begins as unread.
type form int

const (
	unread form = iota
	asMap
	asGo
)

// read returns the form in which a value is read.
func (f *form) read(wanted bool) form {
	if *f == unread {
		*f = asMap
		if wanted {
			*f = asGo
		}
	}
	return *f
}

// types are the Go types for evaluating a match condition, or a mutation.
func (r *policyRun) types(i run.Invocation, condition bool) eval.InputTypes {
	f := r.forms[i.Kind]
	if f == nil {
		f = &celForms{}
		r.forms[i.Kind] = f
	}
	f.wanted = f.wanted || condition
	var param *schema.GroupVersionKind
	if i.Param != nil {
		param = &i.Param.GVK
	}
	out := r.TypesOf(i.Kind, param)
	if f.object.read(f.wanted) == asMap {
		out.Object = nil
	}
	if f.old.read(f.wanted) == asMap {
		out.OldObject = nil
	}
	return out
}

// changed says that the object of a kind was replaced.
func (r *policyRun) changed(kind schema.GroupVersionKind) {
	if f := r.forms[kind]; f != nil {
		f.object = unread
	}
}
