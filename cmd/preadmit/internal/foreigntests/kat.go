package foreigntests

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// katParts are a test's file extensions, expectations last.
var katParts = []string{".request.yaml", ".object.yaml", ".oldObject.yaml", ".namespaceObject.yaml", ".params.yaml", ".authorizer.yaml", ".gold.yaml", ".annotations.yaml", ".warnings.txt", ".message.txt"}

// katTests returns a folder's test files, by common prefix.
func katTests(folder string) map[string]map[string]string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	out := map[string]map[string]string{}
	for _, e := range entries {
		for _, part := range katParts {
			if stem, ok := strings.CutSuffix(e.Name(), part); ok && !e.IsDir() {
				if out[stem] == nil {
					out[stem] = map[string]string{}
				}
				out[stem][part] = filepath.Join(folder, e.Name())
			}
		}
	}
	// An expectation without a test is not a test.
	maps.DeleteFunc(out, func(_ string, parts map[string]string) bool {
		return parts[".request.yaml"] == "" && parts[".object.yaml"] == "" && parts[".oldObject.yaml"] == ""
	})
	return out
}

// katPolicies returns a folder's policy and binding files.
func katPolicies(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok {
			stem, ok = strings.CutSuffix(e.Name(), ".yml")
		}
		last := stem[strings.LastIndex(stem, ".")+1:]
		if ok && !e.IsDir() && slices.Contains([]string{"policy", "policies", "binding", "bindings"}, last) {
			out = append(out, filepath.Join(folder, e.Name()))
		}
	}
	return out
}

// kat reads the folder of tests beside policies.
func (s *Suite) kat(folder string) error {
	policies := s.policies(s.read(katPolicies(filepath.Dir(folder))...))
	tests := katTests(folder)
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		s.katTest(name, tests[name], policies)
	}
	return nil
}

// katPolicy returns the policy that a test's name begins with, or the only one.
func katPolicy(name string, policies []object) string {
	only, number := "", 0
	for _, o := range policies {
		if !slices.Contains(policyKinds, o.Kind) {
			continue
		}
		if strings.HasPrefix(name, o.Name+".") {
			return o.Name
		}
		only = o.Name
		number++
	}
	if number == 1 {
		return only
	}
	return ""
}

// katInput holds a request's fields, from one or several files.
type katInput struct {
	fields map[string]any
	who    user
}

func (s *Suite) katTest(name string, parts map[string]string, policies []object) {
	file := parts[".object.yaml"]
	for _, part := range []string{".oldObject.yaml", ".request.yaml"} {
		file = first(file, parts[part])
	}
	policy := katPolicy(name, policies)
	if policy == "" {
		s.left(file, 0, "its name begins with no policy's name, and there are several policies")
		return
	}
	if mock := parts[".authorizer.yaml"]; mock != "" {
		s.left(mock, 0, "invented authorizer answers: give RBAC objects, or run preadmit with --authorizer")
		return
	}
	in, ok := s.katInput(parts)
	if !ok {
		return
	}
	now, _ := in.fields["object"].(map[string]any)
	old, _ := in.fields["oldObject"].(map[string]any)
	t := &Test{Name: name, File: file, Line: 1, Policy: policy, Expected: s.katExpected(name, parts)}
	var cluster []map[string]any
	if namespace, ok := in.fields["namespaceObject"].(map[string]any); ok {
		cluster = append(cluster, namespace)
	}
	p := param{}
	if params, ok := in.fields["params"].(map[string]any); ok {
		p = katParam(params, now, old)
		cluster = append(cluster, params)
	}
	operation, _ := in.fields["operation"].(string)
	subresource, _ := in.fields["subResource"].(string)
	text, err := isolated(policies, policy, p)
	if err == nil {
		t.Scenario = base(text, "")
		t.Scenario.Cluster, err = join(cluster)
	}
	if err == nil {
		t.Scenario.Request, err = request(now, old, operation, subresource, in.who)
	}
	if err != nil {
		s.left(file, 0, "%v", err)
		return
	}
	s.Tests = append(s.Tests, t)
}

// katInput reads a request's parts.
func (s *Suite) katInput(parts map[string]string) (katInput, bool) {
	in := katInput{fields: map[string]any{}}
	if file := parts[".request.yaml"]; file != "" {
		root, err := mapping(file)
		if err != nil {
			s.left(file, 0, "%v", err)
			return in, false
		}
		s.rest(file, root, map[string]string{"options": "the request's options follow from its operation", "name": "the name comes from the object", "namespace": "the namespace comes from the object"},
			"operation", "object", "oldObject", "params", "namespaceObject", "userInfo", "subResource", namedBy(root, "name"), namedBy(root, "namespace"))
		in.who = s.user(file, field(root, "userInfo"), "username")
		for i := 0; i+1 < len(root.Content); i += 2 {
			var value any
			if err := root.Content[i+1].Decode(&value); err != nil {
				s.left(file, root.Content[i].Line, "%v", err)
				return in, false
			}
			in.fields[root.Content[i].Value] = value
		}
	}
	for _, key := range []string{"object", "oldObject", "params", "namespaceObject"} {
		file := parts["."+key+".yaml"]
		if file == "" {
			continue
		}
		list := s.read(file)
		if len(list) != 1 || in.fields[key] != nil {
			s.left(file, 0, "%s must be one object, and in one file only", key)
			return in, false
		}
		in.fields[key] = list[0].Value
	}
	return in, true
}

// namedBy is the name of a field that duplicates the object's data.
func namedBy(root *yaml.Node, name string) string {
	for _, key := range []string{"object", "oldObject"} {
		if said := text(field(field(root, key), "metadata"), name); said != "" && said == text(root, name) {
			return name
		}
	}
	return ""
}

// katParam reads a test's params. A ConfigMap without a namespace is in the request's.
func katParam(params, now, old map[string]any) param {
	metadata, _ := params["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	namespace, _ := metadata["namespace"].(string)
	if namespace == "" && params["kind"] == "ConfigMap" && metadata != nil {
		namespace = "default"
		for _, o := range []map[string]any{old, now} {
			m, _ := o["metadata"].(map[string]any)
			if own, _ := m["namespace"].(string); own != "" {
				namespace = own
			}
		}
		metadata["namespace"] = namespace
	}
	return param{namespace, name}
}

// katExpected reads the expectation from a test's name and files.
func (s *Suite) katExpected(name string, parts map[string]string) Expected {
	denied := strings.HasSuffix(name, ".deny") || strings.Contains(name, ".deny.")
	e := Expected{Said: "allow", Allowed: new(!denied)}
	if denied {
		e.Said = "deny"
	}
	if file := parts[".gold.yaml"]; file != "" {
		if list := s.read(file); len(list) == 1 {
			e.Object, e.Verdicts = list[0].Value, []Verdict{Mutates, Holds}
		}
	} else {
		e.Verdicts = []Verdict{Holds, Fails, Errs, Skips} // a mutation without an expectation
		e.Said += " without a .gold.yaml"
	}
	if file := parts[".annotations.yaml"]; file != "" {
		if root, err := mapping(file); err != nil {
			s.left(file, 0, "%v", err)
		} else if err := root.Decode(&e.Annotations); err != nil {
			s.left(file, root.Line, "%v", err)
		}
	}
	e.Message = s.content(parts[".message.txt"])
	if file := parts[".warnings.txt"]; file != "" {
		e.Warnings = []string{}
		for line := range strings.Lines(s.content(file)) {
			e.Warnings = append(e.Warnings, strings.TrimSpace(line))
		}
	}
	return e
}

// content returns a file's trimmed text.
func (s *Suite) content(file string) string {
	if file == "" {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		s.left(file, 0, "%v", err)
	}
	return strings.TrimSpace(string(data))
}
