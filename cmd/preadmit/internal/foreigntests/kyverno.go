package foreigntests

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Why fields of a kyverno test are not converted.
var kyvernoWhy = map[string]string{
	"exceptions":      "Kyverno exceptions, which an API server does not have",
	"targetResources": "Kyverno policies may change other objects; an API server's may not",
	"context":         "data for Kyverno policies",
	"checks":          "assertions about Kyverno's own responses",
	"jsonPayload":     "not a request to an API server",
	"jsonPayloads":    "not a request to an API server",
	"globalValues":    "Kyverno variables",
	"policies":        "Kyverno variables",
	"variables":       "Kyverno variables",
	"subresources":    "a test is about an object itself",
	"rule":            "an API server's policies have no named rules",

	"generatedResource":   "an API server's policies do not create objects",
	"cloneSourceResource": "an API server's policies do not create objects",
	"roles":               "a user's roles are RBAC objects: add them as cluster resources",
	"clusterRoles":        "a user's roles are RBAC objects: add them as cluster resources",
}

var kyvernoVerdicts = map[string][]Verdict{"pass": {Holds, Mutates}, "fail": {Fails}, "skip": {Skips}, "error": {Errs}}

// kyverno reads a kyverno-test.yaml.
func (s *Suite) kyverno(file string) error {
	root, err := mapping(file)
	if err != nil {
		return err
	}
	s.rest(file, root, kyvernoWhy, "apiVersion", "kind", "metadata", "name", "policies", "resources", "paramResources", "clusterResources", "userinfo", "results", "values", "variables")
	policies := s.policies(s.read(s.files(file, root, "policies")...))
	resources := s.read(s.files(file, root, "resources")...)
	cluster := values(s.read(append(s.files(file, root, "paramResources"), s.files(file, root, "clusterResources")...)...))
	for _, r := range resources {
		if r.Kind == "Namespace" {
			cluster = append(cluster, r.Value)
		}
	}
	cluster = append(cluster, s.kyvernoValues(file, root)...)
	who := s.kyvernoUser(file, root)
	text, err := join(cluster)
	if err != nil {
		return err
	}
	for i, result := range items(field(root, "results")) {
		s.kyvernoResult(file, i, result, policies, resources, text, who)
	}
	return nil
}

// files returns the paths in a list.
func (s *Suite) files(file string, root *yaml.Node, name string) []string {
	var out []string
	for _, item := range items(field(root, name)) {
		if remote(item.Value) {
			s.left(file, item.Line, "%s: nothing is fetched", item.Value)
			continue
		}
		out = append(out, beside(file, item.Value))
	}
	return out
}

// kyvernoValues returns the values' namespaces, inline or from their own file.
func (s *Suite) kyvernoValues(file string, root *yaml.Node) []map[string]any {
	node := field(root, "values")
	if name := text(root, "variables"); name != "" {
		file = beside(file, name)
		var err error
		if node, err = mapping(file); err != nil {
			s.left(file, 0, "%v", err)
			return nil
		}
	}
	s.rest(file, node, kyvernoWhy, "apiVersion", "kind", "metadata", "namespaceSelector", "namespaces")
	var out []map[string]any
	for _, item := range items(field(node, "namespaceSelector")) {
		labels := map[string]any{}
		if err := decode(field(item, "labels"), &labels); err != nil {
			s.left(file, item.Line, "labels: %v", err)
		}
		out = append(out, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": text(item, "name"), "labels": labels}})
	}
	for _, item := range items(field(node, "namespaces")) {
		namespace := map[string]any{}
		if err := decode(item, &namespace); err != nil {
			s.left(file, item.Line, "namespaces: %v", err)
			continue
		}
		namespace["apiVersion"], namespace["kind"] = "v1", "Namespace"
		out = append(out, namespace)
	}
	return out
}

func decode(node *yaml.Node, into any) error {
	if node == nil {
		return nil
	}
	return node.Decode(into)
}

func (s *Suite) kyvernoUser(file string, root *yaml.Node) user {
	name := text(root, "userinfo")
	if name == "" {
		return user{}
	}
	file = beside(file, name)
	node, err := mapping(file)
	if err != nil {
		s.left(file, 0, "%v", err)
		return user{}
	}
	s.rest(file, node, kyvernoWhy, "apiVersion", "kind", "metadata", "userInfo")
	return s.user(file, field(node, "userInfo"), "username")
}

// user reads a user, without extra and uid, which the generated request does not support.
func (s *Suite) user(file string, node *yaml.Node, name string) user {
	if node == nil {
		return user{}
	}
	s.rest(file, node, map[string]string{"extra": "only a user's name and groups are used", "uid": "only a user's name and groups are used"}, name, "groups")
	u := user{name: text(node, name)}
	for _, g := range items(field(node, "groups")) {
		u.groups = append(u.groups, g.Value)
	}
	return u
}

// kyvernoResult builds a test for each resource of a result.
func (s *Suite) kyvernoResult(file string, i int, result *yaml.Node, policies, resources []object, cluster string, who user) {
	s.rest(file, result, kyvernoWhy, "policy", "resource", "resources", "namespace", "kind", "result", "status", "patchedResource", "patchedResources", "isValidatingAdmissionPolicy", "isMutatingAdmissionPolicy")
	policy := text(result, "policy")
	if !slices.ContainsFunc(policies, func(o object) bool { return o.Name == policy && slices.Contains(policyKinds, o.Kind) }) {
		s.left(file, result.Line, "results[%d]: %q is not an API server policy, or was not read", i, policy)
		return
	}
	said := first(text(result, "result"), text(result, "status"))
	verdicts := kyvernoVerdicts[said]
	if verdicts == nil {
		s.left(file, result.Line, "results[%d]: result %q is none of pass, fail, skip and error", i, said)
		return
	}
	var names []string
	for _, n := range items(field(result, "resources")) {
		names = append(names, n.Value)
	}
	if one := text(result, "resource"); one != "" {
		names = append(names, one)
	}
	patched := s.read(s.named(file, result, "patchedResource", "patchedResources")...)
	kind, namespace := text(result, "kind"), text(result, "namespace")
	found := 0
	for _, r := range resources {
		if kind != "" && !strings.EqualFold(kind, r.Kind) && !strings.HasSuffix(kind, "/"+r.Kind) {
			continue
		}
		if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return isNamed(r, name, namespace) }) {
			continue
		}
		found++
		s.kyvernoTest(file, result, policy, policies, r, cluster, who, Expected{Said: "result: " + said, Verdicts: verdicts, Object: sameObject(patched, r)})
	}
	if found == 0 {
		s.left(file, result.Line, "results[%d]: no resource is a %s named %s", i, kind, strings.Join(names, " or "))
	}
}

func (s *Suite) kyvernoTest(file string, result *yaml.Node, policy string, policies []object, r object, cluster string, who user, e Expected) {
	text, err := isolated(policies, policy, param{})
	t := &Test{Name: fmt.Sprintf("%s, %s %s", policy, r.Kind, strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")), File: file, Line: result.Line, Policy: policy, Scenario: base(text, cluster), Expected: e}
	if err == nil {
		t.Scenario.Request, err = request(r.Value, nil, "", "", who)
	}
	if err != nil {
		s.left(r.file, r.line, "%s: %v", t.Name, err)
		return
	}
	s.Tests = append(s.Tests, t)
}

// named returns the paths from fields with one path each.
func (s *Suite) named(file string, node *yaml.Node, names ...string) []string {
	var out []string
	for _, name := range names {
		if path := text(node, name); path != "" {
			out = append(out, beside(file, path))
		}
	}
	return out
}

// isNamed reports whether a resource has a name, perhaps with its namespace.
func isNamed(r object, name, namespace string) bool {
	if before, after, ok := strings.Cut(name, "/"); ok {
		namespace, name = before, after
	}
	return name == r.Name && (namespace == "" || namespace == r.Namespace)
}

// sameObject returns the object with the same kind and name, or nil.
func sameObject(list []object, r object) map[string]any {
	for _, o := range list {
		if o.Kind == r.Kind && o.Name == r.Name && (o.Namespace == r.Namespace || o.Namespace == "" || r.Namespace == "") {
			return o.Value
		}
	}
	return nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
