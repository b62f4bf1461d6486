// What an empty editor says: what belongs there and how to get it.

import type { TextName } from "./protocol.ts";

export const HINTS: Record<TextName, string> = {
  policies: `Policies, their bindings, and webhook configurations.

From a cluster:
  kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml
  kubectl get mutatingadmissionpolicies,mutatingadmissionpolicybindings -o yaml
  kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml

Or drop files here.`,
  request: `What the client sends: an object (taken as CREATE), an AdmissionRequest or an AdmissionReview.

An object:
  kubectl get deployment web -o yaml
A change without making it:
  kubectl apply -f web.yaml --dry-run=server -o yaml
An AdmissionReview: what your webhook received; log the body of the request.`,
  cluster: `What the policies look up: Namespaces (for their labels), params, CustomResourceDefinitions,
Roles and RoleBindings (for authorizer), and WebhookResponse documents that say what a webhook answers.

  kubectl get namespace default -o yaml
  kubectl get crd,clusterrole,clusterrolebinding -o yaml`,
  expression: `One CEL expression, evaluated against the request. For example:
  object.spec.template.spec.containers.all(c, has(c.resources.limits))`,
};

/** What the field for a webhook's patch says while it is empty. */
export const PATCH_HINT = `What the webhook answered: an AdmissionReview with a response, or its patch alone,
as a list of operations or in base64, as it stands in the webhook's log.

- op: add
  path: /metadata/labels/team
  value: blue`;
