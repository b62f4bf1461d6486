package engine

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Request is a request to evaluate, in one of the forms in which programs have
// it.
type Request struct {
	text string
	err  error
}

// Text is a request as YAML or JSON: an AdmissionReview, an AdmissionRequest, or
// a plain object, which means that it is created.
func Text(text string) Request { return Request{text: text} }

// Object is a request in unstructured form: an AdmissionReview, an
// AdmissionRequest, or a plain object, which means that it is created.
func Object(object map[string]any) Request { return encoded(object) }

// Review is the request of an AdmissionReview, as a webhook gets it.
func Review(review *admissionv1.AdmissionReview) Request {
	copied := *review
	copied.TypeMeta = metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "AdmissionReview"}
	copied.Response = nil
	return encoded(copied)
}

// Admission is an AdmissionRequest.
func Admission(request *admissionv1.AdmissionRequest) Request {
	return Review(&admissionv1.AdmissionReview{Request: request})
}

func encoded(v any) Request {
	raw, err := json.Marshal(v)
	if err != nil {
		return Request{err: fmt.Errorf("the request cannot be written as JSON: %w", err)}
	}
	return Request{text: string(raw)}
}
