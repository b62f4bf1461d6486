// What an empty editor says: what belongs there and how to get it. Lines that
// begin with two blanks are commands or code.

import type { TextName } from "./texts.ts";

export const HINTS: Record<TextName, string> = {
  policies: `Paste or drop here, in any order:
• policies with their bindings, or webhook configurations
• a manifest, or a List
• kubectl's error message, or a log line with an AdmissionReview

Export the policies from a cluster with
  kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml
  kubectl get mutatingadmissionpolicies,mutatingadmissionpolicybindings -o yaml
  kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml`,
  request: `Paste the object that you send to the API server. A plain manifest means CREATE.
  kubectl get deployment web -o yaml

For an update, a deletion or another user, use the fields above, or paste an
AdmissionReview. A webhook receives one in every request body: log it and paste it here.
An audit event of level Request holds the object as requestObject.`,
  cluster: `Paste the objects that policies read; all of them are optional.

Namespaces, for their labels
  kubectl get namespace shop -o yaml
Params, and the definitions of custom resources
  kubectl get configmap limits -n policies -o yaml
  kubectl get crd -o yaml
Permissions, for authorizer
  kubectl get roles,rolebindings,clusterroles,clusterrolebindings -A -o yaml

To simulate a webhook's answer, add a WebhookResponse (see the examples under Webhooks).`,
  expression: `One CEL expression, evaluated against the request. For example:
  object.spec.template.spec.containers.all(c, has(c.resources.limits))`,
};

/** What the field for a webhook's patch says while it is empty. */
export const PATCH_HINT = `The webhook's answer: an AdmissionReview with a response, or only its patch,
as a list of operations or in base64.

- op: add
  path: /metadata/labels/team
  value: blue`;

/** What the old object's editor says while it is empty. */
export const OLD_OBJECT_HINT = `The object before the request (its field oldObject).`;
