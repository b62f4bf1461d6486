// The scenarios in which keys are measured.

/**
 * So many policies of two rules each, which look at what is typed.
 * @param {number} count
 */
function policies(count) {
  const name = (/** @type {number} */ i) => `limit-${String(i).padStart(3, "0")}`;
  return Array.from(
    { length: count },
    (_, i) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: ${name(i)}
spec:
  matchConstraints:
    resourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
    - expression: object.spec.replicas <= ${5 + i}
      messageExpression: "'at most ${5 + i} replicas, not ' + string(object.spec.replicas)"
    - expression: object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: ${name(i)}
spec:
  policyName: ${name(i)}
  validationActions: [Deny]
`,
  ).join("---\n");
}

/**
 * A Deployment with environment variables of so many bytes: nothing limits these, as it does
 * annotations.
 * @param {number} bytes
 */
function deployment(bytes) {
  const line = 100;
  const variables = Array.from(
    { length: Math.floor(bytes / line) },
    (_, i) => `            - {name: NOTE_${String(i).padStart(6, "0")}, value: "${"x".repeat(line - 43)}"}\n`,
  ).join("");
  return `apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 8
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1
${variables === "" ? "" : `          env:\n${variables}`}metadata:
  name: web
  namespace: shop
`;
}

/** Undefined is what the first page has. @type {Record<string, {policies: string, request: string} | undefined>} */
export const SCENARIOS = {
  "the first page": undefined,
  "10 policies": { policies: policies(10), request: deployment(0) },
  "100 policies": { policies: policies(100), request: deployment(0) },
  "an object of 1 MB": { policies: policies(1), request: deployment(1_000_000) },
};
