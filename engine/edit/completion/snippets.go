package completion

import (
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// This file holds whole documents to begin with.

// isBlankDocument reports whether nothing but white space and comments is in
// the document around an offset.
func isBlankDocument(text string, offset int) bool {
	from, to := documentAt(text, offset)
	if from < 0 {
		return false
	}
	for line := range strings.Lines(text[from:to]) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// documents completes in an empty document.
func (q *query) documents() Result {
	line := q.src[strings.LastIndexByte(q.src[:q.offset], '\n')+1 : q.offset]
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return q.result("", "", nil)
	}
	q.cursor = &cursor{isKey: true}
	var t *catalog.Type
	if q.alone() {
		t = q.typeOfRules()
	}
	return q.result("", "", append(q.topKeys(t), q.ruleSnippets()...))
}

// snippet is a document with places to fill in.
type snippet struct {
	// in is the text that such a document belongs in.
	in                  diag.Text
	label, detail, text string
	// kind is what must be served for the snippet to be of use.
	group, kind string
}

const registration = "admissionregistration.k8s.io"

// someWebhook is the name of a webhook in the drafts.
const someWebhook = "name.example.com"

const rules = `
  matchConstraints:
    resourceRules:
    - apiGroups: ["${apps}"]
      apiVersions: ["${v1}"]
      operations: ["CREATE", "UPDATE"]
      resources: ["${deployments}"]`

var snippetList = []snippet{
	{diag.Policies, "new ValidatingAdmissionPolicy", "policy with its binding", `apiVersion: VERSION
kind: ValidatingAdmissionPolicy
metadata:
  name: ${name}
spec:
  failurePolicy: Fail` + rules + `
  validations:
  - expression: ${object.spec.replicas <= 5}
    message: ${must not have more than 5 replicas}
---
apiVersion: VERSION
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: ${binding}
spec:
  policyName: ${name}
  validationActions: [Deny]
`, registration, "ValidatingAdmissionPolicy"},
	{diag.Policies, "new MutatingAdmissionPolicy", "policy with its binding", `apiVersion: VERSION
kind: MutatingAdmissionPolicy
metadata:
  name: ${name}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never` + rules + `
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: >-
        Object{spec: Object.spec{replicas: ${replicas}}}
---
apiVersion: VERSION
kind: MutatingAdmissionPolicyBinding
metadata:
  name: ${binding}
spec:
  policyName: ${name}
`, registration, "MutatingAdmissionPolicy"},
	{diag.Policies, "new ValidatingAdmissionPolicyBinding", "", `apiVersion: VERSION
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: ${name}
spec:
  policyName: ${policy}
  validationActions: [Deny]
`, registration, "ValidatingAdmissionPolicyBinding"},
	{diag.Policies, "new MutatingAdmissionPolicyBinding", "", `apiVersion: VERSION
kind: MutatingAdmissionPolicyBinding
metadata:
  name: ${name}
spec:
  policyName: ${policy}
`, registration, "MutatingAdmissionPolicyBinding"},
	{diag.Policies, "new ValidatingWebhookConfiguration", "", webhookText("ValidatingWebhookConfiguration"), registration, "ValidatingWebhookConfiguration"},
	{diag.Policies, "new MutatingWebhookConfiguration", "", webhookText("MutatingWebhookConfiguration"), registration, "MutatingWebhookConfiguration"},
	{diag.Request, "new AdmissionReview", "a webhook's request", `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: 00000000-0000-0000-0000-000000000001
  operation: ${UPDATE}
  kind: {group: ${apps}, version: ${v1}, kind: ${Deployment}}
  resource: {group: ${apps}, version: ${v1}, resource: ${deployments}}
  name: ${name}
  namespace: ${default}
  userInfo:
    username: ${jane}
    groups: ["system:authenticated"]
  object:
    metadata: {name: ${name}, namespace: ${default}}
  oldObject:
    metadata: {name: ${name}, namespace: ${default}}
`, "", ""},
	{diag.Cluster, "new Namespace", "with labels, for selectors and namespaceObject", `apiVersion: v1
kind: Namespace
metadata:
  name: ${default}
  labels: {${environment}: ${production}}
`, "", "Namespace"},
	{diag.Cluster, "new ConfigMap", "params of a policy", `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: ${default}
data:
  ${key}: "${value}"
`, "", "ConfigMap"},
	{diag.Cluster, "new WebhookResponse", "a webhook's answer", `apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata:
  name: ${` + someWebhook + `}
spec:
  allowed: ${true}
`, "", ""},
	{diag.Cluster, "new ClusterRole", "with its binding, for the authorizer", `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${role}
rules:
- apiGroups: ["${apps}"]
  resources: ["${deployments}"]
  verbs: ["${create}"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${role}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role}}
subjects:
- {kind: User, apiGroup: rbac.authorization.k8s.io, name: ${jane}}
`, "rbac.authorization.k8s.io", "ClusterRole"},
}

func webhookText(kind string) string {
	return `apiVersion: VERSION
kind: ` + kind + `
metadata:
  name: ${name}
webhooks:
- name: ${` + someWebhook + `}
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig:
    service: {namespace: ${namespace}, name: ${service}}
  rules:
  - apiGroups: ["${apps}"]
    apiVersions: ["${v1}"]
    operations: ["CREATE", "UPDATE"]
    resources: ["${deployments}"]
  matchConditions:
  - name: ${condition}
    expression: "!request.userInfo.username.startsWith('system:')"
`
}

// snippets lists the documents for the text, of kinds that this version serves,
// in their best version.
func (q *query) snippets() []Item {
	var items []Item
	for _, s := range snippetList {
		version := q.bestVersion(s.group, s.kind)
		if s.in != q.text || version == "" && s.kind != "" {
			continue
		}
		text := strings.ReplaceAll(s.text, "VERSION", s.group+"/"+version)
		if hooks := q.unanswered(); len(hooks) > 0 && s.in == diag.Cluster {
			text = strings.ReplaceAll(text, "${"+someWebhook+"}", "${"+hooks[0]+"}")
		}
		items = append(items, Item{Label: s.label, Kind: SnippetItem, Detail: s.detail, Apply: text, Boost: fieldBoost + 20})
	}
	return items
}

// bestVersion prefers what a server serves by default, and v1.
func (q *query) bestVersion(group, kind string) string {
	best := ""
	for _, r := range q.catalog.Kinds() {
		if r.GVK.Group != group || r.GVK.Kind != kind {
			continue
		}
		if v := r.GVK.Version; best == "" || v == "v1" || v == "v1beta1" && best != "v1" {
			best = v
		}
	}
	return best
}

// webhookResponse is the type of our own kind: the recorded answer of a webhook.
var webhookResponse = sync.OnceValue(func() *catalog.Type {
	answer := catalog.NewStruct(
		field("allowed", catalog.Boolean), field("patch", catalog.Any), enum("patchType", "JSONPatch"),
		field("status", catalog.Any), field("warnings", catalog.Any), field("auditAnnotations", catalog.Any), field("uid", catalog.String),
		field("delaySeconds", catalog.Integer), field("httpStatus", catalog.Integer), field("body", catalog.Any), field("text", catalog.String),
		field("noResponse", catalog.Boolean), field("apiVersion", catalog.String), field("kind", catalog.String),
		field("connectionRefused", catalog.Boolean), field("sequence", catalog.Any))
	meta := catalog.NewStruct(field("name", catalog.String))
	return catalog.NewStruct(field("apiVersion", catalog.String), field("kind", catalog.String),
		&catalog.Field{Name: "metadata", Type: meta}, &catalog.Field{Name: "spec", Type: answer})
})

func field(name string, kind catalog.Kind) *catalog.Field {
	return &catalog.Field{Name: name, Type: &catalog.Type{Kind: kind}, OmitEmpty: true}
}

func enum(name string, values ...string) *catalog.Field {
	return &catalog.Field{Name: name, Type: &catalog.Type{Kind: catalog.String, Enum: values}, OmitEmpty: true}
}
