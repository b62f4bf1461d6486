// The menu that begins a scenario: drafts that are right as they are and short
// enough to be changed, and an empty page.

import { byID } from "./dom.ts";
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

const STARTS: Readonly<Record<string, Scenario>> = {
  validating: { title: "A validating policy", policies: VALIDATING, request: POD },
  mutating: { title: "A mutating policy", policies: MUTATING, request: POD },
  webhook: {
    title: "A webhook to migrate",
    description:
      "The webhook's answer is under Cluster. *Write this as a policy*, in its step, turns it into a policy.",
    policies: WEBHOOK,
    request: POD,
    cluster: ANSWER,
  },
  condition: {
    title: "A match condition",
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

/** Installs the menu; onStart gets the chosen draft. */
export function installStarts(onStart: (scenario: Scenario) => void): void {
  const menu = byID("new-menu", HTMLDetailsElement);
  const close = (): void => {
    menu.open = false;
  };
  document.addEventListener("click", (event) => {
    const chosen = (event.target as Element).closest<HTMLElement>("[data-new]")?.dataset["new"];
    const start = chosen === undefined ? undefined : STARTS[chosen];
    if (start === undefined) return;
    close();
    onStart(start);
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target as Node)) close();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    menu.querySelector("summary")?.focus();
  });
}
