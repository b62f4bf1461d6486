package webhook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The kind of document that holds a webhook's answer.
const (
	ResponseAPIVersion = "preadmit.dev/v1"
	ResponseKind       = "WebhookResponse"
)

// Response is one recorded or made-up answer of a webhook: the fields of an
// AdmissionResponse, or how the call fails.
type Response struct {
	Allowed          bool              `json:"allowed"`
	UID              *string           `json:"uid"`
	Patch            json.RawMessage   `json:"patch"`
	PatchType        *string           `json:"patchType"`
	Status           *metav1.Status    `json:"status"`
	Warnings         []string          `json:"warnings"`
	AuditAnnotations map[string]string `json:"auditAnnotations"`

	// DelaySeconds is compared with timeoutSeconds; nothing waits.
	DelaySeconds float64 `json:"delaySeconds"`
	// Timeout is an answer that comes too late, whatever timeoutSeconds is.
	Timeout bool `json:"timeout"`
	// HTTPStatus is the status code of the answer, 200 if it is 0.
	HTTPStatus int `json:"httpStatus"`
	// Headers are those of the answer. Content-Type is the only one that the
	// server's client reads, but for Retry-After.
	Headers map[string]string `json:"headers"`
	// Body is sent in place of an AdmissionReview, as application/json: a string as
	// it is, anything else as JSON. Text is sent in its place as text/plain.
	Body json.RawMessage `json:"body"`
	Text *string         `json:"text"`
	// NoResponse is an AdmissionReview without response.
	NoResponse bool `json:"noResponse"`
	// APIVersion and Kind are those of the AdmissionReview.
	APIVersion *string `json:"apiVersion"`
	Kind       *string `json:"kind"`
	// ConnectionRefused says that nothing listens.
	ConnectionRefused bool `json:"connectionRefused"`
	// ConnectionError is the text of another error before there is an answer, such
	// as one of TLS.
	ConnectionError string `json:"connectionError"`

	// RecordedFrom is the URL that gave this answer to a real call, and TookSeconds how
	// long that call took.
	RecordedFrom string  `json:"recordedFrom"`
	TookSeconds  float64 `json:"tookSeconds"`

	// Sequence holds the answers to successive calls; the last repeats.
	Sequence []Response `json:"sequence"`
}

// Responses are the answers by the name of the webhook.
type Responses map[string]*Answers

// Answers are the answers of one webhook, and how often it was called.
type Answers struct {
	Response
	calls int
}

// Fresh returns the same answers, none of them given yet.
func (r Responses) Fresh() Responses {
	out := Responses{}
	for name, a := range r {
		out[name] = &Answers{Response: a.Response}
	}
	return out
}

// current returns the answer that is due.
func (a *Answers) current() Response {
	if n := len(a.Sequence); n > 0 {
		return a.Sequence[min(a.calls, n-1)]
	}
	return a.Response
}

// next returns the answer to the next call.
func (a *Answers) next() Response {
	defer func() { a.calls++ }()
	return a.current()
}

// ReadResponses reads the WebhookResponse documents among docs, strictly.
func ReadResponses(docs []*scenario.Document) (Responses, []diag.Diagnostic) {
	out := Responses{}
	var problems []diag.Diagnostic
	for _, d := range docs {
		if d.Kind != ResponseKind {
			continue
		}
		r, problem := readResponse(d)
		if problem == nil && out[d.Name] != nil {
			problem = &diag.Diagnostic{Code: codes.DuplicateDocument, Path: "metadata.name", Summary: fmt.Sprintf("a second WebhookResponse for %q; the first is used", d.Name)}
		}
		if problem != nil {
			problem.Severity, problem.Text, problem.Document = diag.Error, d.Text, d.Kind+"/"+d.Name
			problem.Span = d.Locate(problem.Path)
			problems = append(problems, *problem)
			continue
		}
		out[d.Name] = r
	}
	return out, problems
}

func readResponse(d *scenario.Document) (*Answers, *diag.Diagnostic) {
	if d.APIVersion != ResponseAPIVersion {
		return nil, &diag.Diagnostic{Code: codes.UnknownAPIVersion, Path: "apiVersion", Summary: "a WebhookResponse has apiVersion " + ResponseAPIVersion}
	}
	if d.Name == "" {
		return nil, &diag.Diagnostic{Code: codes.RequiredValue, Path: "metadata.name", Summary: "metadata.name must be the name of the webhook that answers"}
	}
	var document struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metav1.ObjectMeta `json:"metadata"`
		Spec       Response          `json:"spec"`
	}
	decoder := json.NewDecoder(bytes.NewReader(d.JSON()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		path, fixes := wrongScalar(d, err)
		return nil, &diag.Diagnostic{Code: codes.WebhookResponse, Path: path, Fixes: fixes, Summary: responseError(err),
			Detail: "spec has the fields of an AdmissionResponse: allowed, patch, patchType, status, warnings, auditAnnotations, uid. A failing call has timeout, delaySeconds, httpStatus, headers, body, text, noResponse, apiVersion, kind, connectionRefused or connectionError. sequence is a list of such answers."}
	}
	a := &Answers{Response: document.Spec}
	if problem := a.check("spec"); problem != nil {
		return nil, problem
	}
	for i := range a.Sequence {
		if problem := a.Sequence[i].check(fieldpath.New("spec", "sequence").Index(i).String()); problem != nil {
			return nil, problem
		}
	}
	return a, nil
}

// responseError words a mistake of encoding/json for a reader who does not know Go.
func responseError(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	kind := "a mapping"
	switch wrong.Type.Kind() {
	case reflect.String:
		kind = "a string"
	case reflect.Bool:
		kind = "true or false"
	case reflect.Slice, reflect.Array:
		kind = "a list"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		kind = "a number"
	}
	return fmt.Sprintf("%s must be %s, not %s", wrong.Field, kind, wrong.Value)
}

// wrongScalar is the place of a value of another type than its field has, with the repair that
// puts it in quotes or removes them; of other errors the place is all there is.
func wrongScalar(d *scenario.Document, err error) (path string, fixes []diag.Fix) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || !d.Has(wrong.Field) {
		return "spec", nil
	}
	scalar, ok := d.Scalar(wrong.Field)
	if !ok {
		return wrong.Field, nil
	}
	text, title := strings.TrimSpace(scalar.Text), "Put it in quotes"
	written := strconv.Quote(text)
	if kind := wrong.Type.Kind(); kind != reflect.String {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil || wrong.Value != "string" {
			return wrong.Field, nil
		}
		if _, number := value.(float64); number != (kind != reflect.Bool) {
			return wrong.Field, nil
		}
		written, title = text, "Remove the quotes"
	}
	if edit, ok := d.Rewrite(wrong.Field, written); ok {
		fixes = []diag.Fix{{Title: title, Edits: []diag.Edit{edit}}}
	}
	return wrong.Field, fixes
}

// check finds what cannot be sent.
func (r *Response) check(path string) *diag.Diagnostic {
	if r.HTTPStatus != 0 && (r.HTTPStatus < http.StatusOK || r.HTTPStatus > maxHTTPStatus) {
		return &diag.Diagnostic{Code: codes.WebhookResponse, Path: path + ".httpStatus", Summary: fmt.Sprintf("%d is not a valid status code: they range from 200 to %d", r.HTTPStatus, maxHTTPStatus)}
	}
	return nil
}

// maxHTTPStatus is the last status code that means something.
const maxHTTPStatus = 599

// status is the status code of the answer.
func (r Response) status() int { return cmp.Or(r.HTTPStatus, http.StatusOK) }

// header is a header of the answer, whose name is in any case.
func (r Response) header(name string) (value string, given bool) {
	for key, value := range r.Headers {
		if strings.EqualFold(key, name) {
			return value, true
		}
	}
	return "", false
}

func (r Response) contentType() string {
	if r.HTTPStatus == http.StatusNotModified {
		return "" // Go's servers send none with an answer that has no body by its nature
	}
	if given, ok := r.header("Content-Type"); ok {
		return given
	}
	if r.Text != nil {
		return "text/plain; charset=utf-8"
	}
	return "application/json"
}

// retried reports whether the server's client would call again by itself: it
// waits as long as Retry-After says.
func (r Response) retried() bool {
	after, given := r.header("Retry-After")
	if _, err := strconv.Atoi(after); !given || err != nil {
		return false
	}
	return r.status() == http.StatusTooManyRequests || r.status() >= http.StatusInternalServerError
}

// retryAfter is how long the client waits before it calls again, in seconds.
func (r Response) retryAfter() float64 {
	after, _ := r.header("Retry-After")
	seconds, _ := strconv.Atoi(after) // a number, where the client calls again
	return float64(max(seconds, 0))
}
