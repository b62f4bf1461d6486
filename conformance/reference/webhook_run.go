package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"

	"github.com/preadmit/preadmit/conformance/wire"
)

// evaluateWebhooks answers a case with the whole chain.
func (w *world) evaluateWebhooks(c wire.Case, request *admissionv1.AdmissionRequest, p *policies, f *informerFactory, out *wire.Answer) error {
	answers, err := readHookAnswers(c.Cluster)
	if err != nil {
		return err
	}
	if err := w.addNamespace(request); err != nil {
		return err
	}
	hooks := startHooks(w, p, answers, c.Served)
	defer hooks.stop()
	rec := &recorder{}
	chain, stop, err := wholeChain(f, p, hooks, rec)
	if err != nil {
		return err
	}
	defer stop()
	var answer wire.Answer
	// The warnings go the way that they go in the server: through its handler,
	// which drops, cuts and quotes some of them.
	response := httptest.NewRecorder()
	filters.WithWarningRecorder(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		answer, err = w.admitWhole(r.Context(), c, request, chain)
	})).ServeHTTP(response, httptest.NewRequest(http.MethodPost, "/", nil))
	if err != nil {
		return err
	}
	headers, errs := utilnet.ParseWarningHeaders(response.Result().Header["Warning"])
	if len(errs) > 0 {
		return fmt.Errorf("warnings: %v", errs)
	}
	for _, h := range headers {
		answer.Warnings = append(answer.Warnings, h.Text)
	}
	answer.ID, answer.Install, answer.Runs, answer.Calls = c.ID, p.answers, rec.runs, hooks.calls
	*out = answer
	return nil
}

// addNamespace stores the Namespace that a request changes or deletes, when the
// cluster text does not have it.
func (w *world) addNamespace(request *admissionv1.AdmissionRequest) error {
	if gvk, _, _ := endpoint(request); gvk != corev1.SchemeGroupVersion.WithKind("Namespace") || len(request.OldObject.Raw) == 0 {
		return nil
	}
	ns := &corev1.Namespace{}
	if err := decodeInto(request.OldObject.Raw, ns); err != nil {
		return err
	}
	if _, there, err := w.namespaces.indexer.GetByKey(ns.Name); there || err != nil || ns.Name == "" {
		return err
	}
	return w.namespaces.indexer.Add(ns)
}

// admitWhole takes the request through the chain and storage. A panic of the
// server's code is reported as an error.
func (w *world) admitWhole(ctx context.Context, c wire.Case, request *admissionv1.AdmissionRequest, chain admission.Interface) (out wire.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	a, old, err := w.received(c, request)
	if err != nil {
		return wire.Answer{}, err
	}
	gvk, _, _ := endpoint(request)
	o := w.objectInterfaces(gvk)
	if err := chain.(admission.MutationInterface).Admit(ctx, a, o); err != nil {
		return refused(err, a.annotations), nil
	}
	final, err := w.externalObject(a.GetObject(), gvk)
	if err != nil {
		return wire.Answer{}, fmt.Errorf("the object after the mutations: %w", err)
	}
	if final != nil && request.Operation != admissionv1.Connect {
		if err := w.ownNamespace(request, final); err != nil {
			return refused(err, a.annotations), nil
		}
		if a, err = w.beforeValidation(c, request, a, final, old); err != nil {
			return wire.Answer{}, err
		}
	}
	if err := chain.(admission.ValidationInterface).Validate(ctx, a, o); err != nil {
		return refused(err, a.annotations), nil
	}
	out = wire.Answer{Allowed: true, Code: http.StatusOK, AuditAnnotations: a.annotations, Object: final}
	if request.Operation == admissionv1.Create {
		out.Code = http.StatusCreated
	}
	return out, nil
}

// received are the attributes of the request at the beginning of the chain.
func (w *world) received(c wire.Case, request *admissionv1.AdmissionRequest) (*recordingAttributes, runtime.Object, error) {
	object, err := w.internalObject(request.Object.Raw, c.Defaulting)
	if err != nil {
		return nil, nil, fmt.Errorf("object: %w", err)
	}
	old, err := w.internalObject(request.OldObject.Raw, c.Defaulting)
	if err != nil {
		return nil, nil, fmt.Errorf("oldObject: %w", err)
	}
	if err := justManaged(object, old); err != nil {
		return nil, nil, err
	}
	a, err := w.attributes(request, object, old)
	return a, old, err
}

// justManaged gives the managedFields that this request wrote a time with a
// fraction of a second, as the server's field manager does. JSON has whole
// seconds, so that a typed object changes when it goes through JSON for the
// first time.
func justManaged(object, old runtime.Object) error {
	if object == nil {
		return nil
	}
	if _, custom := object.(*unstructured.Unstructured); custom {
		return nil // its times are texts
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return nil // the options of a CONNECT request
	}
	known := map[string]bool{}
	if old != nil {
		o, err := meta.Accessor(old)
		if err != nil {
			return err
		}
		for _, entry := range o.GetManagedFields() {
			known[entry.String()] = true
		}
	}
	entries := m.GetManagedFields()
	for i := range entries {
		if !known[entries[i].String()] && entries[i].Time != nil {
			entries[i].Time = &metav1.Time{Time: entries[i].Time.Add(123456 * time.Microsecond)}
		}
	}
	m.SetManagedFields(entries)
	return nil
}

// uuids are random in the server's messages.
// about are the details of a status without its causes.
func about(d *metav1.StatusDetails) wire.Details {
	return wire.Details{Name: d.Name, Group: d.Group, Kind: d.Kind, UID: string(d.UID)}
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// refused is the answer that the server makes of an error of admission.
func refused(err error, annotations map[string]string) wire.Answer {
	s := responsewriters.ErrorToAPIStatus(err)
	out := wire.Answer{Code: int(s.Code), Reason: string(s.Reason), Message: uuids.ReplaceAllString(s.Message, zeroUID), AuditAnnotations: annotations}
	if s.Details != nil {
		out.Details = about(s.Details)
		for _, cause := range s.Details.Causes {
			out.Causes = append(out.Causes, uuids.ReplaceAllString(cause.Message, zeroUID))
		}
	}
	return out
}
