// The drafts that begin a scenario: right as they are, and short enough to be changed.

import type { Scenario } from "./protocol.ts";
import { RULES_DRAFT } from "./rules-text.ts";
import { RULES } from "./texts.ts";

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
  labels:
    app: web
spec:
  containers:
  - name: web
    image: registry.example.com/web:1.0
`;

const SELECTED = `matchConstraints:
    resourceRules:
    - apiGroups: [""]
      apiVersions: ["v1"]
      operations: ["CREATE", "UPDATE"]
      resources: ["pods"]`;

const VALIDATING = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: require-team
spec:
  ${SELECTED}
  validations:
  - expression: "'team' in object.metadata.?labels.orValue({})"
    message: every Pod needs a label team
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: require-team
spec:
  policyName: require-team
  validationActions: [Deny]
`;

const MUTATING = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata:
  name: add-team
spec:
  ${SELECTED}
  reinvocationPolicy: Never
  matchConditions:
  - name: no-team
    expression: "!('team' in object.metadata.?labels.orValue({}))"
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: |
        Object{metadata: Object.metadata{labels: {"team": "unknown"}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata:
  name: add-team
spec:
  policyName: add-team
`;

const WEBHOOK = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: defaults
webhooks:
- name: defaults.example.com
  clientConfig:
    url: https://defaults.example.com/mutate
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: [kube-system]
  rules:
  - apiGroups: [""]
    apiVersions: ["v1"]
    operations: ["CREATE"]
    resources: ["pods"]
  sideEffects: None
  admissionReviewVersions: ["v1"]
`;

const ANSWER = `apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata:
  name: defaults.example.com
spec:
  allowed: true
  patchType: JSONPatch
  patch:
  - op: add
    path: /metadata/labels/team
    value: unknown
`;

/** By the name that a button has for it. */
export const DRAFTS: Readonly<Record<string, Scenario>> = {
  validating: { title: "A validating policy", policies: VALIDATING, request: POD },
  mutating: { title: "A mutating policy", policies: MUTATING, request: POD },
  webhook: {
    title: "A webhook to convert",
    description:
      "The webhook's answer is under Cluster. *Write this as a policy*, in its step, turns it into a policy.",
    policies: WEBHOOK,
    request: POD,
    cluster: ANSWER,
  },
  condition: {
    title: "A webhook match condition",
    request: POD,
    expression: "request.operation == 'CREATE' && object.metadata.namespace != 'kube-system'\n",
    expressionContext: "condition",
  },
  rules: {
    title: "Schema rules",
    description: "Try CustomResourceDefinition rules on their own: a schema, a value, and the old value.",
    expression: RULES_DRAFT,
    expressionContext: RULES,
  },
  empty: {},
};
