//go:build !slim

// The browser build omits the Go types that the catalog is compared with (wasm/slim).

package catalog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog/catalogtest"
)

// These tests compare the catalog with the Go types that it was generated from, through the
// server's own code. k8s.io/api is the newest release.

// realScheme has the Go types of all stable groups.
func realScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		v1.AddToScheme, admissionregistrationv1alpha1.AddToScheme, admissionregistrationv1beta1.AddToScheme,
		appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme, autoscalingv1.AddToScheme,
		autoscalingv2.AddToScheme, batchv1.AddToScheme, certificatesv1.AddToScheme, certificatesv1beta1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme,
		flowcontrolv1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme, policyv1.AddToScheme,
		rbacv1.AddToScheme, resourcev1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// comparedKinds are the kinds that both sides have.
func comparedKinds(t *testing.T, scheme *runtime.Scheme, c *catalog.Catalog) []schema.GroupVersionKind {
	t.Helper()
	var out []schema.GroupVersionKind
	for gvk := range scheme.AllKnownTypes() {
		if _, ok := c.TypeOf(gvk); ok && gvk.Version != runtime.APIVersionInternal {
			out = append(out, gvk)
		}
	}
	if len(out) < 90 {
		t.Fatalf("only %d kinds to compare", len(out))
	}
	slices.SortFunc(out, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// TestDecodeEqualsGoTypes decodes random objects, right and wrong, with the catalog and with the
// server's decoder into Go types. Errors and normal form must be the same.
func TestDecodeEqualsGoTypes(t *testing.T) {
	scheme := realScheme(t)
	c := mustCatalog(t, "1.37")
	for _, strict := range []bool{true, false} {
		decoder := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Strict: strict})
		g := catalogtest.New(1)
		failed, decoded := 0, 0
		for _, gvk := range comparedKinds(t, scheme, c) {
			typ, _ := c.TypeOf(gvk)
			for i := range 60 {
				g.Mistakes = []int{0, 5, 20}[i%3]
				data := marshalObject(t, g, gvk, typ)
				want, wantErr := decodeReal(decoder, scheme, gvk, data)
				var got map[string]any
				var gotErr error
				if strict {
					got, gotErr = c.DecodeStrict(gvk, data)
				} else {
					got, gotErr = c.DecodeLenient(gvk, data)
				}
				if wantErr != nil {
					failed++
				} else {
					decoded++
				}
				compareOutcome(t, gvk, data, want, wantErr, got, gotErr)
				if t.Failed() {
					return
				}
			}
		}
		t.Logf("strict %v: %d objects decoded, %d refused, all alike", strict, decoded, failed)
	}
}

func decodeReal(decoder runtime.Decoder, scheme *runtime.Scheme, gvk schema.GroupVersionKind, data []byte) (map[string]any, error) {
	into, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	object, _, err := decoder.Decode(data, nil, into)
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

func compareOutcome(t *testing.T, gvk schema.GroupVersionKind, data []byte, want map[string]any, wantErr error, got map[string]any, gotErr error) {
	t.Helper()
	if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
		t.Errorf("%v\n%s\n got error %v\nwant error %v", gvk, data, gotErr, wantErr)
		return
	}
	if wantErr != nil {
		return
	}
	for _, diff := range differences("", want, got) {
		t.Errorf("%v\n%s\n%s", gvk, data, diff)
	}
}

// TestFromUnstructuredEqualsGoTypes converts random objects as the server converts an
// ApplyConfiguration's result.
func TestFromUnstructuredEqualsGoTypes(t *testing.T) {
	scheme := realScheme(t)
	c := mustCatalog(t, "1.37")
	g := catalogtest.New(3)
	failed, converted := 0, 0
	for _, gvk := range comparedKinds(t, scheme, c) {
		typ, _ := c.TypeOf(gvk)
		for i := range 60 {
			g.Mistakes = []int{0, 3, 10}[i%3]
			object := g.Object(gvk, typ)
			into, err := scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			got, gotErr := c.FromUnstructured(gvk, object)
			wantErr := runtime.DefaultUnstructuredConverter.FromUnstructured(object, into)
			data, _ := json.Marshal(object)
			if wantErr != nil {
				failed++
				// The converter walks maps in random order: of several errors, any is right.
				if gotErr == nil || !strings.HasPrefix(gotErr.Error(), "unable to convert unstructured object to "+gvk.String()+": ") {
					t.Fatalf("%v\n%s\n got error %v\nwant error %v", gvk, data, gotErr, wantErr)
				}
				if g.Mistakes < 10 && !strings.HasSuffix(gotErr.Error(), ": "+wantErr.Error()) {
					t.Errorf("%v\n%s\n got error %v\nwant error %v", gvk, data, gotErr, wantErr)
				}
				continue
			}
			converted++
			want, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
			if err != nil {
				t.Fatal(err)
			}
			compareOutcome(t, gvk, data, want, nil, got, gotErr)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d objects converted, %d refused, all alike", converted, failed)
}
