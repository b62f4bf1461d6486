package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// callError is a failure of the call itself; the failure policy decides.
type callError struct {
	webhook string
	reason  error
}

func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.webhook, e.reason)
}

// target is what both kinds of webhooks say about the call.
type target struct {
	name           string
	client         v1.WebhookClientConfig
	sideEffects    *v1.SideEffectClass
	timeoutSeconds int32
	versions       []string
	mutating       bool
	minor          int
}

func (t target) failed(format string, args ...any) error {
	return &callError{t.name, fmt.Errorf(format, args...)}
}

// prepare makes the checks before a call (semantics §8.3.1, §8.3.2) and gives
// the version of the AdmissionReview.
func (t target) prepare(dryRun bool) (string, error) {
	if dryRun {
		if t.sideEffects == nil {
			return "", t.failed("Webhook SideEffects is nil")
		}
		if *t.sideEffects != v1.SideEffectClassNone && *t.sideEffects != v1.SideEffectClassNoneOnDryRun {
			return "", apierrors.NewBadRequest(fmt.Sprintf("admission webhook %q does not support dry run", t.name))
		}
	}
	for _, version := range t.versions {
		if version == "v1" || version == "v1beta1" {
			return version, nil
		}
	}
	return "", t.failed("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)")
}

// url is the address as it shows in errors.
func (t target) url() string {
	address := ""
	switch {
	case t.client.URL != nil:
		address = *t.client.URL
	case t.client.Service != nil:
		s := t.client.Service
		port, path := int32(443), "/"
		if s.Port != nil {
			port = *s.Port
		}
		if s.Path != nil {
			path = "/" + strings.TrimPrefix(*s.Path, "/")
		}
		address = fmt.Sprintf("https://%s.%s.svc:%d%s", s.Name, s.Namespace, port, path)
	}
	return fmt.Sprintf("%s?timeout=%ds", address, t.timeoutSeconds)
}

func (t target) host() string {
	rest := strings.TrimPrefix(t.url(), "https://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	if !strings.Contains(rest, ":") {
		rest += ":443"
	}
	return rest
}

// unreachable is an error of the connection: the webhook was not called.
func (t target) unreachable(r Response, serviceExists bool) error {
	switch {
	case t.client.Service != nil && !serviceExists:
		return t.failed("failed to call webhook: Post %q: service %q not found", t.url(), t.client.Service.Name)
	case r.ConnectionRefused:
		return t.failed("failed to call webhook: Post %q: dial tcp %s: connect: connection refused", t.url(), t.host())
	}
	return nil
}

// answer reads the webhook's answer as the server reads it, up to the verdict.
func (t target) answer(r Response, version string) (*Response, error) {
	if r.DelaySeconds > float64(t.timeoutSeconds) {
		return nil, t.failed("failed to call webhook: Post %q: context deadline exceeded", t.url())
	}
	if r.HTTPStatus != 0 && (r.HTTPStatus < http.StatusOK || r.HTTPStatus > http.StatusPartialContent) {
		return nil, t.failed("failed to call webhook: %w", httpError(r))
	}
	if r.Body != nil {
		return t.raw(r, version)
	}
	return t.checked(r, version)
}

// checked decodes and verifies an AdmissionReview.
func (t target) checked(r Response, version string) (*Response, error) {
	if err := t.decodable(r, version); err != nil {
		return nil, t.failed("failed to call webhook: %w", err)
	}
	if err := t.verify(r, version); err != nil {
		return nil, t.failed("received invalid webhook response: %w", err)
	}
	return &r, nil
}

// hookScheme is how the server names the set of types that it decodes answers
// with: by the line of its source that makes it.
func (t target) hookScheme() string {
	if t.minor >= 37 {
		return "pkg/util/webhook/client.go:74"
	}
	return "pkg/util/webhook/client.go:71"
}

// decodable is the decoding of the answer into an AdmissionReview of the
// version that was sent. A kind or apiVersion that is missing is taken to be
// right here; verify sees what was really there.
func (t target) decodable(r Response, version string) error {
	wanted := reviewKind(version)
	got := r.gvk(reviewKind("v1"))
	if got.Kind == "" {
		got.Kind = wanted.Kind
	}
	if got.Version == "" && (got.Group == "" || got.Group == wanted.Group) {
		got.Group, got.Version = wanted.Group, wanted.Version
	}
	switch {
	case got == wanted:
		return nil
	case got == reviewKind("v1") || got == reviewKind("v1beta1"):
		if r.APIVersion == nil {
			return nil // not given: the answer has the version of the question
		}
		return fmt.Errorf("converting (%s.AdmissionReview) to (%s.AdmissionReview): unknown conversion", got.Version, version)
	}
	return fmt.Errorf("no kind %q is registered for version %q in scheme %q", got.Kind, got.GroupVersion(), t.hookScheme())
}

func reviewKind(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "admission.k8s.io", Version: version, Kind: "AdmissionReview"}
}

// httpError is what the server's client makes of a status code; a Status in
// the body says more.
func httpError(r Response) error {
	var status metav1.Status
	if json.Unmarshal(r.Body, &status) == nil && status.Kind == "Status" && status.Status != metav1.StatusSuccess {
		return &apierrors.StatusError{ErrStatus: status}
	}
	return apierrors.NewGenericServerResponse(r.HTTPStatus, http.MethodPost, schema.GroupResource{}, "", "unknown", 0, true)
}

// raw reads a body that stands in place of an AdmissionReview.
func (t target) raw(r Response, version string) (*Response, error) {
	var meta struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(r.Body, &meta); err != nil {
		return nil, t.failed("failed to call webhook: couldn't get version/kind; json parse error: %w", err)
	}
	var review struct {
		Response *struct {
			Response
			Result *metav1.Status `json:"status"`
		} `json:"response"`
	}
	if err := json.Unmarshal(r.Body, &review); err != nil {
		return nil, t.failed("failed to call webhook: %w", err)
	}
	inner := Response{NoResponse: review.Response == nil}
	if review.Response != nil {
		inner = review.Response.Response
		inner.Status = review.Response.Result
		if err := inner.decodePatch(); err != nil {
			return nil, t.failed("failed to call webhook: %w", errors.Unwrap(err))
		}
		if inner.UID == nil {
			none := ""
			inner.UID = &none
		}
	}
	inner.APIVersion, inner.Kind = &meta.APIVersion, &meta.Kind
	return t.checked(inner, version)
}

// requestUID is the uid that the server sent; the real one is random.
const requestUID = "00000000-0000-0000-0000-000000000000"

// verify checks an AdmissionReview (semantics §8.3.4).
func (t target) verify(r Response, version string) error {
	if r.NoResponse {
		return errors.New("webhook response was absent")
	}
	if version == "v1beta1" {
		return nil
	}
	if r.UID != nil && *r.UID != requestUID {
		return fmt.Errorf("expected response.uid=%q, got %q", requestUID, *r.UID)
	}
	want := reviewKind("v1")
	if got := r.gvk(want); got != want {
		return fmt.Errorf("expected webhook response of %v, got %v", want, got)
	}
	if !t.mutating {
		switch {
		case len(r.patch) > 0:
			return errors.New("validating webhook may not return response.patch")
		case r.PatchType != nil:
			return errors.New("validating webhook may not return response.patchType")
		}
		return nil
	}
	switch {
	case len(r.patch) > 0 && r.PatchType == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case len(r.patch) == 0 && r.PatchType != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case r.PatchType != nil && *r.PatchType == "":
		return fmt.Errorf("webhook returned invalid response.patchType of %q", *r.PatchType)
	}
	return nil
}

func (r Response) gvk(standard schema.GroupVersionKind) schema.GroupVersionKind {
	apiVersion, kind := standard.GroupVersion().String(), standard.Kind
	if r.APIVersion != nil {
		apiVersion = *r.APIVersion
	}
	if r.Kind != nil {
		kind = *r.Kind
	}
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// rejection is the answer of a webhook that does not allow the request
// (semantics §8.3.6).
func rejection(name string, given *metav1.Status) *apierrors.StatusError {
	status := metav1.Status{}
	if given != nil {
		status = *given.DeepCopy()
	}
	status.Code = max(status.Code, 0)
	if status.Code < http.StatusBadRequest {
		status.Code = http.StatusBadRequest
	}
	if status.Status == "" || status.Status == metav1.StatusSuccess {
		status.Status = metav1.StatusFailure
	}
	denied := fmt.Sprintf("admission webhook %q denied the request", name)
	switch {
	case status.Message != "":
		status.Message = denied + ": " + status.Message
	case status.Reason != "":
		status.Message = denied + ": " + string(status.Reason)
	default:
		status.Message = denied + " without explanation"
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// patchTypes are what a v1 response may name.
var jsonPatchType = "JSONPatch"

// patchType is the type of a patch; v1beta1 knows only one.
func (r *Response) patchType(version string) string {
	if version == "v1beta1" || r.PatchType == nil {
		return jsonPatchType
	}
	return *r.PatchType
}

// unknownResponses lists answers for webhooks that no configuration has.
func unknownResponses(responses Responses, names []string) []string {
	var out []string
	for name := range responses {
		if !slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
