package install

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// next says what the server would say of a document once the error at which it stops is
// repaired: a value of the wrong type, or a version that it does not serve. What has a
// wrong type is read as its field wants it, or left out; what then is wrong with these
// very values is said when they are repaired.
func next[T any](in *installer, d *scenario.Document, kind kindOf[T]) {
	wrong := gotype.Mismatches(reflect.TypeFor[T](), d.Value, nil)
	value := runtime.DeepCopyJSON(d.Value)
	for _, m := range wrong {
		m.Path.Set(value, wanted(m))
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	object := new(T)
	strict, err := decode(raw, "v1", in.version, object)
	if err != nil {
		return
	}
	before := len(in.Diagnostics)
	in.strictWarnings(d, strict, reflect.TypeFor[T]())
	kind.prepare(object, "v1")
	prepareMetadata(kind.meta(object))
	c := &checker{version: in.version, environments: in.environments, document: d}
	kind.check(c, object)
	c.problems = without(c.problems, wrong)
	in.explain(c)
	for i := range in.Diagnostics[before:] {
		p := &in.Diagnostics[before+i]
		p.Next = p.Severity == diag.Error
	}
}

// nextVersion is next for a document in a version, or of a kind, that the server does
// not serve; kind is what it is taken for.
func (in *installer) nextVersion(d *scenario.Document, kind string) {
	if version.NewestAPI(kind, in.version) == "" {
		return // the server has no such kind
	}
	switch kind {
	case configuration.ValidatingAdmissionPolicy:
		next(in, d, validatingPolicyKind)
	case configuration.ValidatingAdmissionPolicyBinding:
		next(in, d, validatingBindingKind)
	case configuration.MutatingAdmissionPolicy:
		next(in, d, mutatingPolicyKind)
	case configuration.MutatingAdmissionPolicyBinding:
		next(in, d, mutatingBindingKind)
	case configuration.ValidatingWebhookConfiguration:
		next(in, d, validatingWebhookKind)
	case configuration.MutatingWebhookConfiguration:
		next(in, d, mutatingWebhookKind)
	}
}

// wanted is the value in the type of its field where it is plain what that is: one
// item as a list, a number or true as a text; nil otherwise.
func wanted(m gotype.Mismatch) any {
	switch m.Want.Kind() {
	case reflect.Slice:
		list := []any{m.Got}
		if len(gotype.Mismatches(m.Want, list, nil)) == 0 {
			return list
		}
	case reflect.String:
		switch m.Got.(type) {
		case bool, int64, float64:
			return fmt.Sprint(m.Got)
		}
	}
	return nil
}

// without takes out the problems of values that have the wrong type, and those in the
// same words: a rule about two fields names both.
func without(list []*problem, wrong []gotype.Mismatch) []*problem {
	caused := func(p *problem) bool {
		at := p.at
		if at == "" {
			at = p.Field
		}
		path := fieldpath.Parse(at)
		return slices.ContainsFunc(wrong, func(m gotype.Mismatch) bool {
			n := min(len(path), len(m.Path))
			return n == len(m.Path) && slices.Equal(path[:n], m.Path)
		})
	}
	var details []string
	for _, p := range list {
		if caused(p) && p.Detail != "" {
			details = append(details, p.Detail)
		}
	}
	// Without its declaration a name is unknown in every expression.
	undeclared := slices.ContainsFunc(wrong, func(m gotype.Mismatch) bool {
		at := m.Path.String()
		return strings.HasPrefix(at, "spec.paramKind") || strings.HasPrefix(at, "spec.variables")
	})
	return slices.DeleteFunc(list, func(p *problem) bool {
		return caused(p) || slices.Contains(details, p.Detail) || undeclared && p.expression != nil
	})
}
