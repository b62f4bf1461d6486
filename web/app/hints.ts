// What an empty editor says: what belongs there and how to get it. Lines that
// begin with two blanks are commands or code.

import type { TextName } from "./texts.ts";

export const HINTS: Record<TextName, string> = {
  policies: `Paste policies with their bindings, or webhook configurations, or drop files here.

A cluster prints them with
  kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml
  kubectl get mutatingadmissionpolicies,mutatingadmissionpolicybindings -o yaml
  kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml`,
  request: `Paste what is sent to the API server. A manifest will do: it means its creation.
  kubectl get deployment web -o yaml

For an update, a deletion or another user, use the fields above, or paste an
AdmissionReview. Your webhook gets one as the body of each request: let it log that.
An audit event of level Request holds the object as requestObject.`,
  cluster: `Paste what the policies look up; all of it is optional.

Namespaces, for their labels
  kubectl get namespace shop -o yaml
Params, and the definitions of custom resources
  kubectl get configmap limits -n policies -o yaml
  kubectl get crd -o yaml
What users may do, for authorizer
  kubectl get roles,rolebindings,clusterroles,clusterrolebindings -A -o yaml

To simulate the answer of a webhook, add a WebhookResponse (see the examples under Webhooks).`,
  expression: `One CEL expression, evaluated against the request. For example
  object.spec.template.spec.containers.all(c, has(c.resources.limits))`,
};

/** What the field for a webhook's patch says while it is empty. */
export const PATCH_HINT = `What the webhook answered: an AdmissionReview with a response, or its patch alone,
as a list of operations or in base64, as it is in the webhook's log.

- op: add
  path: /metadata/labels/team
  value: blue`;

/** What the old object's editor says while it is empty. */
export const OLD_OBJECT_HINT = `The object as it was before the request. It is the field oldObject of the request.`;
