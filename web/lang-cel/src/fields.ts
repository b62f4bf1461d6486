// Written by "go run ./scripts/celfields" from engine/internal/cel/model. Do not edit.

/** A field of the Kubernetes API that holds CEL. */
export interface CelField {
  group: string;
  kinds: readonly string[];
  /** From the top of a document; "[]" is an item of a list, "**" any number of fields. */
  path: string;
}

/** All fields that hold CEL. */
export const celFields: readonly CelField[] = [
  {
    group: "admissionregistration.k8s.io",
    kinds: ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
    path: "webhooks[].matchConditions[].expression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"],
    path: "spec.matchConditions[].expression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"],
    path: "spec.variables[].expression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["ValidatingAdmissionPolicy"],
    path: "spec.validations[].expression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["ValidatingAdmissionPolicy"],
    path: "spec.validations[].messageExpression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["ValidatingAdmissionPolicy"],
    path: "spec.auditAnnotations[].valueExpression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["MutatingAdmissionPolicy"],
    path: "spec.mutations[].applyConfiguration.expression",
  },
  {
    group: "admissionregistration.k8s.io",
    kinds: ["MutatingAdmissionPolicy"],
    path: "spec.mutations[].jsonPatch.expression",
  },
  {
    group: "apiextensions.k8s.io",
    kinds: ["CustomResourceDefinition"],
    path: "spec.**.x-kubernetes-validations[].rule",
  },
  {
    group: "apiextensions.k8s.io",
    kinds: ["CustomResourceDefinition"],
    path: "spec.**.x-kubernetes-validations[].messageExpression",
  },
];
