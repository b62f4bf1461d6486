package codes

var texts = Group{
	Title: "Reading the texts",
	About: "Any text can have these problems. A document that cannot be read is left out; the others are read.",
	Entries: []Entry{
		{
			Code: "yaml-syntax", Title: "Not YAML",
			Meaning: "The document is not valid YAML, so nothing of it is read. The mark stands where the parser gives up; the mistake is there or shortly before. The parser's own words are in the detail.",
			Repair:  "Look at the indentation, at quotes and brackets that are not closed, and at values with a colon and a blank in them: those need quotes.",
			Example: requestFile("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings\n"),
		},
		{
			Code: "json-syntax", Title: "Not JSON",
			Meaning: "The document begins like JSON, but is neither JSON nor YAML.",
			Repair:  "Look for a comma or a quote that is missing at the mark.",
			Example: requestFile(`{"apiVersion": "v1", "kind": "ConfigMap" "metadata": {"name": "settings"}}`),
		},
		{
			Code: "yaml-value", Title: "A value without a JSON form",
			Meaning: "The document is well-formed, but one of its values is outside of what JSON numbers can hold here, or cannot be written as JSON at all. The API server reads JSON.",
			Repair:  "Write the value as text, in quotes.",
			Example: requestFile(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"limit": 1e999}}`),
		},
		{
			Code: "yaml-separator", Title: "Text behind a separator",
			Meaning: "Behind the three dashes that separate documents only a comment may follow. kubectl refuses the file.",
			Repair:  "Put what follows on the next line.",
			Example: clusterFile("apiVersion: v1\nkind: Namespace\nmetadata: {name: one}\n--- next\napiVersion: v1\nkind: Namespace\nmetadata: {name: two}"),
		},
		{
			Code: "yaml-alias-loop", Title: "An anchor that contains itself",
			Meaning: "An alias (*name) stands inside of the value that its anchor (&name) marks, so the value has no end.",
			Repair:  "Write the value out.",
			Example: requestFile("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: &all\n  again: *all"),
		},
		{
			Code: "duplicate-key", Title: "A key set twice",
			Meaning: "A mapping has the same key twice. kubectl and the API server keep the last one without an error.",
			Repair:  "Remove one of the two.",
			Example: requestFile("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  mode: fast\n  mode: slow"),
		},
		{
			Code: "ignored-after-document-end", Title: "Text that is not read",
			Meaning: "The parser of kubectl stops at the end of the first value of a document; what follows has no effect.",
			Repair:  "Separate documents by a line of three dashes.",
			Example: clusterFile("{apiVersion: v1, kind: Namespace, metadata: {name: one}}\n{apiVersion: v1, kind: Namespace, metadata: {name: two}}"),
		},
		{
			Code: "not-an-object", Title: "Not an object",
			Meaning: "A document is a list or a single value. Everything that Kubernetes knows is an object with apiVersion and kind.",
			Repair:  "Separate objects by lines of three dashes, without the hyphens of a list.",
			Example: clusterFile("- {apiVersion: v1, kind: Namespace, metadata: {name: one}}"),
		},
		{
			Code: "empty-list", Title: "A list without items",
			Meaning: "The document is a List, as kubectl get -o yaml prints it, and has no items: the query found nothing.",
			Example: clusterFile("apiVersion: v1\nkind: List\nitems: []"),
		},
		{
			Code: "not-utf8", Title: "Not UTF-8",
			Meaning: "The text has bytes that are not UTF-8. Windows PowerShell writes UTF-16 when output is redirected.",
			Repair:  "Save the file as UTF-8.",
		},
		{
			Code: "text-too-large", Title: "Too much text",
			Meaning: "A text has more than 4 MiB. Whole documents are read up to there.",
			Repair:  "Leave out objects that play no part.",
		},
		{
			Code: "too-many-documents", Title: "Too many documents",
			Meaning: "A text has more than 1,000 documents. The rest is not read.",
			Repair:  "Leave out objects that play no part.",
		},
		{
			Code: "too-many-values", Title: "Too many values",
			Meaning: "A document has more than 300,000 values, aliases expanded. It is not read.",
			Repair:  "Leave out what plays no part; write out aliases of aliases.",
		},
		{
			Code: "too-deep", Title: "Nested too deep",
			Meaning: "Values are nested more than 200 deep, or brackets and indentation in a YAML text more than 1,500. The document is not read.",
		},
		{
			Code: "too-many-problems", Title: "More problems than are shown",
			Meaning: "A text has more than a hundred problems. The first hundred are shown, errors before warnings.",
		},
	},
}

var settings = Group{
	Title: "Files and settings",
	About: "Problems of scenario.yaml, and of the files that a scenario consists of.",
	Entries: []Entry{
		{
			Code: "unread-file", Title: "A file that is not read",
			Meaning: "A file has almost the name of a file of a scenario, such as policy.yaml instead of policies.yaml. It is not read.",
			Repair:  "Rename it.",
			Example: files("policy.yaml", "# not read", "request.yaml", configMap),
		},
		{
			Code: "repaired-text", Title: "A text that was repaired",
			Meaning: "A text that was pasted or opened had something around it or in it that copying adds: a Markdown fence, a shell command, non-breaking spaces, typographic quotes, tabs that indent, or what documentation leaves out of JSON. It was repaired before it was read; kubectl would not have read it in this way. The files of a scenario are never changed.",
			Repair:  "Repair the file itself, if kubectl is to read it.",
			Example: files("object.yaml", "$ kubectl get configmap settings -o yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}"),
		},
		{
			Code: "which-request", Title: "Several objects could be the request",
			Meaning: "A request concerns one object. What was opened has several that are neither configuration nor objects that others use, such as Namespaces, so it is not clear which of them is sent.",
			Repair:  "Choose one on the page. On the command line give the request with -r and the other objects with -c, or run all of them with preadmit replay.",
			Example: files("objects.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: two}"),
		},
		{
			Code: "which-webhook", Title: "A response, and not one webhook",
			Meaning: "An AdmissionReview with a response is what a webhook answered. If the scenario has one webhook, it becomes the WebhookResponse of that. Here there is none, or there are several.",
			Repair:  "Add the webhook configuration, or write the fields of the response as the spec of a WebhookResponse with the name of the webhook.",
			Example: files("response.yaml", "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: \"1\", allowed: true}"),
		},
		{
			Code: "foreign-output", Title: "Output for people",
			Meaning: "The text is what kubectl describe prints, or a table of kubectl get. Both leave out parts of the objects.",
			Repair:  "Print the object with kubectl get KIND NAME -o yaml.",
			Example: files("pod.yaml", "Name:         web\nNamespace:    default\nNode:         node-1/10.0.0.1\nLabels:       app=web\nContainers:\n  web:\n    Image:  web:1\nEvents:       <none>"),
		},
		{
			Code: "audit-event", Title: "An audit event without a request",
			Meaning: "An event of the audit log becomes a request if it has the object that was sent. This one has not: the detail says why.",
			Repair:  "Record the level Request, and RequestResponse for patches.",
			Example: files("event.yaml", "apiVersion: audit.k8s.io/v1\nkind: Event\nlevel: Metadata\nauditID: \"1\"\nverb: create\nobjectRef: {resource: configmaps, namespace: default, apiVersion: v1}"),
		},
		{
			Code: "audit-event-partly", Title: "An audit event with a part of a request",
			Meaning: "The event of the audit log became a request, but it does not have all of it: that of an update has no old object, and that of a patch only the object that came back.",
			Repair:  "Add the old object to the request, if policies read it.",
			Example: files("event.yaml", "apiVersion: audit.k8s.io/v1\nkind: Event\nlevel: Request\nauditID: \"1\"\nverb: update\nuser: {username: jane}\nobjectRef: {resource: configmaps, namespace: default, name: settings, apiVersion: v1}\nrequestObject:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings, namespace: default}"),
		},
		{
			Code: "file-twice", Title: "A file twice in an archive",
			Meaning: "A txtar archive has two files of the same name. The first one is read.",
			Repair:  "Join or rename them.",
			Example: files("request.yaml", configMap, "request.yaml", configMap),
		},
		{
			Code: "no-files", Title: "An archive without files",
			Meaning: "The text has no line such as \"-- policies.yaml --\", so it is no txtar archive.",
			Repair:  "Put such a line before the content of each file.",
			Example: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
		},
		{
			Code: "several-documents", Title: "Several documents in scenario.yaml",
			Meaning: "scenario.yaml is one document. The first one is read.",
			Repair:  "Join the documents.",
			Example: settingsFile("title: one\n---\ntitle: two"),
		},
		{
			Code: "unknown-version", Title: "A version that cannot be simulated",
			Meaning: "kubernetes names no minor version that the engine knows. The newest is used instead.",
			Repair:  "Write one of 1.30 to 1.37.",
			Example: settingsFile(`kubernetes: "1.12"`),
		},
		{
			Code: "unknown-value", Title: "Not one of the known words",
			Meaning: "The field of scenario.yaml or of an AdmissionReview takes one of some words, and this is none of them.",
			Repair:  "The detail names the nearest word, or all of them.",
			Example: settingsFile("options: {authorizer: rback}"),
		},
		{
			Code: "bad-time", Title: "Not a time",
			Meaning: "now is not a time as RFC 3339 writes it. The present is used instead.",
			Repair:  "Write it like 2026-01-31T12:00:00Z.",
			Example: settingsFile("now: yesterday"),
		},
		{
			Code: "bad-pointer", Title: "Not a JSON pointer",
			Meaning: "beforeValidation names fields by JSON pointers (RFC 6901), which begin with a slash.",
			Repair:  "Write /metadata/uid, not metadata.uid.",
			Example: settingsFile("beforeValidation: {remove: [metadata.uid]}"),
		},
		{
			Code: "before-validation", Title: "No place for a value",
			Meaning: "beforeValidation.set names a place that the object does not have and that cannot be made: below a text or a number, or behind the end of a list.",
			Repair:  "Compare the pointer with the object in the report.",
			Example: files("scenario.yaml", "beforeValidation: {set: {/data/mode/deeper: 1}}", "request.yaml", configMap),
		},
		{
			Code: "unknown-plugin", Title: "An admission plugin that cannot be switched on",
			Meaning: "The engine simulates some of the server's built-in admission plugins, and this is none of them. It is told with a place in scenario.yaml as unknown-value; this code is for names that a program or a flag gives.",
			Repair:  "The detail lists the names.",
		},
	},
}
