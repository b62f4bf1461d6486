package codes

import "strings"

// This file builds the scenarios of the examples, so that each one has to say
// only what is special about it.

// files puts an archive together from names and contents in turn.
func files(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		b.WriteString("-- " + pairs[i] + " --\n" + strings.TrimSpace(pairs[i+1]) + "\n")
	}
	return b.String()
}

// policies is an example that consists of the policies text.
func policies(documents ...string) string {
	return files("policies.yaml", strings.Join(documents, "\n---\n"))
}

// settingsFile, requestFile and clusterFile are examples of one other text.
func settingsFile(text string) string { return files("scenario.yaml", text) }
func requestFile(text string) string  { return files("request.yaml", text) }
func clusterFile(text string) string  { return files("cluster.yaml", text) }

// configMaps and deployments are rules for the creation of these.
const (
	configMaps  = "{resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}"
	deployments = "{resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}"
)

// validating is a ValidatingAdmissionPolicy called example; spec holds what its
// spec has beside the rules.
func validating(rules, spec string) string {
	return policy("ValidatingAdmissionPolicy", rules, spec)
}

// mutating is a MutatingAdmissionPolicy called example.
func mutating(rules, spec string) string {
	return policy("MutatingAdmissionPolicy", rules, "reinvocationPolicy: Never\n"+strings.TrimSpace(spec))
}

func policy(kind, rules, spec string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: " + kind + "\nmetadata: {name: example}\nspec:\n  matchConstraints: " + rules + "\n" + indented(spec)
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// named gives the policy of an example another name.
func named(name, policy string) string {
	return strings.Replace(policy, "name: example", "name: "+name, 1)
}

const (
	bindingHead = "apiVersion: admissionregistration.k8s.io/v1\nkind: "
	validBind   = bindingHead + "ValidatingAdmissionPolicyBinding\nmetadata: {name: example}\nspec: {policyName: example, validationActions: [Deny]}"
	mutateBind  = bindingHead + "MutatingAdmissionPolicyBinding\nmetadata: {name: example}\nspec: {policyName: example}"
)

// hook is a ValidatingWebhookConfiguration with one webhook; fields replace
// none of its fields but stand beside them.
func hook(fields string) string {
	return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: example}
webhooks:
- name: check.example.com
` + indented(strings.TrimSpace(fields))
}

// The usual fields of a webhook, for examples about one of the others.
const (
	hookRules  = "rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]"
	hookClient = "clientConfig: {url: 'https://check.example.com'}"
	hookRest   = "sideEffects: None\nadmissionReviewVersions: [v1]"
)

const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {mode: fast}
`

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'example.com/web:1'}]}
`

// numbers is a list of that many numbers, as in YAML between brackets.
func numbers(n int) string {
	return strings.TrimSuffix(strings.Repeat("1, ", n), ", ")
}
