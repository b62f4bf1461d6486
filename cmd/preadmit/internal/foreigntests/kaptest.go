package foreigntests

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Why fields of a kaptest test are not converted.
var kaptestWhy = map[string]string{
	"schemaLocations":      "schemas come from CustomResourceDefinitions: name them under crds",
	"skipSchemaValidation": "an API server always validates",
}

var kaptestVerdicts = map[string][]Verdict{"admit": {Holds}, "deny": {Fails}, "skip": {Skips}, "error": {Errs}, "mutate": {Mutates}}

// kaptest reads a kaptest.yaml, in the current format or the one before version 0.2.
func (s *Suite) kaptest(file string) error {
	root, err := mapping(file)
	if err != nil {
		return err
	}
	s.rest(file, root, kaptestWhy, "version", "policies", "validatingAdmissionPolicies", "resources", "crds", "vapTestSuites", "mapTestSuites", "testSuites")
	policies := s.policies(s.read(append(s.files(file, root, "policies"), s.files(file, root, "validatingAdmissionPolicies")...)...))
	resources := s.read(s.files(file, root, "resources")...)
	cluster := s.read(s.files(file, root, "crds")...)
	for _, r := range resources {
		if r.Kind == "Namespace" || r.Kind == "CustomResourceDefinition" {
			cluster = append(cluster, r)
		}
	}
	for _, list := range []string{"testSuites", "vapTestSuites", "mapTestSuites"} {
		for _, suite := range items(field(root, list)) {
			s.rest(file, suite, kaptestWhy, "policy", "tests")
			for i, test := range items(field(suite, "tests")) {
				s.kaptestTest(file, text(suite, "policy"), i, test, policies, resources, cluster)
			}
		}
	}
	return nil
}

func (s *Suite) kaptestTest(file, policy string, i int, test *yaml.Node, policies, resources, cluster []object) {
	s.rest(file, test, kaptestWhy, "object", "oldObject", "param", "userInfo", "expect", "expectObject", "deniedMessage", "disableNameOverwrite")
	said := text(test, "expect")
	e := Expected{Said: "expect: " + said, Verdicts: kaptestVerdicts[said], Message: text(test, "deniedMessage")}
	name := fmt.Sprintf("%s, test %d", policy, i+1)
	if e.Verdicts == nil {
		s.left(file, test.Line, "%s: expect %q is none of admit, deny, skip, error and mutate", name, said)
		return
	}
	picked := map[string]map[string]any{}
	for _, key := range []string{"object", "oldObject", "expectObject"} {
		ref := field(test, key)
		if ref == nil {
			continue
		}
		o := pick(resources, ref, text(ref, "kind"))
		if o == nil {
			s.left(file, ref.Line, "%s: %s is not among the resources", name, key)
			return
		}
		picked[key] = o.Value
		if key == "object" || key == "oldObject" && picked["object"] == nil {
			name = fmt.Sprintf("%s, test %d: %s %s", policy, i+1, o.Kind, strings.TrimPrefix(o.Namespace+"/"+o.Name, "/"))
		}
	}
	if e.Object = picked["expectObject"]; e.Object != nil && text(test, "disableNameOverwrite") != "true" {
		e.Object = renamed(e.Object, picked["object"])
	}
	var p param
	objects := slices.Clone(cluster)
	if ref := field(test, "param"); ref != nil {
		o := pick(resources, ref, "")
		if o == nil {
			s.left(file, ref.Line, "%s: param is not among the resources", name)
			return
		}
		p = param{o.Namespace, o.Name}
		objects = append(objects, *o)
	}
	who := field(test, "userInfo")
	u := s.user(file, who, userField(who))
	t := &Test{Name: name, File: file, Line: test.Line, Policy: policy, Expected: e}
	text, err := isolated(policies, policy, p)
	if err == nil {
		t.Scenario = base(text, "")
		t.Scenario.Cluster, err = join(values(objects))
	}
	if err == nil {
		t.Scenario.Request, err = request(picked["object"], picked["oldObject"], "", "", u)
	}
	if err != nil {
		s.left(file, test.Line, "%s: %v", name, err)
		return
	}
	s.Tests = append(s.Tests, t)
}

// renamed is an expected object with the original object's name; in the resources it has another
// name.
func renamed(expected, object map[string]any) map[string]any {
	out := maps.Clone(expected)
	metadata, _ := expected["metadata"].(map[string]any)
	own, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	metadata["name"] = own["name"]
	out["metadata"] = metadata
	return out
}

// userField is the user name's field: the tool's documentation and program differ.
func userField(node *yaml.Node) string {
	if field(node, "user") != nil {
		return "user"
	}
	return "name"
}

// pick returns the resource that a reference describes.
func pick(resources []object, ref *yaml.Node, kind string) *object {
	for i, r := range resources {
		version := r.APIVersion[strings.LastIndex(r.APIVersion, "/")+1:]
		group := strings.TrimSuffix(strings.TrimSuffix(r.APIVersion, version), "/")
		if r.Name == text(ref, "name") && (kind == "" || kind == r.Kind) && says(ref, "namespace", r.Namespace) && says(ref, "group", group) && says(ref, "version", version) {
			return &resources[i]
		}
	}
	return nil
}

// says reports whether a field, if present, has a value.
func says(ref *yaml.Node, name, value string) bool {
	said := text(ref, name)
	return said == "" || said == value
}
