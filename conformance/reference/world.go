package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	rbacvalidation "k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
	kjson "sigs.k8s.io/json"
)

// A world is the cluster of one scenario.
type world struct {
	kinds       []resourceKind
	custom      map[schema.GroupKind]*customResource
	namespaces  *objectStore
	objects     map[schema.GroupVersionResource][]runtime.Object
	equivalents runtime.EquivalentResourceRegistry
	mapper      meta.RESTMapper
	converters  *converters
	authorizer  authorizer.Authorizer
}

// newWorld reads the cluster text. CustomResourceDefinitions count wherever
// in the text they are.
func newWorld(text string, builtin []resourceKind, schemas *schemaStore) (*world, error) {
	docs, err := documents(text)
	if err != nil {
		return nil, err
	}
	w := &world{
		kinds: builtin, custom: map[schema.GroupKind]*customResource{},
		objects:    map[schema.GroupVersionResource][]runtime.Object{},
		converters: &converters{builtin: schemas, crds: map[schema.GroupVersion]managedfields.TypeConverter{}},
	}
	for _, d := range docs {
		if d.GVK.Group == "apiextensions.k8s.io" {
			if err := w.addDefinition(d); err != nil {
				return nil, err
			}
		}
	}
	if err := w.addSchemas(); err != nil {
		return nil, err
	}
	w.equivalents, w.mapper = equivalents(w.kinds), restMapper(w.kinds)
	rules := &roles{}
	var namespaces []runtime.Object
	for _, d := range docs {
		switch d.GVK.Group {
		case "apiextensions.k8s.io", "preadmit.dev":
			continue
		}
		obj, err := w.stored(d)
		if err != nil {
			return nil, fmt.Errorf("%v %s: %w", d.GVK, d.Name, err)
		}
		if ns, ok := obj.(*corev1.Namespace); ok {
			namespaces = append(namespaces, activeNamespace(ns))
		}
		if err := setSystemFields(obj); err != nil {
			return nil, err
		}
		rules.add(obj)
		if err := w.addParam(d.GVK, obj); err != nil {
			return nil, err
		}
	}
	w.authorizer = rules.authorizer()
	w.namespaces, err = newObjectStore(schema.GroupResource{Resource: "namespaces"}, namespaces...)
	return w, err
}

func (w *world) addDefinition(d document) error {
	c, err := newCustomResource(d)
	if err != nil {
		return err
	}
	w.custom[schema.GroupKind{Group: c.crd.Spec.Group, Kind: c.crd.Spec.Names.Kind}] = c
	w.kinds = append(append([]resourceKind{}, w.kinds...), c.kinds()...)
	return nil
}

// definitions are those of a group.
func (w *world) definitions(group string) []*apiextensionsv1.CustomResourceDefinition {
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, gk := range slices.SortedFunc(maps.Keys(w.custom), func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) }) {
		if gk.Group == group {
			out = append(out, w.custom[gk].crd)
		}
	}
	return out
}

// addSchemas makes the type converters of the custom resources.
func (w *world) addSchemas() error {
	for _, c := range w.custom {
		for _, v := range c.crd.Spec.Versions {
			gv := schema.GroupVersion{Group: c.crd.Spec.Group, Version: v.Name}
			if _, ok := w.converters.crds[gv]; ok || !v.Served {
				continue
			}
			doc, err := crdSchema(w.definitions(gv.Group), gv.Version)
			if err != nil {
				return err
			}
			if w.converters.crds[gv], err = typeConverter(doc); err != nil {
				return err
			}
		}
	}
	return nil
}

// setSystemFields sets what every stored object has, to the values to which the
// recorded answers are normalised.
func setSystemFields(obj runtime.Object) error {
	m, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	if m.GetUID() == "" {
		m.SetUID("00000000-0000-0000-0000-000000000000")
	}
	if created := m.GetCreationTimestamp(); created.IsZero() {
		m.SetCreationTimestamp(metav1.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	return nil
}

// activeNamespace adds what the strategy of the registry adds.
func activeNamespace(ns *corev1.Namespace) *corev1.Namespace {
	ns.Status.Phase = corev1.NamespaceActive
	if len(ns.Spec.Finalizers) == 0 {
		ns.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
	}
	return ns
}

// stored is the object as an informer has it: typed, defaulted and without
// apiVersion and kind for a built-in kind, unstructured for a custom one.
func (w *world) stored(d document) (runtime.Object, error) {
	if c, ok := w.custom[d.GVK.GroupKind()]; ok {
		u, err := d.object()
		if err != nil {
			return nil, err
		}
		c.admit(u)
		return u, nil
	}
	obj, err := legacyscheme.Scheme.New(d.GVK)
	if err != nil {
		return nil, err
	}
	if err := decodeInto(d.JSON, obj); err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(obj)
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

// decodeInto reads JSON as the server does: field names are case-sensitive.
func decodeInto(data []byte, into runtime.Object) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
}

func (w *world) addParam(gvk schema.GroupVersionKind, obj runtime.Object) error {
	mapping, err := w.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	w.objects[mapping.Resource] = append(w.objects[mapping.Resource], obj)
	return nil
}

// params is the informer of a resource.
func (w *world) params(gvr schema.GroupVersionResource) (*objectStore, error) {
	return newObjectStore(gvr.GroupResource(), w.objects[gvr]...)
}

// objectInterfaces are what the handler of the kind gives to admission.
func (w *world) objectInterfaces(gvk schema.GroupVersionKind) admission.ObjectInterfaces {
	if c, ok := w.custom[gvk.GroupKind()]; ok {
		return c.objectInterfaces(w.equivalents)
	}
	s := legacyscheme.Scheme
	return &admission.RuntimeObjectInterfaces{
		ObjectCreater: s, ObjectTyper: s, ObjectDefaulter: s, ObjectConvertor: s, EquivalentResourceMapper: w.equivalents,
	}
}

// roles are the RBAC objects of the cluster.
type roles struct {
	roles               []*rbacv1.Role
	bindings            []*rbacv1.RoleBinding
	clusterRoles        []*rbacv1.ClusterRole
	clusterRoleBindings []*rbacv1.ClusterRoleBinding
}

func (r *roles) add(obj runtime.Object) {
	switch o := obj.(type) {
	case *rbacv1.Role:
		r.roles = append(r.roles, o)
	case *rbacv1.RoleBinding:
		r.bindings = append(r.bindings, o)
	case *rbacv1.ClusterRole:
		r.clusterRoles = append(r.clusterRoles, o)
	case *rbacv1.ClusterRoleBinding:
		r.clusterRoleBindings = append(r.clusterRoleBindings, o)
	}
}

// authorizer is the server's with --authorization-mode=RBAC: the group
// system:masters is allowed everything, the rest is RBAC.
// The cluster roles that a server creates when it starts are there too, without
// those of controllers and of single namespaces: no generated check asks for them.
func (r *roles) authorizer() authorizer.Authorizer {
	for _, role := range bootstrappolicy.ClusterRoles() {
		r.clusterRoles = append(r.clusterRoles, &role)
	}
	for _, binding := range bootstrappolicy.ClusterRoleBindings() {
		r.clusterRoleBindings = append(r.clusterRoleBindings, &binding)
	}
	_, static := rbacvalidation.NewTestRuleResolver(r.roles, r.bindings, r.clusterRoles, r.clusterRoleBindings)
	return unionAuthorizer(rbac.New(static, static, static, static))
}
