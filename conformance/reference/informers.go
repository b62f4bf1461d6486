package main

import (
	"fmt"
	"sort"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/admissionregistration"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/tools/cache"
)

// An objectStore is an informer whose objects are simply there: no client, no
// watch and nothing to wait for. Starting real informers for each of thousands
// of scenarios would take most of the time. It implements cache.SharedIndexInformer and informers.GenericInformer.
type objectStore struct {
	cache.SharedIndexInformer // what is not overridden is never called
	indexer                   cache.Indexer
	resource                  schema.GroupResource
}

func newObjectStore(gr schema.GroupResource, objects ...runtime.Object) (*objectStore, error) {
	s := &objectStore{resource: gr, indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
	for _, o := range objects {
		if err := s.indexer.Add(o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// The methods of cache.SharedIndexInformer and informers.GenericInformer that
// the policy plugins call.

func (s *objectStore) GetIndexer() cache.Indexer { return s.indexer }
func (s *objectStore) HasSynced() bool           { return true }

// AddEventHandler implements cache.SharedIndexInformer: nothing ever happens.
func (s *objectStore) AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return nil, nil
}

func (s *objectStore) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (s *objectStore) Informer() cache.SharedIndexInformer                             { return s }

func (s *objectStore) Lister() cache.GenericLister {
	return sortedLister{GenericLister: cache.NewGenericLister(s.indexer, s.resource)}
}

// A sortedLister lists in the order of the names. The order of the real one is
// random, and so is the order in which the params of a selector are used; the
// engine uses them by name. It implements cache.GenericLister.
type sortedLister struct{ cache.GenericLister }

func (l sortedLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return sorted(l.GenericLister.List(selector))
}

func (l sortedLister) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return sortedNamespaceLister{GenericNamespaceLister: l.GenericLister.ByNamespace(namespace)}
}

// sortedNamespaceLister implements cache.GenericNamespaceLister.
type sortedNamespaceLister struct{ cache.GenericNamespaceLister }

func (l sortedNamespaceLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return sorted(l.GenericNamespaceLister.List(selector))
}

func sorted(objects []runtime.Object, err error) ([]runtime.Object, error) {
	sort.Slice(objects, func(i, j int) bool { return objectKey(objects[i]) < objectKey(objects[j]) })
	return objects, err
}

// objectKey is namespace/name, or name.
func objectKey(o runtime.Object) string {
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(m.GetNamespace()+"/"+m.GetName(), "/")
}

// informerFactory serves the objects of one scenario to the plugins. It implements informers.SharedInformerFactory.
type informerFactory struct {
	informers.SharedInformerFactory // what is not overridden is never called
	world                           *world
	validating, validatingBindings  *objectStore
	mutating, mutatingBindings      *objectStore
}

// Start implements informers.SharedInformerFactory: everything is there.
func (f *informerFactory) Start(<-chan struct{}) {}

func (f *informerFactory) Core() core.Interface { return core.New(f, "", nil) }

func (f *informerFactory) Admissionregistration() admissionregistration.Interface {
	return admissionregistration.New(f, "", nil)
}

func (f *informerFactory) InformerFor(obj runtime.Object, _ internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	switch obj.(type) {
	case *corev1.Namespace:
		return f.world.namespaces
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return f.validating
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return f.validatingBindings
	}
	if informer := f.mutatingInformer(obj); informer != nil {
		return informer
	}
	panic(fmt.Sprintf("no informer for %T", obj))
}

// ForResource implements informers.SharedInformerFactory: the informer of the
// kind of a param. The server has typed informers for the built-in kinds and
// makes dynamic ones for the others; here both come from one place.
func (f *informerFactory) ForResource(gvr schema.GroupVersionResource) (informers.GenericInformer, error) {
	return f.world.params(gvr)
}

var _ informers.SharedInformerFactory = &informerFactory{}
