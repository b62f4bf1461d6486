package catalog_test

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func gvr(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

func TestUnknownVersion(t *testing.T) {
	for _, v := range []version.Version{{}, version.Oldest().Previous(), version.Newest().Next()} {
		if _, err := catalog.For(v); err == nil {
			t.Errorf("%s is accepted", v)
		}
	}
}

func TestResources(t *testing.T) {
	c := mustCatalog(t, "1.37")
	for _, tt := range []struct {
		kind       schema.GroupVersionKind
		resource   string
		namespaced bool
		served     bool
	}{
		{gvk("", "v1", "Pod"), "pods", true, true},
		{gvk("", "v1", "Endpoints"), "endpoints", true, true},
		{gvk("", "v1", "Namespace"), "namespaces", false, true},
		{gvk("apps", "v1", "Deployment"), "deployments", true, true},
		{gvk("networking.k8s.io", "v1", "Ingress"), "ingresses", true, true},
		{gvk("networking.k8s.io", "v1", "NetworkPolicy"), "networkpolicies", true, true},
		{gvk("storage.k8s.io", "v1", "StorageClass"), "storageclasses", false, true},
		{gvk("storage.k8s.io", "v1", "CSIStorageCapacity"), "csistoragecapacities", true, true},
		{gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy"), "mutatingadmissionpolicies", false, true},
		{gvk("admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicy"), "mutatingadmissionpolicies", false, false},
		{gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), "customresourcedefinitions", false, true},
		{gvk("", "v1", "Binding"), "bindings", true, true},
		{gvk("resource.k8s.io", "v1beta2", "ResourceClaim"), "resourceclaims", true, false},
	} {
		r, ok := c.ResourceForKind(tt.kind)
		if !ok || r.GVR.Resource != tt.resource || r.Namespaced != tt.namespaced || r.Served != tt.served || !r.Builtin {
			t.Errorf("%v: %+v, %v", tt.kind, r, ok)
		}
		if back, ok := c.ResourceFor(r.GVR); !ok || back.GVK != tt.kind {
			t.Errorf("%v: resource %v leads to %v", tt.kind, r.GVR, back.GVK)
		}
	}
	for _, missing := range []schema.GroupVersionKind{
		gvk("apps", "v1beta1", "Deployment"), gvk("extensions", "v1beta1", "Ingress"), gvk("policy", "v1", "Eviction"),
		gvk("apps", "v1", "DeploymentList"), gvk("", "v1", "PodExecOptions"), gvk("example.com", "v1", "Thing"),
	} {
		if r, ok := c.ResourceForKind(missing); ok {
			t.Errorf("%v has a resource of its own: %+v", missing, r)
		}
	}
}

func TestKindFor(t *testing.T) {
	for _, tt := range []struct {
		minor       string
		resource    schema.GroupVersionResource
		subresource string
		want        schema.GroupVersionKind
	}{
		{"1.37", gvr("", "v1", "pods"), "", gvk("", "v1", "Pod")},
		{"1.37", gvr("", "v1", "pods"), "exec", gvk("", "v1", "PodExecOptions")},
		{"1.37", gvr("", "v1", "pods"), "eviction", gvk("policy", "v1", "Eviction")},
		{"1.37", gvr("", "v1", "pods"), "binding", gvk("", "v1", "Binding")},
		{"1.37", gvr("", "v1", "pods"), "ephemeralcontainers", gvk("", "v1", "Pod")},
		{"1.37", gvr("", "v1", "pods"), "resize", gvk("", "v1", "Pod")},
		{"1.32", gvr("", "v1", "pods"), "resize", schema.GroupVersionKind{}},
		{"1.37", gvr("", "v1", "services"), "proxy", gvk("", "v1", "ServiceProxyOptions")},
		{"1.37", gvr("", "v1", "nodes"), "proxy", gvk("", "v1", "NodeProxyOptions")},
		{"1.37", gvr("", "v1", "namespaces"), "finalize", gvk("", "v1", "Namespace")},
		{"1.37", gvr("", "v1", "serviceaccounts"), "token", gvk("authentication.k8s.io", "v1", "TokenRequest")},
		{"1.37", gvr("apps", "v1", "deployments"), "scale", gvk("autoscaling", "v1", "Scale")},
		{"1.37", gvr("apps", "v1", "daemonsets"), "scale", schema.GroupVersionKind{}},
		{"1.37", gvr("certificates.k8s.io", "v1", "certificatesigningrequests"), "approval", gvk("certificates.k8s.io", "v1", "CertificateSigningRequest")},
		{"1.37", gvr("", "v1", "configmaps"), "status", schema.GroupVersionKind{}},
	} {
		got, ok := mustCatalog(t, tt.minor).KindFor(tt.resource, tt.subresource)
		if got != tt.want || ok != (tt.want != schema.GroupVersionKind{}) {
			t.Errorf("%s %v/%s: %v", tt.minor, tt.resource, tt.subresource, got)
		}
		if ok {
			if _, known := mustCatalog(t, tt.minor).TypeOf(got); !known {
				t.Errorf("%s: no type for %v", tt.minor, got)
			}
		}
	}
}

func TestEquivalents(t *testing.T) {
	for _, tt := range []struct {
		minor       string
		resource    schema.GroupVersionResource
		subresource string
		want        []schema.GroupVersionResource
	}{
		{"1.36", gvr("autoscaling", "v1", "horizontalpodautoscalers"), "", []schema.GroupVersionResource{
			gvr("autoscaling", "v2", "horizontalpodautoscalers"), gvr("autoscaling", "v1", "horizontalpodautoscalers")}},
		{"1.36", gvr("events.k8s.io", "v1", "events"), "", []schema.GroupVersionResource{
			gvr("", "v1", "events"), gvr("events.k8s.io", "v1", "events")}},
		{"1.36", gvr("apps", "v1", "deployments"), "", []schema.GroupVersionResource{gvr("apps", "v1", "deployments")}},
		{"1.36", gvr("apps", "v1", "deployments"), "scale", []schema.GroupVersionResource{gvr("apps", "v1", "deployments")}},
		{"1.36", gvr("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies"), "", []schema.GroupVersionResource{
			gvr("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies")}},
		{"1.31", gvr("flowcontrol.apiserver.k8s.io", "v1", "flowschemas"), "", []schema.GroupVersionResource{
			gvr("flowcontrol.apiserver.k8s.io", "v1", "flowschemas"), gvr("flowcontrol.apiserver.k8s.io", "v1beta3", "flowschemas")}},
		{"1.32", gvr("flowcontrol.apiserver.k8s.io", "v1", "flowschemas"), "", []schema.GroupVersionResource{
			gvr("flowcontrol.apiserver.k8s.io", "v1", "flowschemas")}},
		{"1.36", gvr("example.com", "v1", "things"), "", nil},
	} {
		if got := mustCatalog(t, tt.minor).Equivalents(tt.resource, tt.subresource); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %v/%s: %v", tt.minor, tt.resource, tt.subresource, got)
		}
	}
}

// TestVersionsDiffer names kinds that were added or removed between releases.
func TestVersionsDiffer(t *testing.T) {
	for _, tt := range []struct {
		name string
		has  func(c *catalog.Catalog) bool
		in   map[string]bool
	}{
		{"MutatingAdmissionPolicy v1", hasKind(gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy")),
			map[string]bool{"1.35": false, "1.36": true}},
		{"MutatingAdmissionPolicy v1beta1", hasKind(gvk("admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicy")),
			map[string]bool{"1.33": false, "1.34": true, "1.37": true}},
		{"MutatingAdmissionPolicy v1alpha1", hasKind(gvk("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicy")),
			map[string]bool{"1.31": false, "1.32": true}},
		{"ResourceClaim v1", hasKind(gvk("resource.k8s.io", "v1", "ResourceClaim")), map[string]bool{"1.33": false, "1.34": true}},
		{"ServiceCIDR v1", hasKind(gvk("networking.k8s.io", "v1", "ServiceCIDR")), map[string]bool{"1.32": false, "1.33": true}},
		{"image volumes", hasField(gvk("", "v1", "Pod"), "spec", "volumes", "image"), map[string]bool{"1.30": false, "1.31": true}},
		{"resources of a pod", hasField(gvk("", "v1", "Pod"), "spec", "resources"), map[string]bool{"1.31": false, "1.32": true}},
		{"tolerance of autoscalers", hasField(gvk("autoscaling", "v2", "HorizontalPodAutoscaler"), "spec", "behavior", "scaleUp", "tolerance"),
			map[string]bool{"1.32": false, "1.33": true}},
	} {
		for minor, want := range tt.in {
			if got := tt.has(mustCatalog(t, minor)); got != want {
				t.Errorf("%s in %s: %v, want %v", tt.name, minor, got, want)
			}
		}
	}
}

func hasKind(kind schema.GroupVersionKind) func(*catalog.Catalog) bool {
	return func(c *catalog.Catalog) bool { _, ok := c.ResourceForKind(kind); return ok }
}

func hasField(kind schema.GroupVersionKind, path ...string) func(*catalog.Catalog) bool {
	return func(c *catalog.Catalog) bool {
		typ, ok := c.TypeOf(kind)
		for _, name := range path {
			if !ok {
				return false
			}
			if typ.Kind == catalog.List {
				typ = typ.Elem
			}
			f := typ.Field(name)
			if f == nil {
				return false
			}
			typ = f.Type
		}
		return ok
	}
}
