package scenario

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// This file reads AdmissionReviews for programs that evaluate many. One struct holds everything
// around the objects, where [Fields] would need a map for each part.

// Review is an ordinary AdmissionReview. A missing or null field is empty.
type Review struct {
	UID, Operation, SubResource, Name, Namespace string
	Kind, RequestKind                            schema.GroupVersionKind
	Resource, RequestResource                    schema.GroupVersionResource
	RequestSubResource                           string
	// User says that userInfo is present; Extra is nil if absent.
	User              bool
	Username, UserUID string
	Groups            []string
	Extra             map[string][]string
	// The caller owns Object, OldObject and Options.
	Object, OldObject, Options map[string]any
	DryRun                     bool
}

// Review reads a text that is one AdmissionReview in JSON. It needs a reader without a cache and a
// text without problems: no unknown or duplicate field, no wrong type, and one of the given
// operations. For any other text it returns false, and [Reader.Documents] can say more. It charges
// the budget as Documents does.
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
	d.fields(func(key string) bool {
		switch key {
		case "kind":
			kind = d.string()
		case "apiVersion":
			version = d.string()
		case "request":
			request = d.peek() == '{'
			d.request(out)
		default:
			return false
		}
		return true
	})
	if kind != "AdmissionReview" || !request || version != "" && version != "admission.k8s.io/v1" && version != "admission.k8s.io/v1beta1" {
		d.fail()
	}
}

// request reads the AdmissionRequest.
func (d *jsonDecoder) request(out *Review) {
	d.fields(func(key string) bool {
		switch key {
		case "uid":
			out.UID = d.string()
		case "kind":
			out.Kind.Group, out.Kind.Version, out.Kind.Kind = d.triple("kind")
		case "resource":
			out.Resource.Group, out.Resource.Version, out.Resource.Resource = d.triple("resource")
		case "subResource":
			out.SubResource = d.string()
		case "requestKind":
			out.RequestKind.Group, out.RequestKind.Version, out.RequestKind.Kind = d.triple("kind")
		case "requestResource":
			out.RequestResource.Group, out.RequestResource.Version, out.RequestResource.Resource = d.triple("resource")
		case "requestSubResource":
			out.RequestSubResource = d.string()
		case "name":
			out.Name = d.string()
		case "namespace":
			out.Namespace = d.string()
		case "operation":
			out.Operation = d.string()
		case "userInfo":
			out.User = d.peek() == '{'
			d.user(out)
		case "object":
			out.Object = d.mapping()
		case "oldObject":
			out.OldObject = d.mapping()
		case "options":
			out.Options = d.mapping()
		case "dryRun":
			out.DryRun = d.truth()
		default:
			return false
		}
		return true
	})
}

func (d *jsonDecoder) user(out *Review) {
	d.fields(func(key string) bool {
		switch key {
		case "username":
			out.Username = d.string()
		case "uid":
			out.UserUID = d.string()
		case "groups":
			out.Groups = d.strings()
		case "extra":
			d.extra(out)
		default:
			return false
		}
		return true
	})
}

func (d *jsonDecoder) extra(out *Review) {
	d.fields(func(key string) bool {
		if out.Extra == nil {
			out.Extra = map[string][]string{}
		}
		out.Extra[key] = d.strings()
		return true
	})
}

// triple reads a group, a version and a third field with the given name.
func (d *jsonDecoder) triple(last string) (group, version, name string) {
	d.fields(func(key string) bool {
		switch key {
		case "group":
			group = d.string()
		case "version":
			version = d.string()
		case last:
			name = d.string()
		default:
			return false
		}
		return true
	})
	return group, version, name
}

// fields reads an object of known fields, or null. It calls read at each value; read reports
// whether it accepted the value. A duplicate key is an error.
func (d *jsonDecoder) fields(read func(key string) bool) {
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
	first := len(d.keys)
	for more := true; more; more = d.next('}') {
		d.space()
		key, ok := d.quoted()
		if d.space(); !ok || d.peek() != ':' {
			d.fail()
			return
		}
		d.at++
		d.space()
		d.keys = append(d.keys, key)
		if !read(key) || d.failed {
			d.fail()
			return
		}
	}
	if !distinct(d.keys[first:]) {
		d.fail()
	}
	d.keys = d.keys[:first]
}

// null skips the word null, if present.
func (d *jsonDecoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	if d.values++; !d.word("null") {
		d.fail()
	}
	return true
}

// string reads a string; null is empty.
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

// strings reads a list of strings; null is none.
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
		if d.peek() != '"' { // the list's strings may not be null
			d.fail()
			break
		}
		d.keys = append(d.keys, d.string())
	}
	out := slices.Clone(d.keys[first:])
	d.keys = d.keys[:first]
	return out
}

// truth reads a boolean; null is false.
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

// mapping reads an object; null is none.
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

// charge is what a parser charges for a whole text.
func charge(b *worklimit.Budget, src string) {
	p := parser{budget: b}
	p.charge(src)
}
