package report

// Review is an AdmissionReview as a webhook receives it (admission.k8s.io/v1
// and v1beta1, whose requests have the same fields). Absent fields are
// those that the server omits; object, oldObject and options are always present,
// possibly null.
type Review struct {
	Kind       string        `json:"kind"`       // AdmissionReview
	APIVersion string        `json:"apiVersion"` // the first of admissionReviewVersions that the server knows
	Request    ReviewRequest `json:"request"`    // the question
}

// ReviewRequest is the request of an AdmissionReview.
type ReviewRequest struct {
	// UID is random on the server and all zeros here. A response must repeat it.
	UID string `json:"uid"`
	// Kind, Resource and SubResource are those that the rule matched. They may differ from the
	// client's with matchPolicy Equivalent.
	Kind        ReviewKind     `json:"kind"`
	Resource    ReviewResource `json:"resource"`
	SubResource string         `json:"subResource,omitempty"`
	// RequestKind, RequestResource and RequestSubResource are the client's own.
	RequestKind        ReviewKind     `json:"requestKind"`
	RequestResource    ReviewResource `json:"requestResource"`
	RequestSubResource string         `json:"requestSubResource,omitempty"`

	Name      string         `json:"name,omitempty"`      // empty until the server generates it
	Namespace string         `json:"namespace,omitempty"` // of the object; a Namespace's is its own name
	Operation string         `json:"operation"`           // CREATE, UPDATE, DELETE or CONNECT
	UserInfo  UserInfo       `json:"userInfo"`            // the requesting user
	Object    map[string]any `json:"object"`              // in the version of kind, as earlier webhooks left it
	OldObject map[string]any `json:"oldObject"`           // in the version of kind
	DryRun    bool           `json:"dryRun"`              // nothing will be stored
	Options   map[string]any `json:"options"`             // CreateOptions, UpdateOptions or DeleteOptions
}

// ReviewKind is a kind's group, version and name in a review.
type ReviewKind struct {
	Group   string `json:"group"`   // empty for the core group
	Version string `json:"version"` // such as v1
	Kind    string `json:"kind"`    // such as Pod
}

// ReviewResource is a resource's group, version and name in a review.
type ReviewResource struct {
	Group    string `json:"group"`    // empty for the core group
	Version  string `json:"version"`  // such as v1
	Resource string `json:"resource"` // such as pods
}

// UserInfo is the request's user (authentication.k8s.io/v1 UserInfo).
type UserInfo struct {
	Username string              `json:"username,omitempty"` // of the user
	UID      string              `json:"uid,omitempty"`      // of the user
	Groups   []string            `json:"groups,omitempty"`   // of the user
	Extra    map[string][]string `json:"extra,omitempty"`    // what the authenticator adds
}
