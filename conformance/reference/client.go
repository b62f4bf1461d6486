package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/openapi"
)

// A client answers the two questions that the policy plugins ask a client:
// whether a namespace exists that their informer does not have, and what the
// OpenAPI documents of the server are. It implements kubernetes.Interface.
type client struct {
	kubernetes.Interface // what is not overridden is never called
	world                *world
}

func (c client) CoreV1() corev1client.CoreV1Interface { return coreClient{} }
func (c client) Discovery() discoveryInterface        { return discoveryClient{world: c.world} }

// coreClient implements corev1client.CoreV1Interface.
type coreClient struct{ corev1client.CoreV1Interface }

func (coreClient) Namespaces() corev1client.NamespaceInterface { return namespaceClient{} }

type namespaceClient struct {
	corev1client.NamespaceInterface
}

// Get implements corev1client.NamespaceInterface: what the informer does not
// have does not exist.
func (namespaceClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, name)
}

// discoveryClient implements discovery.DiscoveryInterface.
type discoveryClient struct {
	discoveryInterface
	world *world
}

func (d discoveryClient) OpenAPIV3() openapi.Client { return openapiClient(d) }

// openapiClient implements openapi.Client.
type openapiClient discoveryClient

func (c openapiClient) Paths() (map[string]openapi.GroupVersion, error) {
	out := map[string]openapi.GroupVersion{}
	for _, k := range c.world.kinds {
		gv := k.Resource.GroupVersion()
		path := "apis/" + gv.String()
		if gv.Group == "" {
			path = "api/" + gv.Version
		}
		out[path] = openapiDocument{world: c.world, gv: gv}
	}
	return out, nil
}

// openapiDocument implements openapi.GroupVersion.
type openapiDocument struct {
	world *world
	gv    schema.GroupVersion
}

func (d openapiDocument) Schema(string) ([]byte, error) {
	if crds := d.world.definitions(d.gv.Group); len(crds) > 0 {
		return crdSchema(crds, d.gv.Version)
	}
	return os.ReadFile(d.world.converters.builtin.file(d.gv))
}

// ServerRelativeURL implements openapi.GroupVersion; a new URL would mean a
// new document.
func (d openapiDocument) ServerRelativeURL() string { return fmt.Sprintf("/openapi/v3/%v", d.gv) }

// A dynamicClient is asked for a param that the informer does not have: it does
// not exist. It implements dynamic.Interface.
type dynamicClient struct{ dynamic.Interface }

func (dynamicClient) Resource(gvr schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return absentResource{resource: gvr.GroupResource()}
}

// absentResource implements dynamic.NamespaceableResourceInterface and dynamic.ResourceInterface.
type absentResource struct {
	dynamic.NamespaceableResourceInterface
	resource schema.GroupResource
}

func (r absentResource) Namespace(string) dynamic.ResourceInterface { return r }

func (r absentResource) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	return nil, apierrors.NewNotFound(r.resource, name)
}
