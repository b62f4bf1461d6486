package foresee

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
)

// Request is a request to evaluate.
type Request struct {
	match.Request
	User    *user.DefaultInfo
	Options map[string]any
	// InNamespace is the Namespace of the request, nil for none.
	InNamespace map[string]any
}

// Key is the same for requests that are the same but for the endpoint.
func (r *Request) Key() string {
	text, err := json.Marshal([]any{r.Object, r.OldObject, r.Name, r.User, r.InNamespace["metadata"]})
	if err != nil {
		return "" // a value that JSON cannot write, which Review reports
	}
	return string(text)
}

// uid is that of all requests: nobody sends them.
const uid = "00000000-0000-4000-8000-000000000000"

// Review is the request as an AdmissionReview in JSON.
func (r *Request) Review() (string, error) {
	resource := map[string]any{"group": r.Resource.Group, "version": r.Resource.Version, "resource": r.Resource.Resource}
	kind := map[string]any{"group": r.Kind.Group, "version": r.Kind.Version, "kind": r.Kind.Kind}
	who := map[string]any{"username": r.User.Name, "groups": r.User.Groups}
	if len(r.User.Extra) > 0 {
		who["extra"] = r.User.Extra
	}
	request := map[string]any{"uid": uid, "kind": kind, "resource": resource, "operation": r.Operation, "userInfo": who, "dryRun": false}
	for key, value := range map[string]string{"subResource": r.SubResource, "name": r.Name, "namespace": r.Namespace} {
		if value != "" {
			request[key] = value
		}
	}
	for key, value := range map[string]map[string]any{"object": r.Object, "oldObject": r.OldObject, "options": r.Options} {
		if value != nil {
			request[key] = value
		}
	}
	out, err := json.MarshalIndent(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}, "", "  ")
	return string(out) + "\n", err
}

// Source is what requests are made for: the selectors and reads of a policy with one of its
// bindings, or of a webhook.
type Source struct {
	Catalog *catalog.Catalog
	Cluster *cluster.Cluster
	Reads   Reads
	// Namespaces and Objects are the selectors, of the policy and of the binding.
	Namespaces, Objects []*metav1.LabelSelector

	generated Read // present where the server generates the name
	ends      bool // the namespace is one that can be deleted
}

// namespaceName is what the server labels each namespace with.
const namespaceName = "kubernetes.io/metadata.name"

// selected are labels that selectors select, as far as a label for each of their requirements
// does.
func selected(list []*metav1.LabelSelector) map[string]string {
	out := map[string]string{}
	for _, s := range list {
		if s == nil {
			continue
		}
		for key, value := range s.MatchLabels {
			out[key] = value
		}
		for _, e := range s.MatchExpressions {
			switch {
			case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
				out[e.Key] = e.Values[0]
			case e.Operator == metav1.LabelSelectorOpExists && out[e.Key] == "":
				out[e.Key] = "x"
			}
		}
	}
	return out
}

func selects(list []*metav1.LabelSelector, set map[string]string) bool {
	return !slices.ContainsFunc(list, func(s *metav1.LabelSelector) bool {
		if s == nil {
			return false
		}
		selector, err := metav1.LabelSelectorAsSelector(s)
		return err != nil || !selector.Matches(labels.Set(set))
	})
}

// namespace is a Namespace that the selectors select, of a name that expressions ask for or of
// any other; false when there is none.
func (s *Source) namespace(state State) (map[string]any, bool) {
	want := selected(s.Namespaces)
	var names []string
	if name := want[namespaceName]; name != "" {
		names = append(names, name)
	}
	for _, r := range []*Read{s.Reads["request"].Child("namespace"), s.Reads["object"].Child("metadata").Child("namespace")} {
		if index, present := state[r]; r != nil && present && len(r.Values) > 0 {
			if name, ok := r.Values[index%len(r.Values)].(string); ok {
				names = append(names, name)
			}
		}
	}
	names = append(names, "default", "team-a")
	for _, name := range names {
		ns, assumed, found := s.Cluster.Namespace(name)
		if !found || s.ends && slices.Contains(cluster.Immortal, name) {
			continue
		}
		if assumed || name == "default" || name == "team-a" {
			set := map[string]any{}
			for key, value := range want {
				set[key] = value
			}
			set[namespaceName] = name
			ns = map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name, "labels": set}, "spec": map[string]any{"finalizers": []any{"kubernetes"}}, "status": map[string]any{"phase": "Active"}}
			if t, known := s.Catalog.TypeOf(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}); known {
				fill(ns, t, s.Reads["namespaceObject"], state, nil)
			}
			set[namespaceName] = name
		}
		if selects(s.Namespaces, labelsOf(ns)) {
			return ns, true
		}
	}
	return nil, false
}

func labelsOf(object map[string]any) map[string]string {
	out := map[string]string{}
	meta, _ := object["metadata"].(map[string]any)
	set, _ := meta["labels"].(map[string]any)
	for key, value := range set {
		out[key], _ = value.(string)
	}
	return out
}

// generated are resources of which controllers leave the name to the server.
var generated = []string{"pods", "jobs", "endpointslices", "certificatesigningrequests"}

// Roots are the reads that make requests at an endpoint differ.
func (s *Source) Roots(e Endpoint) []*Read {
	var out []*Read
	if e.Operation != "DELETE" {
		out = append(out, s.Reads["object"])
	}
	if e.Operation == "UPDATE" || e.Operation == "DELETE" {
		out = append(out, s.Reads["oldObject"])
	}
	if e.Namespaced {
		out = append(out, s.Reads["namespaceObject"])
	}
	request := &Read{Name: "request"}
	for _, c := range s.Reads["request"].Children {
		if c.Name == "userInfo" || c.Name == "namespace" || c.Name == "name" {
			request.Children = append(request.Children, c)
		}
	}
	if e.Operation == "CREATE" && e.SubResource == "" && e.Name == "" && slices.Contains(generated, e.Resource.Resource) && (request.Child("name") != nil || s.Reads["object"].Child("metadata").Child("name") != nil) {
		s.generated.Name = "generateName"
		request.Children = append(request.Children, &s.generated)
	}
	return append(out, request)
}

// States are the combinations of fields to try at an endpoint, smallest first.
func (s *Source) States(e Endpoint) []State { return states(s.Roots(e)...) }

// Smaller are states with one field less than a state.
func (s *Source) Smaller(e Endpoint, state State) []State { return state.smaller(s.Roots(e)...) }

// Request is the request at an endpoint with the fields of a state. It is false when no
// namespace is selected.
func (s *Source) Request(e Endpoint, state State) (*Request, bool) {
	r := &Request{User: s.user(state), Options: map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": optionsKind[e.Operation]}}
	r.Kind, r.Resource, r.SubResource, r.Operation = e.Kind, e.Resource, e.SubResource, e.Operation
	if e.Operation == "CONNECT" {
		r.Options = nil
	}
	if e.Namespaced {
		ns, ok := s.namespace(state)
		if !ok {
			return nil, false
		}
		r.InNamespace = ns
		r.Namespace, _ = ns["metadata"].(map[string]any)["name"].(string)
	}
	s.objects(r, e, state)
	if e.Resource.Group == "" && e.Resource.Resource == "namespaces" {
		r.Namespace = r.Name
	}
	return r, true
}

var optionsKind = map[string]string{"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}

// objects gives the request its objects and its name.
func (s *Source) objects(r *Request, e Endpoint, state State) {
	object, old := s.Reads["object"], s.Reads["oldObject"]
	now, before := s.object(e, r.Namespace), s.object(e, r.Namespace)
	t, _ := s.Catalog.TypeOf(e.Kind)
	switch e.Operation {
	case "UPDATE":
		// A field that an expression reads from one of the objects is set in both.
		fill(before, t, object, state, old)
		fill(before, t, old, state, nil)
		fill(now, t, old, state, object)
		fill(now, t, object, state, nil)
		r.Object, r.OldObject = now, before
	case "DELETE":
		fill(before, t, old, state, nil)
		r.OldObject = before
	default:
		fill(now, t, object, state, nil)
		r.Object = now
	}
	s.identify(r, e, state)
}

// identify gives the objects the name and the namespace of the request, and labels that the
// selectors select.
func (s *Source) identify(r *Request, e Endpoint, state State) {
	r.Name = "a"
	if e.Kind.Kind == "CustomResourceDefinition" {
		r.Name = "foos.example.com"
	}
	if name := s.Reads["request"].Child("name"); name != nil {
		if index, present := state[name]; present && len(name.Values) > 0 {
			if text, ok := name.Values[index%len(name.Values)].(string); ok && text != "" {
				r.Name = text
			}
		}
	}
	if e.Name != "" {
		r.Name = e.Name
	}
	for _, object := range []map[string]any{r.Object, r.OldObject} {
		if object == nil || e.Operation == "CONNECT" {
			continue
		}
		meta, _ := object["metadata"].(map[string]any)
		if given, ok := meta["name"].(string); ok && e.Name == "" && given != "" && given != "x" {
			r.Name = given
		}
		if _, generated := state[&s.generated]; generated {
			delete(meta, "name")
			meta["generateName"], r.Name = r.Name+"-", ""
		} else {
			meta["name"] = r.Name
		}
		if e.Namespaced {
			meta["namespace"] = r.Namespace
		}
	}
}

// object is the smallest object for an endpoint, with the labels that the selectors select.
func (s *Source) object(e Endpoint, namespace string) map[string]any {
	out := Smallest(s.Catalog, e.Kind)
	if e.Operation == "CONNECT" {
		return out
	}
	meta, ok := out["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		out["metadata"] = meta
	}
	if want := selected(s.Objects); len(want) > 0 {
		set := map[string]any{}
		for key, value := range want {
			set[key] = value
		}
		meta["labels"] = set
	}
	return out
}

// user is a person with a client certificate, unless expressions ask for another user.
func (s *Source) user(state State) *user.DefaultInfo {
	who := &user.DefaultInfo{Name: "jane", Groups: []string{"system:authenticated"}}
	info := s.Reads["request"].Child("userInfo")
	if r := info.Child("username"); r != nil {
		if index, present := state[r]; present && len(r.Values) > 0 {
			who.Name, _ = r.Values[index%len(r.Values)].(string)
		}
	}
	if groups := info.Child("groups"); groups != nil {
		for _, c := range groups.Children {
			index, present := state[c]
			if !present {
				continue
			}
			name := c.Name
			if c.Name == Item {
				if len(c.Values) == 0 {
					continue
				}
				name, _ = c.Values[index%len(c.Values)].(string)
			}
			who.Groups = append([]string{name}, who.Groups...)
		}
	}
	if extra := info.Child("extra"); extra != nil {
		if _, present := state[extra]; present {
			who.Extra = map[string][]string{"x": {"x"}}
			for _, c := range extra.Children {
				if _, present := state[c]; present && c.Name != Item {
					who.Extra[c.Name] = []string{"x"}
				}
			}
		}
	}
	return who
}

// Param is a parameter object of a kind with every field that the expressions read.
func (s *Source) Param(kind schema.GroupVersionKind) map[string]any {
	out := Smallest(s.Catalog, kind)
	t, _ := s.Catalog.TypeOf(kind)
	state := State{}
	for _, p := range slots(s.Reads["params"]) {
		state[p.read] = 0
	}
	fill(out, t, s.Reads["params"], state, nil)
	return out
}

// Selected are labels that a selector selects.
func Selected(s *metav1.LabelSelector) map[string]string { return selected([]*metav1.LabelSelector{s}) }

// WithoutToken changes the request for a new Pod so that the server mounts no token: it then adds no volume to the Pod
// and no mount to its containers. It is false for other requests.
func (r *Request) WithoutToken() bool {
	spec, ok := r.Object["spec"].(map[string]any)
	if _, set := spec[automount]; set || !ok || r.Operation != "CREATE" || r.SubResource != "" || r.Kind != (schema.GroupVersionKind{Version: "v1", Kind: "Pod"}) {
		return false
	}
	spec[automount] = false
	return true
}

const automount = "automountServiceAccountToken"
