package scenario

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/budget"
)

// This file reads an AdmissionReview of which a program has many: what is around the
// objects goes into one struct, where [Fields] would need a map for each of its parts.

// Review is an AdmissionReview in which nothing is unusual. A field that is missing or
// null is empty.
type Review struct {
	UID, Operation, SubResource, Name, Namespace string
	Kind, RequestKind                            schema.GroupVersionKind
	Resource, RequestResource                    schema.GroupVersionResource
	RequestSubResource                           string
	// User says that there is a userInfo; Extra is nil when that has none.
	User              bool
	Username, UserUID string
	Groups            []string
	Extra             map[string][]string
	// Object, OldObject and Options belong to the caller.
	Object, OldObject, Options map[string]any
	DryRun                     bool
}

// Review reads a text that is one AdmissionReview in JSON, if its reader keeps nothing
// and there is nothing to say about it: no field is unknown, of a wrong type or there
// twice, and the operation must be one of those given. It is false for any other text, which
// [Reader.Documents] can tell more about. What is read is charged as there.
func (r *Reader) Review(src string, operations []string) (*Review, bool) {
	if r.Keeps() || len(src) > MaxReviewBytes || len(src) <= maxCopied && suspicious(src) {
		return nil, false
	}
	d := newJSONDecoder(src, false)
	defer d.end()
	out := &Review{}
	d.space()
	d.review(out)
	d.space()
	if d.failed || d.at != len(src) || !slices.Contains(operations, out.Operation) {
		return nil, false
	}
	if r != nil {
		charge(r.budget, src)
	}
	return out, true
}

func (d *jsonDecoder) review(out *Review) {
	kind, version, request := "", "", false
	d.fields(func(key string) int {
		switch key {
		case "kind":
			kind = d.string()
			return 0
		case "apiVersion":
			version = d.string()
			return 1
		case "request":
			request = d.peek() == '{'
			d.request(out)
			return 2
		}
		return unknownField
	})
	if kind != "AdmissionReview" || !request || version != "" && version != "admission.k8s.io/v1" && version != "admission.k8s.io/v1beta1" {
		d.fail()
	}
}

// request reads the AdmissionRequest.
func (d *jsonDecoder) request(out *Review) {
	d.fields(func(key string) int {
		switch key {
		case "uid":
			out.UID = d.string()
			return 0
		case "kind":
			out.Kind.Group, out.Kind.Version, out.Kind.Kind = d.triple("kind")
			return 1
		case "resource":
			out.Resource.Group, out.Resource.Version, out.Resource.Resource = d.triple("resource")
			return 2
		case "subResource":
			out.SubResource = d.string()
			return 3
		case "requestKind":
			out.RequestKind.Group, out.RequestKind.Version, out.RequestKind.Kind = d.triple("kind")
			return 4
		case "requestResource":
			out.RequestResource.Group, out.RequestResource.Version, out.RequestResource.Resource = d.triple("resource")
			return 5
		case "requestSubResource":
			out.RequestSubResource = d.string()
			return 6
		case "name":
			out.Name = d.string()
			return 7
		case "namespace":
			out.Namespace = d.string()
			return 8
		case "operation":
			out.Operation = d.string()
			return 9
		case "userInfo":
			out.User = d.peek() == '{'
			d.user(out)
			return 10
		case "object":
			out.Object = d.mapping()
			return 11
		case "oldObject":
			out.OldObject = d.mapping()
			return 12
		case "options":
			out.Options = d.mapping()
			return 13
		case "dryRun":
			out.DryRun = d.truth()
			return 14
		}
		return unknownField
	})
}

func (d *jsonDecoder) user(out *Review) {
	d.fields(func(key string) int {
		switch key {
		case "username":
			out.Username = d.string()
			return 0
		case "uid":
			out.UserUID = d.string()
			return 1
		case "groups":
			out.Groups = d.strings()
			return 2
		case "extra":
			d.extra(out)
			return 3
		}
		return unknownField
	})
}

func (d *jsonDecoder) extra(out *Review) {
	d.fields(func(key string) int {
		if _, twice := out.Extra[key]; twice {
			return unknownField
		}
		if out.Extra == nil {
			out.Extra = map[string][]string{}
		}
		out.Extra[key] = d.strings()
		return anyField
	})
}

// triple reads a group, a version, and what is named last.
func (d *jsonDecoder) triple(last string) (group, version, name string) {
	d.fields(func(key string) int {
		switch key {
		case "group":
			group = d.string()
			return 0
		case "version":
			version = d.string()
			return 1
		case last:
			name = d.string()
			return 2
		}
		return unknownField
	})
	return group, version, name
}

// What a function for [jsonDecoder.fields] returns for a field that nothing reads, and
// for one that may have any name.
const (
	unknownField = -1
	anyField     = -2
)

// fields reads an object of known fields, or null: read is called at the value of each
// and returns the number of the field. The reading fails for a number that comes twice.
func (d *jsonDecoder) fields(read func(key string) int) {
	if d.null() {
		return
	}
	if d.values++; d.values > MaxNodes || d.peek() != '{' {
		d.fail()
		return
	}
	if d.empty('}') {
		return
	}
	seen := 0
	for more := true; more; more = d.next('}') {
		d.space()
		key, ok := d.quoted()
		if d.space(); !ok || d.peek() != ':' {
			d.fail()
			return
		}
		d.at++
		d.space()
		field := read(key)
		if d.failed || field == unknownField {
			d.fail()
			return
		}
		if field >= 0 {
			if seen&(1<<field) != 0 {
				d.fail()
				return
			}
			seen |= 1 << field
		}
	}
}

// null goes over the word null, if it is there.
func (d *jsonDecoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	if d.values++; !d.word("null") {
		d.fail()
	}
	return true
}

// string reads a text; null is empty.
func (d *jsonDecoder) string() string {
	if d.null() {
		return ""
	}
	d.values++
	s, ok := d.quoted()
	if !ok {
		d.fail()
	}
	return s
}

// strings reads a list of texts; null is none.
func (d *jsonDecoder) strings() []string {
	if d.null() {
		return nil
	}
	if d.values++; d.peek() != '[' {
		d.fail()
		return nil
	}
	if d.empty(']') {
		return nil
	}
	first := len(d.keys)
	for more := true; more && !d.failed; more = d.next(']') {
		d.space()
		if d.peek() != '"' { // null is none of the texts that a list may have
			d.fail()
			break
		}
		d.keys = append(d.keys, d.string())
	}
	out := slices.Clone(d.keys[first:])
	d.keys = d.keys[:first]
	return out
}

// truth reads a truth value; null is false.
func (d *jsonDecoder) truth() bool {
	if d.null() {
		return false
	}
	d.values++
	switch {
	case d.peek() == 't' && d.word("true"):
		return true
	case d.peek() == 'f' && d.word("false"):
	default:
		d.fail()
	}
	return false
}

// mapping reads any object; null is none.
func (d *jsonDecoder) mapping() map[string]any {
	if d.null() {
		return nil
	}
	if d.peek() != '{' {
		d.fail()
		return nil
	}
	out, _ := d.value(2).(map[string]any)
	return out
}

// charge is that of a parser for a whole text.
func charge(b *budget.Budget, src string) {
	p := parser{budget: b}
	p.charge(src)
}
