package site

// scenarioText is one of the texts of a scenario, explained.
type scenarioText struct{ Name, Means string }

var scenarioTexts = []scenarioText{
	{"Policies", "Validating and mutating admission policies, their bindings, and webhook configurations: one or many documents, YAML or JSON."},
	{"Request", "An AdmissionReview, an AdmissionRequest, or any object with apiVersion and kind."},
	{"Cluster", "What the policies look up: Namespaces, params, CustomResourceDefinitions, RBAC objects, and WebhookResponse documents."},
	{"Expression", "A CEL expression of your own, read as it would be in a match condition, a validation, a message or a mutation."},
}

const webhookResponse = `apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata:
  name: inject.example.com   # the webhook's name
spec:
  allowed: true
  patch:
  - {op: add, path: /metadata/labels/injected, value: "true"}
`
