package foreigntests

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/scenario"
)

const group = "admissionregistration.k8s.io/"

// The kinds of policies that an API server evaluates itself.
var policyKinds = []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"}

// object is one document with its place.
type object struct {
	*scenario.Document
	file string
	line int
}

// read reads the files' documents and skips unreadable ones.
func (s *Suite) read(files ...string) []object {
	var out []object
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			s.left(file, 0, "it cannot be read: %v", err)
			continue
		}
		documents, problems := scenario.ParseDocuments(diag.Cluster, string(data))
		for _, p := range problems {
			if p.Severity == diag.Error {
				line, _ := diag.LineColumn(string(data), p.Span.Start)
				s.left(file, line, "%s", p.Summary)
			}
		}
		for _, d := range documents {
			line, _ := diag.LineColumn(string(data), d.Span.Start)
			out = append(out, object{d, file, line})
		}
	}
	return out
}

// policies returns the policies that an API server supports, and skips others.
func (s *Suite) policies(list []object) []object {
	var out []object
	for _, o := range list {
		version, ours := strings.CutPrefix(o.APIVersion, group)
		if !ours || !slices.Contains(policyKinds, strings.TrimSuffix(o.Kind, "Binding")) {
			s.left(o.file, o.line, "%s %s of %s: an API server does not run it", o.Kind, o.Name, o.APIVersion)
			continue
		}
		if version != "v1" {
			s.left(o.file, o.line, "%s of %s %s: it is read as v1, which has the same fields", version, o.Kind, o.Name)
		}
		out = append(out, o)
	}
	return out
}

// param is the object for the bindings. The zero value keeps their own.
type param struct{ namespace, name string }

// isolated returns a policy with its bindings as text. A policy without a binding gets one that
// denies, because the tools evaluate policies without bindings. A test's param replaces the
// bindings' paramRef.
func isolated(list []object, policy string, p param) (string, error) {
	var out []map[string]any
	bound := false
	var own *object
	for _, o := range list {
		kind, binding := strings.CutSuffix(o.Kind, "Binding")
		value := maps.Clone(o.Value)
		value["apiVersion"] = group + "v1"
		spec, _ := o.Value["spec"].(map[string]any)
		switch {
		case !binding && o.Name == policy:
			own = &o
		case binding && spec["policyName"] == policy && slices.Contains(policyKinds, kind):
			bound = true
			if p.name != "" {
				spec = maps.Clone(spec)
				spec["paramRef"] = p.reference()
				value["spec"] = spec
			}
		default:
			continue
		}
		out = append(out, value)
	}
	if own == nil {
		return "", fmt.Errorf("there is no policy %q", policy)
	}
	if !bound {
		out = append(out, own.binding(p))
	}
	return join(out)
}

func (p param) reference() map[string]any {
	ref := map[string]any{"parameterNotFoundAction": "Deny"}
	if p.namespace != "" {
		ref["namespace"] = p.namespace
	}
	if p.name == "" {
		ref["selector"] = map[string]any{}
	} else {
		ref["name"] = p.name
	}
	return ref
}

func (o object) binding(p param) map[string]any {
	spec := map[string]any{"policyName": o.Name}
	if o.Kind == policyKinds[0] {
		spec["validationActions"] = []any{"Deny"}
	}
	if own, _ := o.Value["spec"].(map[string]any); own["paramKind"] != nil {
		spec["paramRef"] = p.reference()
	}
	return map[string]any{"apiVersion": group + "v1", "kind": o.Kind + "Binding", "metadata": map[string]any{"name": o.Name}, "spec": spec}
}

// join writes objects as one text.
func join(list []map[string]any) (string, error) {
	var texts []string
	for _, value := range list {
		text, err := scenario.YAML(value)
		if err != nil {
			return "", err
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "---\n"), nil
}

func values(list []object) []map[string]any {
	var out []map[string]any
	for _, o := range list {
		out = append(out, o.Value)
	}
	return out
}

// user is the request's user.
type user struct {
	name   string
	groups []string
}

// request returns a request's text: an object's creation, its update, or the old one's deletion.
// operation overrides the derived one.
func request(now, old map[string]any, operation, subresource string, u user) (string, error) {
	subject := now
	var set requesttext.Changes
	switch {
	case now == nil && old == nil:
		return "", fmt.Errorf("there is neither an object nor an old one")
	case now == nil:
		subject = old
		set.Operation = new("DELETE")
	case old != nil:
		set.Operation = new("UPDATE")
		text, err := scenario.YAML(old)
		if err != nil {
			return "", err
		}
		set.OldObject = new(string(text))
	}
	if operation != "" {
		set.Operation = &operation
	}
	if subresource != "" {
		set.SubResource = &subresource
	}
	if u.name != "" {
		set.User = &u.name
	}
	if u.groups != nil {
		set.Groups = &u.groups
	}
	text, err := scenario.YAML(subject)
	if err != nil || set == (requesttext.Changes{}) {
		return string(text), err
	}
	return requesttext.Change(string(text), set)
}

// base returns a scenario without built-in plugins, which the tools do not have. It has the
// server's defaults, as the server's policies see them.
func base(policies, cluster string) scenario.Scenario {
	return scenario.Scenario{Policies: policies, Cluster: cluster, Options: scenario.Options{Defaulting: new(true), Plugins: &scenario.Plugins{Exactly: true}}}
}
