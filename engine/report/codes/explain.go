package codes

const teamLabel = "object.metadata.labels.team == 'a'"

var failing = Group{
	Title: "Expressions that fail when they run",
	About: "The policy is accepted; its expression fails for this request. The mark stands under the part that raised the error, and failurePolicy decides what the error does.",
	Entries: []Entry{
		{Code: "cel-runtime", Title: "An expression that fails",
			Meaning: "The expression cannot be evaluated for this request: most often it reads a field or key that the object does not have. The detail lists what is there instead.",
			Repair:  "Test for the field with has(), or give a value for its absence: object.?field.orValue(value).",
			Example: policiesFor("validations:\n- expression: " + teamLabel)},
		{Code: "unescaped-key", Title: "A key with a slash in a JSON Patch path",
			Meaning: "In the path of a JSON Patch a slash separates keys, so a label such as example.com/team is taken for two.",
			Repair:  "Use jsonpatch.escapeKey('example.com/team'), or write ~1 for the slash.",
			Example: files("policies.yaml", mutating(configMaps, "mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: \"[JSONPatch{op: 'add', path: '/metadata/labels/example.com/team', value: 'a'}]\"")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "missing-parent", Title: "A JSON Patch adds to what is not there",
			Meaning: "An operation creates only the last step of its path. An object without annotations has no map that one could be added to.",
			Repair:  "Put an operation before it that adds the map where it is absent, or use ApplyConfiguration, which creates what is missing.",
			Example: files("policies.yaml", mutating(configMaps, "mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: \"[JSONPatch{op: 'add', path: '/metadata/annotations/team', value: 'a'}]\"")+"\n---\n"+mutateBind, "request.yaml", configMap)},
	},
}

// policiesFor is a validating policy that is evaluated for a ConfigMap.
func policiesFor(spec string) string {
	return files("policies.yaml", validating(configMaps, spec)+"\n---\n"+validBind, "request.yaml", configMap, "cluster.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}")
}

// rules are notes on expressions.
var rules = Group{
	Title: "Notes on an expression",
	About: "Rules of admission that decide what an expression sees.",
	Entries: []Entry{
		{Code: "namespace-in-condition", Title: "namespaceObject in a match condition",
			Meaning: "namespaceObject is declared in match conditions, but it is null in every one of them.",
			Repair:  "Select namespaces with a namespaceSelector, or test the namespace in a validation or mutation.",
			Example: policiesFor("matchConditions:\n- {name: labelled, expression: 'namespaceObject != null'}\n" + plainValidation)},
		{Code: "authorizer-not-bound", Title: "The authorizer where there is none",
			Meaning: "Audit annotations declare the authorizer, but it has no value there. Message expressions do not declare it, and a variable that uses it fails when a message is the first to read it.",
			Repair:  "Ask the authorizer in a validation.",
			Example: policiesFor(plainValidation + "\nauditAnnotations:\n- key: may\n  valueExpression: \"authorizer.path('/x').check('get').allowed() ? 'yes' : 'no'\"")},
		{Code: "empty-request-field", Title: "A field of the request that is left out",
			Meaning: "Fields of request that are empty strings are absent: subResource of a request for the object itself, namespace of a cluster-scoped object.",
			Repair:  "Write request.?subResource.orValue('').",
			Example: policiesFor("validations:\n- expression: request.subResource == ''")},
		{Code: "namespace-metadata", Title: "Metadata of the namespace that cannot be read",
			Meaning: "namespaceObject.metadata.UID compiles but is not there, because the value is called uid, which does not compile. Timestamps are declared as timestamps but are strings, so neither can be used.",
			Example: policiesFor("validations:\n- expression: namespaceObject.metadata.UID != ''")},
		{Code: "null-old-object", Title: "A request without an old object",
			Meaning: "oldObject is null unless the request is an update or a deletion. has(oldObject.spec) is false then, and oldObject.spec fails.",
			Repair:  "Test oldObject != null first, or match only UPDATE and DELETE.",
			Example: policiesFor("validations:\n- expression: oldObject.data == object.data")},
		{Code: "null-object", Title: "A request without an object",
			Meaning: "object is null when the request is a deletion; what is deleted is in oldObject.",
			Repair:  "Test object != null first, or do not match DELETE.",
			Example: files("policies.yaml", validating("{resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [DELETE], resources: [configmaps]}]}", "validations:\n- expression: object.metadata.name != 'x'")+"\n---\n"+validBind,
				"request.yaml", "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  uid: u\n  kind: {group: '', version: v1, kind: ConfigMap}\n  resource: {group: '', version: v1, resource: configmaps}\n  operation: DELETE\n  name: settings\n  namespace: default\n  userInfo: {username: jane}\n  oldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}}")},
		{Code: "null-params", Title: "Expressions without params",
			Meaning: "params is null where the binding has no paramRef, or where no param was found and parameterNotFoundAction is Allow.",
			Repair:  "Give the binding a paramRef, or test params != null first.",
			Example: policiesFor("paramKind: {apiVersion: v1, kind: ConfigMap}\nvalidations:\n- expression: params.data.mode == 'fast'")},
		{Code: "set-by-storage", Title: "A field that a new object does not have yet",
			Meaning: "A new object gets metadata.uid and metadata.creationTimestamp, and its name where it has only generateName, after the mutating phase. Mutating policies and webhooks never see them; validating ones do.",
			Repair:  "Do not read these fields when an object is created.",
			Example: files("policies.yaml", mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{data: {'id': string(object.metadata.uid)}}\"}")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "message-not-used", Title: "A message that the server does not use",
			Meaning: "The messageExpression works, but the server refuses its text: it is empty, has a line break inside, or more than 5120 bytes. The field message is used instead, or else the text of the expression.",
			Repair:  "Keep the message on one line: join parts with blanks or commas.",
			Example: policiesFor("validations:\n- expression: object.data.mode == 'slow'\n  messageExpression: \"'mode is ' + object.data.mode + '\\\\nuse slow'\"")},
		{Code: "no-values", Title: "An expression without values of its parts",
			Meaning: "The values of parts come from a second evaluation. It is left out when the expressions of the request cost so much that it would keep the answer waiting, and dropped when it goes another way than the first. That happens only where an expression iterates over a map that it has made itself: cel-go does so in random order, on the server too, so that the result may be another every time.",
			Repair:  "Iterate over a list, or make the result independent of the order: sort it, or use all() and exists().",
			Example: policiesFor("validations:\n- expression: \"lists.range(60).transformMapEntry(i, v, {v: v}).map(k, string(k)).join('') != ''\"\n  messageExpression: \"lists.range(60).transformMapEntry(i, v, {v: v}).map(k, string(k)).join('')\"")},
		{Code: "false-beats-error", Title: "A match condition failed without effect",
			Meaning: "All match conditions are evaluated. If one is false the policy does not apply, even if others fail.",
			Example: policiesFor("matchConditions:\n- {name: fails, expression: \"object.nope == 'a'\"}\n- {name: never, expression: 'false'}\n" + plainValidation)},
		{Code: "costly-expression", Title: "An expression that costs much",
			Meaning: "The expression uses more than a hundredth of what one call may cost. The note names the parts that cost most; loops inside of loops grow fastest.",
			Repair:  "Filter a list before looping over it again, put the cheaper test first, and keep what is used twice in a variable.",
			Example: policiesFor("validations:\n- expression: \"'abcdefghij'.split('').all(a, 'abcdefghij'.split('').all(b, 'abcdefghij'.split('').all(c, 'abcdefghij'.split('').all(d, a + b + c + d != ''))))\"")},
	},
}
