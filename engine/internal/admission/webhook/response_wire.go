package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// This file is the answer as it goes over the wire, and what the server's client
// makes of it (semantics §8.3, client-go's rest.Result).

// requestUID is the uid that the server sent; the real one is random.
const requestUID = "00000000-0000-0000-0000-000000000000"

// bytes is the body of the answer. A status other than 200 comes with the
// AdmissionReview too, unless there is another body.
func (r Response) bytes(version string) ([]byte, error) {
	switch {
	case r.HTTPStatus == http.StatusNoContent || r.HTTPStatus == http.StatusNotModified:
		return nil, nil // HTTP has no body there
	case r.Text != nil:
		return []byte(*r.Text), nil
	case r.Body != nil:
		var raw string
		if json.Unmarshal(r.Body, &raw) == nil && string(r.Body) != "null" {
			return []byte(raw), nil
		}
		return r.Body, nil
	}
	review := map[string]any{"apiVersion": "admission.k8s.io/" + version, "kind": "AdmissionReview"}
	if r.APIVersion != nil {
		review["apiVersion"] = *r.APIVersion
	}
	if r.Kind != nil {
		review["kind"] = *r.Kind
	}
	if !r.NoResponse {
		review["response"] = r.response()
	}
	return json.Marshal(review)
}

func (r Response) response() map[string]any {
	out := map[string]any{"uid": requestUID, "allowed": r.Allowed, "warnings": r.Warnings, "auditAnnotations": r.AuditAnnotations}
	if r.UID != nil {
		out["uid"] = *r.UID
	}
	if r.PatchType != nil {
		out["patchType"] = *r.PatchType
	}
	if patch := r.encodedPatch(); patch != nil {
		out["patch"] = patch
	}
	if r.Status != nil {
		out["status"] = r.Status
	}
	return out
}

// encodedPatch is the patch as the answer carries it: a text is base64 already,
// or what should be; a list of operations becomes base64 when it is written.
func (r Response) encodedPatch() any {
	var encoded string
	switch {
	case len(r.Patch) == 0 || string(r.Patch) == "null":
		return nil
	case json.Unmarshal(r.Patch, &encoded) == nil:
		return encoded
	}
	return []byte(r.Patch)
}

// isText reports whether the server's client takes the body for a text that says
// what went wrong.
func isText(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.HasPrefix(media, "text/")
}

// reviews is the set of types that the server's client decodes answers with.
var reviews = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := errors.Join(admissionv1beta1.AddToScheme(s), admissionv1.AddToScheme(s)); err != nil {
		panic(err) // of two constant lists of types
	}
	return s
})

var codec = sync.OnceValue(func() runtime.Codec {
	return serializer.NewCodecFactory(reviews()).LegacyCodec(admissionv1beta1.SchemeGroupVersion, admissionv1.SchemeGroupVersion)
})

// decode reads an answer into an AdmissionReview of the version that was sent.
func (t target) decode(data []byte, version string) (runtime.Object, error) {
	var review runtime.Object = &admissionv1.AdmissionReview{}
	if version == "v1beta1" {
		review = &admissionv1beta1.AdmissionReview{}
	}
	if _, _, err := codec().Decode(data, nil, review); err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), reviews().Name(), t.hookScheme()))
	}
	return review, nil
}

// hookScheme is how the server names the set of types that it decodes answers
// with: by the line of its source that makes it.
func (t target) hookScheme() string {
	if t.version.Has(version.WebhookClientLine) {
		return "pkg/util/webhook/client.go:74"
	}
	return "pkg/util/webhook/client.go:71"
}

// maxErrorText is how much of a text the server's client quotes, in bytes.
const maxErrorText = 2048

// httpError is what the server's client makes of a status code. A Status in the
// body says more, and so does a text for some of the codes.
func httpError(code int, body []byte, isText bool) error {
	object, _, _ := codec().Decode(body, &schema.GroupVersionKind{Version: "v1"}, nil) // nil, if it cannot be read
	if status, ok := object.(*metav1.Status); ok && status.Status == metav1.StatusFailure {
		return &apierrors.StatusError{ErrStatus: *status}
	}
	message := "unknown"
	if isText {
		message = strings.TrimSpace(string(body[:min(len(body), maxErrorText)]))
	}
	return apierrors.NewGenericServerResponse(code, http.MethodPost, schema.GroupResource{}, "", message, 0, true)
}

// verify checks an AdmissionReview and gives its response in the form of v1
// (semantics §8.3.4).
func (t target) verify(review runtime.Object) (*admissionv1.AdmissionResponse, error) {
	if old, ok := review.(*admissionv1beta1.AdmissionReview); ok {
		return verifyV1beta1(old.Response)
	}
	r := review.(*admissionv1.AdmissionReview)
	if r.Response == nil {
		return nil, errAbsent
	}
	if r.Response.UID != requestUID {
		return nil, fmt.Errorf("expected response.uid=%q, got %q", requestUID, r.Response.UID)
	}
	want := admissionv1.SchemeGroupVersion.WithKind("AdmissionReview")
	if got := r.GroupVersionKind(); got != want {
		return nil, fmt.Errorf("expected webhook response of %v, got %v", want, got)
	}
	return r.Response, t.verifyPatch(len(r.Response.Patch) > 0, r.Response.PatchType)
}

var errAbsent = errors.New("webhook response was absent")

// verifyV1beta1 checks next to nothing; a patch can only be a JSON patch.
func verifyV1beta1(r *admissionv1beta1.AdmissionResponse) (*admissionv1.AdmissionResponse, error) {
	if r == nil {
		return nil, errAbsent
	}
	return &admissionv1.AdmissionResponse{UID: r.UID, Allowed: r.Allowed, Result: r.Result, Patch: r.Patch, PatchType: new(admissionv1.PatchTypeJSONPatch),
		AuditAnnotations: r.AuditAnnotations, Warnings: r.Warnings}, nil
}

func (t target) verifyPatch(patched bool, kind *admissionv1.PatchType) error {
	switch {
	case !t.mutating && patched:
		return errors.New("validating webhook may not return response.patch")
	case !t.mutating && kind != nil:
		return errors.New("validating webhook may not return response.patchType")
	case patched && kind == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case !patched && kind != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case kind != nil && *kind == "":
		return fmt.Errorf("webhook returned invalid response.patchType of %q", *kind)
	}
	return nil
}
