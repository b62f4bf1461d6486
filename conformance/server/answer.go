//go:build apiserver

package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// answer is what a client sees.
type answer struct {
	Allowed         bool
	Code            int
	Reason, Message string
	Causes, Fields  []string
	Warnings        []string
	Object          object // nil unless allowed
}

// ofServer is the server's answer.
func ofServer(a asked) answer {
	out := answer{Code: a.code, Warnings: a.warnings, Allowed: a.code < 300}
	if a.object["kind"] == "Status" && a.object["apiVersion"] == "v1" {
		out.Reason, _ = a.object["reason"].(string)
		out.Message, _ = a.object["message"].(string)
		out.Message = unnamed.ReplaceAllString(out.Message, "selfType")
		details, _ := a.object["details"].(object)
		list, _ := details["causes"].([]any)
		for _, each := range list {
			c, _ := each.(object)
			message, _ := c["message"].(string)
			field, _ := c["field"].(string)
			out.Causes, out.Fields = append(out.Causes, unnamed.ReplaceAllString(message, "selfType")), append(out.Fields, field)
		}
		if out.Allowed {
			out.Reason, out.Message = "", ""
		}
	} else if out.Allowed && a.Verb != "delete" && a.Verb != "connect" {
		out.Object = comparable(a.object)
	}
	return out
}

// ofReport is the engine's answer to the same request.
func ofReport(r *report.Report, a asked) answer {
	o := r.Outcome
	out := answer{Allowed: o.Allowed, Code: o.Code, Reason: o.Reason, Message: o.Message, Causes: o.Causes, Warnings: o.Warnings}
	r = kept(r)
	for _, f := range o.CauseFields {
		if f == nil {
			f = new(string)
		}
		out.Fields = append(out.Fields, *f)
	}
	if out.Allowed && a.Verb != "delete" && a.Verb != "connect" {
		out.Object = comparable(r.Object)
	}
	return out
}

// named is an answer in which the name that was generated for an object is the same for all, and without
// managed fields.
func (a answer) named(m made) answer {
	own := func(text string) string { return uid.ReplaceAllString(managed.ReplaceAllString(text, ""), "uid") }
	a.Message, a.Causes = own(a.Message), slices.Clone(a.Causes)
	for i := range a.Causes {
		a.Causes[i] = own(a.Causes[i])
	}
	metadata, _ := m.Object["metadata"].(object)
	prefix, _ := metadata["generateName"].(string)
	if prefix == "" {
		return a
	}
	name := regexp.MustCompile(`"` + regexp.QuoteMeta(prefix) + `[a-z0-9]{5}"`)
	a.Message = name.ReplaceAllString(a.Message, `"generated"`)
	for i := range a.Causes {
		a.Causes[i] = name.ReplaceAllString(a.Causes[i], `"generated"`)
	}
	return a
}

// asSeen is an answer with an object as the validating phase sees it, as a captured request is shown:
// without the fields that reading it from storage again changes. A review does not show whether a list or
// map was empty or not there, which texts about it say.
func (a answer) asSeen(read [][]string) answer {
	a.Object, _ = withoutEmpty(a.Object).(object)
	a.Object = runtime.DeepCopyJSON(a.Object)
	for _, path := range read {
		unstructured.RemoveNestedField(a.Object, path...)
	}
	a.Message, a.Causes = unset.Replace(a.Message), slices.Clone(a.Causes)
	for i := range a.Causes {
		a.Causes[i] = unset.Replace(a.Causes[i])
	}
	return a
}

var unset = strings.NewReplacer(": {}", ": null", ": []", ": null")

// read are the fields that only one of an object in an answer and that of its review has; none without a
// review.
func (a answer) read(review object) (fields [][]string) {
	q, _ := review["request"].(object)
	seen, _ := q["object"].(object)
	if seen == nil {
		return nil
	}
	var walk func(is, was object, path []string)
	walk = func(is, was object, path []string) {
		for name, value := range is {
			path := append(slices.Clip(path), name)
			former, there := was[name].(object)
			if now, ok := value.(object); ok && there {
				walk(now, former, path)
			} else if was[name] == nil {
				fields = append(fields, path)
			}
		}
		for name := range was {
			if is[name] == nil {
				fields = append(fields, append(slices.Clip(path), name))
			}
		}
	}
	walk(a.Object, seen, nil)
	return fields
}

// withoutEmpty is a value without nulls and lists without items, which storage does not tell apart.
func withoutEmpty(value any) any {
	switch value := value.(type) {
	case object:
		if value == nil {
			return value
		}
		out := object{}
		for name, part := range value {
			if list, isList := part.([]any); part != nil && (!isList || len(list) > 0) {
				out[name] = withoutEmpty(part)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = withoutEmpty(value[i])
		}
		return out
	}
	return value
}

// losses are the texts of the notes about what storage does not keep.
var losses = regexp.MustCompile(`^The object is stored without (.+): the schema`)

// kept is a report whose object is without what it says that storage does not keep: it
// has the object as the validating phase saw it.
func kept(r *report.Report) *report.Report {
	for i := range r.Steps {
		for _, note := range r.Steps[i].Notes {
			if m := losses.FindStringSubmatch(note.Text); note.Code == codes.LostInStorage && m != nil {
				out := *r
				out.Object = runtime.DeepCopyJSON(r.Object)
				for _, path := range strings.Split(m[1], ", ") {
					unstructured.RemoveNestedField(out.Object, strings.Split(path, ".")...)
				}
				r = &out
			}
		}
	}
	return r
}

// differences are in words.
func (a answer) differences(b answer) []string {
	var out []string
	differ := func(what string, x, y any) {
		if !reflect.DeepEqual(x, y) {
			out = append(out, fmt.Sprintf("%s:\n    server %s\n    engine %s", what, indented(x), indented(y)))
		}
	}
	if a.Allowed != b.Allowed {
		return []string{fmt.Sprintf("verdict: server %d %s\n          engine %d %s", a.Code, a.Message, b.Code, b.Message)}
	}
	differ("code", a.Code, b.Code)
	differ("reason", a.Reason, b.Reason)
	differ("message", parts(a.Message), parts(b.Message))
	differ("causes", once(a.Causes), once(b.Causes))
	differ("fields", once(a.Fields), once(b.Fields))
	differ("warnings", inOrder(a.Warnings), inOrder(b.Warnings))
	if a.Object != nil && b.Object != nil {
		for _, path := range slices.Sorted(maps.Keys(leaves(a.Object, b.Object))) {
			differ("object "+path, at(a.Object, path), at(b.Object, path))
		}
	}
	return out
}

// parts are the errors of a message: a server lists those of different properties in
// random order.
func parts(message string) []string {
	head, list, ok := strings.Cut(message, " is invalid: [")
	if !ok {
		return []string{message}
	}
	return append([]string{head}, inOrder(strings.Split(strings.TrimSuffix(list, "]"), ", "))...)
}

// once leaves out how often a cause is there: the validation of some kinds repeats that
// of their metadata, of others not.
func once(list []string) []string { return slices.Compact(inOrder(list)) }

func inOrder(list []string) []string { return slices.Sorted(slices.Values(list)) }

// leaves are the paths of all scalars, joined by a separator that no name has.
func leaves(objects ...object) map[string]bool {
	out := map[string]bool{}
	var walk func(v any, path string)
	walk = func(v any, path string) {
		switch v := v.(type) {
		case object:
			for name, value := range v {
				walk(value, path+"|"+name)
			}
			if len(v) > 0 {
				return
			}
		case []any:
			for i, value := range v {
				walk(value, fmt.Sprintf("%s|%d", path, i))
			}
			if len(v) > 0 {
				return
			}
		}
		out[path] = true
	}
	for _, o := range objects {
		walk(o, "")
	}
	return out
}

// at is the value at a path of leaves.
func at(o any, path string) any {
	for _, name := range strings.Split(path, "|")[1:] {
		switch v := o.(type) {
		case object:
			o = v[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(v) {
				return nil
			}
			o = v[i]
		default:
			return nil
		}
	}
	return o
}

var (
	// token is the volume of a service account's token.
	token = regexp.MustCompile(`"kube-api-access-[a-z0-9]{5}"`)
	uuid  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// chosen are the addresses and ports of a Service.
	chosen = regexp.MustCompile(`"(10\.0\.0\.\d+|fd00::\d+)"`)
	ports  = regexp.MustCompile(`"(nodePort|healthCheckNodePort)":3\d{4}`)
	clock  = regexp.MustCompile(`"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`)
	// unnamed is the name that a type without properties gets in errors of CEL.
	unnamed = regexp.MustCompile(`selfType\d+`)
	// managed are the managed fields of an object that a text shows.
	managed = regexp.MustCompile(`,"managedFields":\[\{.*\}\]`)
	// uid is the one that a server picks for a new object.
	uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

// comparable is an object without what is chance, or differs from one storage to the
// next.
func comparable(o object) object {
	raw, _ := json.Marshal(o)
	metadata, _ := o["metadata"].(object)
	if prefix, ok := metadata["generateName"].(string); ok && prefix != "" {
		raw = regexp.MustCompile(`"`+regexp.QuoteMeta(prefix)+`[a-z0-9]{5}"`).ReplaceAll(raw, []byte(`"`+prefix+`*"`))
	}
	raw = token.ReplaceAll(raw, []byte(`"kube-api-access-"`))
	raw = uuid.ReplaceAll(raw, []byte("uid"))
	raw = chosen.ReplaceAll(raw, []byte(`"address"`))
	raw = ports.ReplaceAll(raw, []byte(`"$1":"port"`))
	raw = clock.ReplaceAll(raw, []byte(`"time"`))
	var out object
	if json.Unmarshal(raw, &out) != nil || out == nil {
		return nil
	}
	if kind, _ := out["kind"].(string); kind == "TokenRequest" || strings.HasSuffix(kind, "Review") {
		delete(out, "status") // the token, and what the server answers itself
	}
	m, _ := out["metadata"].(object)
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
		delete(m, field)
	}
	return out
}

// unchecked reports whether the server's own code for a built-in kind refuses or warns,
// of which the report says that it was not asked: whatever the engine says, the server
// says that and more.
func (a answer) unchecked(b answer, r *report.Report) bool {
	if !slices.ContainsFunc(r.NotChecked, func(c report.Check) bool { return strings.HasPrefix(c.What, "API validation") }) {
		return false
	}
	if a.Allowed && b.Allowed {
		a.Warnings, b.Warnings = without(a.Warnings, b.Warnings), nil
		return len(a.Warnings) > 0 && len(answer{Allowed: true, Code: a.Code, Object: a.Object}.differences(answer{Allowed: true, Code: b.Code, Object: b.Object})) == 0
	}
	// The plugins of the validating phase come after that code.
	return !a.Allowed && a.Code == 422 && (b.Allowed || b.Code == 403 && r.Steps[r.Outcome.DecidedBy].Phase == report.Validating || b.Code == 422 && len(without(b.errors(), a.errors())) == 0 && len(without(a.errors(), b.errors())) > 0)
}

// worded reports whether the answers differ in the words about an invalid object only, of which the
// report says that the code of another release has written them.
func (a answer) worded(b answer, r *report.Report) bool {
	if !slices.ContainsFunc(r.Checked, func(c report.Check) bool { return strings.HasSuffix(c.Detail, "may word it differently") }) {
		return false
	}
	for _, each := range []*answer{&a, &b} {
		each.Message, each.Causes, each.Fields = "", nil, nil
	}
	return a.Code == http.StatusUnprocessableEntity && len(a.differences(b)) == 0
}

// errors are the causes with their fields.
func (a answer) errors() []string {
	var out []string
	for i, cause := range a.Causes {
		out = append(out, a.Fields[i]+": "+cause)
	}
	return out
}

// without are the texts of one list that are not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return slices.Contains(other, text) })
}

// rightsAssumed reports whether the server refuses what a user may not give to others.
// A review has usually been captured behind that question: the engine does not ask it.
func rightsAssumed(form string, want answer, r *report.Report) bool {
	return form == captured && strings.HasPrefix(r.Request.Kind, "rbac.authorization.k8s.io/") && (want.Code == 403 || want.Code == 404)
}

// unknown reports whether the answer depends on an object that the cluster text does
// not have, or on chance, and the report says so.
func (a answer) unknown(b answer, r *report.Report) bool {
	const scaled = "The scenario's cluster has no Gadget"
	return a.Code == 409 && a.Reason == "AlreadyExists" && slices.ContainsFunc(r.NotSimulated, func(s string) bool { return strings.Contains(s, "AlreadyExists") }) ||
		slices.ContainsFunc(r.NotSimulated, func(s string) bool { return strings.HasPrefix(s, scaled) || unknowable(s) })
}

// unknowable reports whether a sentence of the report says that the answer depends on chance,
// or on what a captured request does not show.
func unknowable(s string) bool {
	return strings.HasPrefix(s, "The labels of the Job are") || strings.Contains(s, "in random order")
}

func indented(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
