package speed

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/openapi"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"sigs.k8s.io/yaml"

	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

// policyServer is what kube-apiserver does with the creation of a Pod, built from its own packages:
// its two policy plugins as they are constructed, with informers that have the policies, and the
// strategy of Pods. It keeps no object and has no other plugin.
type policyServer struct {
	decoder    runtime.Decoder
	mutating   *mutating.Plugin
	validating *validating.Plugin
	interfaces admission.ObjectInterfaces
}

// objects are the documents of a text, as the server stores them.
func objects(tb testing.TB, documents []string) (out []runtime.Object) {
	tb.Helper()
	for _, text := range documents {
		var head metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(text), &head); err != nil {
			tb.Fatal(err)
		}
		o := map[string]runtime.Object{
			"Namespace":                        &corev1.Namespace{},
			"ValidatingAdmissionPolicy":        &v1.ValidatingAdmissionPolicy{},
			"ValidatingAdmissionPolicyBinding": &v1.ValidatingAdmissionPolicyBinding{},
			"MutatingAdmissionPolicy":          &v1.MutatingAdmissionPolicy{},
			"MutatingAdmissionPolicyBinding":   &v1.MutatingAdmissionPolicyBinding{},
		}[head.Kind]
		if err := yaml.UnmarshalStrict([]byte(text), o); err != nil {
			tb.Fatal(err)
		}
		defaulted(o)
		out = append(out, o)
	}
	return out
}

// defaulted writes the defaults of the API into policies and bindings (pkg/apis/admissionregistration/v1/defaults.go).
func defaulted(o runtime.Object) {
	fail, equivalent := v1.Fail, v1.Equivalent
	all := &metav1.LabelSelector{}
	switch o := o.(type) {
	case *v1.ValidatingAdmissionPolicy:
		o.Spec.FailurePolicy = &fail
		o.Spec.MatchConstraints.MatchPolicy, o.Spec.MatchConstraints.NamespaceSelector, o.Spec.MatchConstraints.ObjectSelector = &equivalent, all, all
	case *v1.MutatingAdmissionPolicy:
		o.Spec.FailurePolicy = &fail
		o.Spec.MatchConstraints.MatchPolicy, o.Spec.MatchConstraints.NamespaceSelector, o.Spec.MatchConstraints.ObjectSelector = &equivalent, all, all
	}
}

func newPolicyServer(tb testing.TB, documents []string) *policyServer {
	ctx, stop := context.WithCancel(context.Background())
	tb.Cleanup(stop)
	stored := fake.NewClientset(objects(tb, documents)...)
	client, factory := published{stored}, informers.NewSharedInformerFactory(stored, 0)
	s := &policyServer{decoder: legacyscheme.Codecs.UniversalDecoder(schema.GroupVersion{Version: runtime.APIVersionInternal})}
	scheme := legacyscheme.Scheme
	s.interfaces = &admission.RuntimeObjectInterfaces{ObjectCreater: scheme, ObjectTyper: scheme, ObjectDefaulter: scheme, ObjectConvertor: scheme,
		EquivalentResourceMapper: runtime.NewEquivalentResourceRegistry()}
	var err error
	if s.validating, err = validating.NewPlugin(nil); err != nil {
		tb.Fatal(err)
	}
	initialize(ctx, tb, s.validating.Plugin, client, factory)
	if s.mutating, err = mutating.NewPlugin(nil); err != nil {
		tb.Fatal(err)
	}
	initialize(ctx, tb, s.mutating.Plugin, client, factory)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if !s.validating.WaitForReady() || !s.mutating.WaitForReady() {
		tb.Fatal("the plugins are not ready")
	}
	time.Sleep(time.Second) // the plugins compile their policies every 100 ms, and read the schemas on the side
	return s
}

// published is a client that answers with the schemas which a server publishes of the group that Pods are in.
type published struct{ kubernetes.Interface }

// Discovery implements kubernetes.Interface.
func (p published) Discovery() discovery.DiscoveryInterfaces {
	return publishedSchemas{p.Interface.Discovery()}
}

type publishedSchemas struct{ discovery.DiscoveryInterfaces }

// OpenAPIV3 implements discovery.OpenAPIV3SchemaInterface.
func (publishedSchemas) OpenAPIV3() openapi.Client { return schemas{} }

type schemas struct{}

// Paths implements openapi.Client.
func (schemas) Paths() (map[string]openapi.GroupVersion, error) {
	return map[string]openapi.GroupVersion{"api/v1": schemas{}}, nil
}

// ServerRelativeURL implements openapi.GroupVersion.
func (schemas) ServerRelativeURL() string { return "/openapi/v3/api/v1" }

// Schema implements openapi.GroupVersion. It is the file that is released with the server's code.
func (schemas) Schema(string) ([]byte, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "api", "openapi-spec", "v3", "api__v1_openapi.json"))
}

// initialize gives a plugin what the server gives it.
func initialize[H any](ctx context.Context, tb testing.TB, p *generic.Plugin[H], client kubernetes.Interface, factory informers.SharedInformerFactory) {
	mapper := apimeta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), apimeta.RESTScopeNamespace)
	p.SetExternalKubeInformerFactory(factory)
	p.SetExternalKubeClientSet(client)
	p.SetRESTMapper(mapper)
	p.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()))
	p.SetDrainedNotification(ctx.Done())
	p.SetUnconditionalAuthorizer(authorizerfactory.NewAlwaysAllowAuthorizer())
	p.SetEnabled(true)
	if err := p.ValidateInitialization(); err != nil {
		tb.Fatal(err)
	}
}

// create is the request of a review, up to the object that would be stored.
func (s *policyServer) create(tb testing.TB, text []byte) (runtime.Object, error) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil {
		tb.Fatal(err)
	}
	q := review.Request
	object, _, err := s.decoder.Decode(q.Object.Raw, nil, nil) // with defaults, in the internal version
	if err != nil {
		tb.Fatal(err)
	}
	kind, resource := schema.GroupVersionKind(q.Kind), schema.GroupVersionResource(q.Resource)
	who := &user.DefaultInfo{Name: q.UserInfo.Username, Groups: q.UserInfo.Groups}
	a := admission.NewAttributesRecord(object, nil, kind, q.Namespace, q.Name, resource, q.SubResource, admission.Create, &metav1.CreateOptions{}, *q.DryRun, who)
	ctx := genericrequest.WithRequestInfo(genericrequest.WithUser(genericrequest.WithNamespace(context.Background(), q.Namespace), who), &genericrequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIPrefix: "api", APIVersion: "v1", Namespace: q.Namespace, Resource: "pods", Name: q.Name})
	if err := s.mutating.Admit(ctx, a, s.interfaces); err != nil {
		return nil, err
	}
	if again := a.GetReinvocationContext(); again.ShouldReinvoke() { // as the server's reinvoker does
		again.SetIsReinvoke()
		if err := s.mutating.Admit(ctx, a, s.interfaces); err != nil {
			return nil, err
		}
	}
	meta, err := apimeta.Accessor(object)
	if err != nil {
		tb.Fatal(err)
	}
	rest.FillObjectMetaSystemFields(meta)
	if err := rest.BeforeCreate(pod.Strategy, ctx, object); err != nil {
		return nil, err
	}
	return object, s.validating.Validate(ctx, a, s.interfaces)
}

// created fails unless the server admits the request, and with the label where there is to be one.
func (s *policyServer) created(tb testing.TB, text []byte, labelled bool) {
	object, err := s.create(tb, text)
	if err != nil {
		tb.Fatal(err)
	}
	meta, err := apimeta.Accessor(object)
	if err == nil && (meta.GetLabels()["team"] == "shop") != labelled {
		err = errors.New("the benchmark measures something else")
	}
	if err != nil {
		tb.Fatal(err)
	}
}
