package codes

var request = Group{
	Title: "The request",
	About: "Problems of the request text. An error means that nothing is run; a warning, that the request differs from what a server would see.",
	Entries: []Entry{
		{
			Code: "not-a-request", Title: "Neither an object nor a request",
			Meaning: "The document has no kind, or is an AdmissionRequest with an apiVersion and kind of its own, which the API does not give it.",
			Repair:  "Paste an AdmissionReview, the content of its field request, or any object with apiVersion and kind.",
			Example: requestFile("metadata: {name: settings}\ndata: {mode: fast}"),
		},
		{
			Code: "no-request", Title: "No request",
			Meaning: "The AdmissionReview has no field request: it is an answer of a webhook. The command line says the same when there is no request text at all.",
			Repair:  "Paste what the API server sends to a webhook, or any object, which means its creation.",
			Example: requestFile("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: a, allowed: true}"),
		},
		{
			Code: "several-requests", Title: "Several objects",
			Meaning: "A request is about one object, and the text has several.",
			Repair:  "Keep one. Objects that exist already belong into the cluster text.",
			Example: requestFile(configMap + "---\n" + configMap),
		},
		{
			Code: "no-api-version", Title: "An object without apiVersion",
			Meaning: "Without apiVersion nobody knows what the kind is.",
			Repair:  "Add it, such as apiVersion: v1 or apiVersion: apps/v1.",
			Example: requestFile("kind: ConfigMap\nmetadata: {name: settings}"),
		},
		{
			Code: "no-name", Title: "An object without a name",
			Meaning: "The object has neither metadata.name nor metadata.generateName. Admission runs, and then the server refuses the object.",
			Repair:  "Set one of them.",
			Example: requestFile("apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: default}"),
		},
		{
			Code: "no-operation", Title: "No operation and no object",
			Meaning: "The request names no operation, and there is no object to conclude it from.",
			Repair:  "Set operation to CREATE, UPDATE, DELETE or CONNECT.",
			Example: requestFile("resource: {version: v1, resource: configmaps}\nname: settings"),
		},
		{
			Code: "no-object", Title: "No object",
			Meaning: "A CREATE or an UPDATE needs an object.",
			Repair:  "Add the field object. Audit events of level Metadata do not have it.",
			Example: requestFile("operation: CREATE\nresource: {version: v1, resource: configmaps}"),
		},
		{
			Code: "no-old-object", Title: "No old object",
			Meaning: "The server always gives an oldObject with an UPDATE or a DELETE. Here expressions see null.",
			Repair:  "Add the object as it was before, in the field oldObject.",
			Example: requestFile("operation: UPDATE\nobject:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings, namespace: default}"),
		},
		{
			Code: "unexpected-object", Title: "An object with a DELETE",
			Meaning: "The server gives no object with a DELETE; it is left out.",
			Repair:  "Write it as oldObject.",
			Example: requestFile("operation: DELETE\nobject: &settings\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings, namespace: default}\noldObject: *settings"),
		},
		{
			Code: "unexpected-old-object", Title: "An old object with a CREATE",
			Meaning: "The server gives no oldObject with a CREATE; it is left out.",
			Repair:  "Make it an UPDATE, or remove oldObject.",
			Example: requestFile("operation: CREATE\nobject: &settings\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings, namespace: default}\noldObject: *settings"),
		},
		{
			Code: "no-resource", Title: "No resource",
			Meaning: "The request names no resource, and none follows from its kind.",
			Repair:  "Add the field resource, with group, version and resource.",
			Example: requestFile("operation: CREATE\nkind: {group: example.com, version: v1, kind: Gadget}\nobject: {metadata: {name: one}}"),
		},
		{
			Code: "kind-mismatch", Title: "Object and request disagree",
			Meaning: "The object is of another kind than the request says. In a real request both are the same.",
			Repair:  "Correct one of them.",
			Example: requestFile("operation: CREATE\nkind: {group: apps, version: v1, kind: Deployment}\nobject:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings, namespace: default}"),
		},
		{
			Code: "subresource-mismatch", Title: "Two subresources",
			Meaning: "subResource and requestSubResource differ. In a real request both are the same; subResource counts.",
			Repair:  "Correct one of them.",
			Example: requestFile("operation: CREATE\nsubResource: binding\nrequestSubResource: status\nresource: {version: v1, resource: pods}\nkind: {version: v1, kind: Binding}\nobject:\n  apiVersion: v1\n  kind: Binding\n  metadata: {name: web, namespace: default}\n  target: {kind: Node, name: node-1}"),
		},
		{
			Code: "not-converted", Title: "Not converted back",
			Meaning: "A webhook with matchPolicy Equivalent gets objects converted to the version of its rules; requestKind says what the client sent. The object cannot be converted back to that, so the request is run in the version of the text.",
			Repair:  "Capture the request with a webhook whose rules name the version that clients use.",
			Example: requestFile("operation: CREATE\nkind: {group: example.com, version: v1, kind: Gadget}\nresource: {group: example.com, version: v1, resource: gadgets}\nrequestKind: {group: example.com, version: v2, kind: Gadget}\nrequestResource: {group: example.com, version: v2, resource: gadgets}\nobject:\n  apiVersion: example.com/v1\n  kind: Gadget\n  metadata: {name: one, namespace: default}"),
		},
		{
			Code: "unexpected-namespace", Title: "A namespace that the kind does not have",
			Meaning: "The kind is cluster-scoped and the object names a namespace. The request is run without one; the server would refuse the object.",
			Repair:  "Remove metadata.namespace.",
			Example: requestFile("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: disk, namespace: default}"),
		},
		{
			Code: "unknown-kind", Title: "A kind that is not served",
			Meaning: "This version of Kubernetes has no such kind, and no CustomResourceDefinition in the cluster text defines it. A request is run all the same, with fields of any type; an object of the cluster text is left out.",
			Repair:  "Add the CustomResourceDefinition to the cluster text, or correct apiVersion and kind.",
			Example: requestFile("apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: one, namespace: default}"),
		},
		{
			Code: "undecodable", Title: "An object that the server cannot read",
			Meaning: "A value does not fit the type of its field. The server answers 400 before any admission; the report has its text.",
			Repair:  "Quotes make texts of numbers and of words such as true, on and no.",
			Example: requestFile("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {debug: true}"),
		},
		{
			Code: "response-ignored", Title: "A response that plays no part",
			Meaning: "The AdmissionReview has an answer beside the request. What a webhook answers is told by a WebhookResponse in the cluster text.",
			Example: requestFile("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: a, allowed: true}\nrequest:\n  uid: a\n  operation: CREATE\n  object:\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: settings, namespace: default}"),
		},
	},
}
