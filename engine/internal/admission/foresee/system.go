package foresee

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
)

// systemText has the requests that a healthy cluster makes by itself.
//
//go:embed system.json
var systemText []byte

// System is a request that a healthy cluster makes by itself.
type System struct {
	Request
	// What names the request: "the heartbeats of nodes". Component sends it, and Then says what
	// happens when it is denied.
	What, Component, Then string
	// Pod says that it is a Pod of the control plane, which a policy about Pods can deny for good
	// reasons.
	Pod bool
}

// systemEntry is one of the file.
type systemEntry struct {
	What, Component, Then, User, Op, Resource, Kind, Namespace, Name string
	System                                                           bool
	Object, Old                                                      json.RawMessage
}

var systemEntries = sync.OnceValue(func() []systemEntry {
	var out []systemEntry
	if err := json.Unmarshal(systemText, &out); err != nil {
		panic(err) // the file is part of the program
	}
	return out
})

// SystemRequests are the requests that a healthy cluster makes by itself, of the resources that
// a release serves.
func SystemRequests(kinds *catalog.Catalog, of *cluster.Cluster) []System {
	var out []System
	for _, e := range systemEntries() {
		resource, sub := e.resource()
		r, known := kinds.ResourceFor(resource)
		kind, served := kinds.KindFor(resource, sub)
		if !known || !served || !r.Served {
			continue
		}
		one := System{What: e.What, Component: e.Component, Then: e.Then, Pod: e.System}
		one.Resource, one.SubResource, one.Kind = resource, sub, kind
		one.Operation, one.Name, one.Namespace, one.User = e.Op, e.Name, e.Namespace, systemUser(e.User)
		if e.Op != "CONNECT" {
			one.Options = map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": optionsKind[e.Op]}
		}
		one.objects(&e)
		if r.Namespaced {
			one.InNamespace, _, _ = of.Namespace(e.Namespace)
		} else if r.GVR.Resource == "namespaces" {
			one.Namespace = e.Name
		}
		out = append(out, one)
	}
	return out
}

// resource is written as RESOURCE.VERSION.GROUP/SUBRESOURCE.
func (e *systemEntry) resource() (schema.GroupVersionResource, string) {
	name, sub, _ := strings.Cut(e.Resource, "/")
	plural, rest, _ := strings.Cut(name, ".")
	version, group, _ := strings.Cut(rest, ".")
	return schema.GroupVersionResource{Group: group, Version: version, Resource: plural}, sub
}

func (s *System) objects(e *systemEntry) {
	object := s.object(e, e.Object)
	old := s.object(e, e.Object)
	if e.Old != nil {
		old = s.object(e, e.Old)
	}
	switch e.Op {
	case "CREATE":
		s.Object = object
	case "UPDATE":
		s.Object, s.OldObject = object, old
	case "DELETE":
		s.OldObject = old
	}
}

// systemTime is when the objects of the system were created.
const systemTime = "2026-01-01T00:00:00Z"

func (s *System) object(e *systemEntry, text json.RawMessage) map[string]any {
	out := readObject(text)
	meta, ok := out["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		out["metadata"] = meta
	}
	if e.Name != "" {
		meta["name"] = e.Name
	}
	if e.Namespace != "" {
		meta["namespace"] = e.Namespace
	}
	if e.Op != "CREATE" && meta["uid"] == nil {
		meta["uid"], meta["creationTimestamp"], meta["resourceVersion"] = uid, systemTime, "1"
	}
	out["apiVersion"], out["kind"] = s.Kind.GroupVersion().String(), s.Kind.Kind
	return out
}

// systemUser is the user of a component: a node, the API server, an administrator, the account
// of a controller, or a user by name.
func systemUser(name string) *user.DefaultInfo {
	account, isAccount := strings.CutPrefix(name, "sa:")
	switch {
	case name == "node":
		return &user.DefaultInfo{Name: "system:node:node-1", Groups: []string{"system:nodes", "system:authenticated"}}
	case name == "apiserver":
		return &user.DefaultInfo{Name: "system:apiserver", Groups: []string{"system:authenticated", "system:masters"}}
	case name == "admin":
		return &user.DefaultInfo{Name: "kubernetes-admin", Groups: []string{kubeadmAdmins, user.AllAuthenticated}}
	case name == "bootstrap":
		return &user.DefaultInfo{Name: "system:bootstrap:abcdef", Groups: []string{"system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token", user.AllAuthenticated}}
	case isAccount:
		return &user.DefaultInfo{Name: "system:serviceaccount:kube-system:" + account, UID: uid,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}}
	}
	return &user.DefaultInfo{Name: name, Groups: []string{"system:authenticated"}}
}

// kubeadmAdmins is the group of the certificate in admin.conf since kubeadm 1.29. Before, it was system:masters.
const kubeadmAdmins = "kubeadm:cluster-admins"

// AsMaster is a request of an administrator with kubeadm as one before kubeadm 1.29 sends it; nil for other requests.
func (s *System) AsMaster() *Request {
	if !slices.Contains(s.User.Groups, kubeadmAdmins) {
		return nil
	}
	out := s.Request
	out.User = &user.DefaultInfo{Name: s.User.Name, Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	return &out
}

// Ordinary is a request like that for a Pod of the control plane, for the smallest Pod that there
// is: what denies it, too, does not deny what is special about the control plane.
func (s *System) Ordinary(kinds *catalog.Catalog) *Request {
	out := s.Request
	out.Object = Smallest(kinds, s.Kind)
	out.Object["metadata"] = map[string]any{"name": s.Name, "namespace": s.Namespace}
	return &out
}
