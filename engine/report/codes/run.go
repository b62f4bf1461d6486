package codes

import "strings"

const hookBoth = hookRules + "\n" + hookClient + "\n" + hookRest

var notes = Group{
	Title: "Notes on a step",
	About: "A note stands at the step or expression that it is about. It explains a rule of the server that a reader may not expect.",
	Entries: []Entry{
		{Code: "ignored-error", Title: "An error that is dropped",
			Meaning: "failurePolicy is Ignore, so the error has no effect. Of a MutatingAdmissionPolicy, mutations that worked stay.",
			Repair:  "Guard the expression with has() or ?. where the field may be missing.",
			Example: files("policies.yaml", mutating(configMaps, "failurePolicy: Ignore\nmutations:\n- patchType: ApplyConfiguration\n  applyConfiguration:\n    expression: \"Object{data: {'team': string(object.metadata.labels.team)}}\"")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "configuration-error-denies", Title: "An error of the configuration denies",
			Meaning: "The policy or binding cannot be evaluated at all, for example because its params do not exist. That denies the request even where validationActions has only Warn or Audit; errors of single expressions respect them.",
			Repair:  "Correct the configuration, or set failurePolicy to Ignore.",
			Example: files("policies.yaml", validating(configMaps, "paramKind: {apiVersion: v1, kind: ConfigMap}\n"+plainValidation)+"\n---\n"+strings.Replace(validBind, "[Deny]}", "[Warn], paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}}", 1), "request.yaml", configMap)},
		{Code: "message-budget", Title: "A message that costs too much",
			Meaning: "All messageExpressions together share what the validations left of their budget. When they use it up, the server treats every validation of the policy as failed, also those that hold.",
			Repair:  "Make the message simpler: no nested loops.",
			Example: files("policies.yaml", validating(configMaps, "variables:\n- {name: l, expression: \"[1,2,3,4,5,6,7,8,9,10]\"}\nvalidations:\n"+strings.Repeat("- expression: object.metadata.name != 'x'\n  messageExpression: \"string(variables.l.map(a, variables.l.map(b, variables.l.map(c, variables.l.map(d, variables.l.map(e, a)))))[0][0][0][0][0])\"\n", 12))+"\n---\n"+validBind, "request.yaml", configMap)},
		{Code: "failed-test-operation", Title: "A test operation that failed",
			Meaning: "A JSONPatch with a failed test operation is left out as a whole, without an error. In the patch of a webhook the same denies the request with 500.",
			Example: files("policies.yaml", mutating(configMaps, "mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: >-\n      [JSONPatch{op: 'test', path: '/data/mode', value: 'slow'},\n       JSONPatch{op: 'replace', path: '/data/mode', value: 'fast'}]")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "server-panic", Title: "A request that crashes",
			Meaning: "Up to Kubernetes 1.36 the API server crashes while it handles the request and closes the connection: the value of a JSONPatch operation is a list or map that has Object{} literals in it.",
			Repair:  "Write the items as map literals, or add them one by one.",
			Example: files("scenario.yaml", `kubernetes: "1.36"`, "policies.yaml", mutating(deployments, "mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: >-\n      [JSONPatch{op: 'add', path: '/spec/template/spec/volumes',\n        value: [Object.spec.template.spec.volumes{name: 'cache'}]}]")+"\n---\n"+mutateBind, "request.yaml", deployment)},
		{Code: "not-rfc-6902", Title: "A patch that only the API server accepts",
			Meaning: "The library with which the API server applies JSON patches accepts more than RFC 6902: replace and copy work on keys that are not there.",
			Repair:  "Use add where the key may be absent.",
			Example: files("policies.yaml", mutating(configMaps, "mutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: \"[JSONPatch{op: 'replace', path: '/data/size', value: 'large'}]\"")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "error-does-not-stop", Title: "A mutation after one that failed",
			Meaning: "The mutations of a policy run one after the other, and one that fails does not stop the next. With failurePolicy Ignore the effects of the others stay; with Fail the request is denied in the end.",
			Example: files("policies.yaml", mutating(configMaps, "failurePolicy: Ignore\nmutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{data: {'a': object.data.nope}}\"}\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{data: {'b': '1'}}\"}")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "reinvoked-alone", Title: "A policy that runs twice by itself",
			Meaning: "A mutating policy with reinvocationPolicy IfNeeded makes the mutating phase run again by its own change, and is then run again. Webhooks are not: a webhook is only called again for the changes of others.",
			Repair:  "Make the mutation idempotent, or use reinvocationPolicy Never.",
			Example: files("policies.yaml", strings.Replace(mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{data: {'a': '1'}}\"}"), "reinvocationPolicy: Never", "reinvocationPolicy: IfNeeded", 1)+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "no-op-reinvokes", Title: "A mutation without effect that reinvokes",
			Meaning: "Every mutation that is applied counts as a change, even one that changes nothing. Policies with reinvocationPolicy IfNeeded run again.",
			Repair:  "Leave the mutation out with a match condition when there is nothing to do.",
			Example: files("policies.yaml", strings.Replace(mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{}\"}"), "reinvocationPolicy: Never", "reinvocationPolicy: IfNeeded", 1)+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "identity-changed", Title: "A policy that changes an object's identity",
			Meaning: "The name, namespace, uid and resourceVersion are not protected from mutating policies. Storage refuses some of these changes afterwards, and takes others.",
			Repair:  "Do not write these fields.",
			Example: files("policies.yaml", mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{metadata: Object.metadata{name: 'other'}}\"}")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "failure-policy-bypassed", Title: "An error that failurePolicy does not cover",
			Meaning: "Some errors are answers of the server itself, not of the policy: a patched object that does not decode into its type (500), a missing namespace (404), a kind without a schema (503). They end the request whatever failurePolicy says.",
			Example: files("policies.yaml", mutating(configMaps, "failurePolicy: Ignore\nmutations:\n- patchType: JSONPatch\n  jsonPatch:\n    expression: \"[JSONPatch{op: 'add', path: '/spec', value: 1}]\"")+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "failed-open", Title: "A webhook that failed open",
			Meaning: "The call of the webhook failed and its failurePolicy is Ignore: the request goes on as if the webhook had not been there. The server writes an audit annotation.",
			Example: files("policies.yaml", mutatingHook(hook(hookBoth+"\nfailurePolicy: Ignore")), "cluster.yaml", "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {httpStatus: 503}", "request.yaml", configMap)},
		{Code: "warning-dropped", Title: "A warning that the client does not get",
			Meaning: "Warnings are sent as headers of the answer. One with a line break or another control character is dropped, and so is everything after the first 4096 characters. The server tells nobody.",
			Repair:  "Keep messages on one line.",
			Example: files("policies.yaml", hook(hookBoth), "cluster.yaml", "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {allowed: true, warnings: [\"two\\nlines\"]}", "request.yaml", configMap)},
		{Code: "warning-cut", Title: "A warning that is cut",
			Meaning: "As soon as all warnings of a request together have more than 4096 characters, the server cuts each of them to 256, also those before.",
			Repair:  "Write shorter warnings.",
			Example: files("policies.yaml", hook(hookBoth), "cluster.yaml", "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {allowed: true, warnings: ['"+strings.Repeat("word ", 820)+"']}", "request.yaml", configMap)},
		{Code: "annotation-dropped", Title: "An audit annotation that is dropped",
			Meaning: "The server keeps the first value of a key of the audit event, and drops annotations whose key is not a qualified name with a prefix. Up to Kubernetes 1.36 this also hits the failures of validations with the action Audit: they all have the same key, so only the first is written. From 1.37 on they are written together, 50 at most.",
			Repair:  "Give every annotation a key of its own.",
			Example: files("scenario.yaml", "kubernetes: \"1.36\"", "policies.yaml", validating(configMaps, "validations:\n- expression: object.data.mode == 'slow'\n- expression: object.metadata.name == 'other'")+"\n---\n"+strings.Replace(validBind, "[Deny]", "[Audit]", 1), "request.yaml", configMap)},
		{Code: "annotation-cut", Title: "An audit annotation that is cut",
			Meaning: "The value of an audit annotation of a policy is cut to 10240 bytes.",
			Repair:  "Publish names instead of whole objects.",
			Example: files("policies.yaml", validating(configMaps, plainValidation+"\nauditAnnotations:\n- key: long\n  valueExpression: \"lists.range(3000).map(i, 'word').join(' ')\"")+"\n---\n"+validBind, "request.yaml", configMap)},
		{Code: "service-not-found", Title: "A webhook's Service that is missing",
			Meaning: "A cluster text that has Namespaces is taken for a whole cluster. The Service that the webhook names is not in it, so the call fails as it would there.",
			Repair:  "Add the Service to the cluster text.",
			Example: files("policies.yaml", hook(hookRules+"\nclientConfig: {service: {name: check, namespace: hooks}}\n"+hookRest), "cluster.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n---\napiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {allowed: true}", "request.yaml", configMap)},
		{Code: "first-error-wins", Title: "Several webhooks reject",
			Meaning: "Validating webhooks are called at the same time, and the client gets the rejection that arrives first. The report shows that of the first webhook by name.",
			Example: files("policies.yaml", hook(hookBoth)+"\n- name: second.example.com\n"+indented(hookBoth), "cluster.yaml", "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {allowed: false}\n---\napiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: second.example.com}\nspec: {allowed: false}", "request.yaml", configMap)},
		{Code: "missing-service-account", Title: "A ServiceAccount that is missing",
			Meaning: "The plugin ServiceAccount refuses a Pod whose account does not exist. The cluster text has ServiceAccounts, so it is taken to have all of them.",
			Repair:  "Add the account to the cluster text.",
			Example: files("scenario.yaml", "options: {plugins: [ServiceAccount]}", "cluster.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: builder, namespace: default}", "request.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: default}\nspec:\n  serviceAccountName: deployer\n  containers: [{name: web, image: 'example.com/web:1'}]")},
		{Code: "missing-priority-class", Title: "A PriorityClass that is missing",
			Meaning: "The plugin Priority refuses a Pod whose PriorityClass does not exist.",
			Repair:  "Add the PriorityClass to the cluster text.",
			Example: files("scenario.yaml", "options: {plugins: [Priority]}", "request.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: default}\nspec:\n  priorityClassName: urgent\n  containers: [{name: web, image: 'example.com/web:1'}]")},
	},
}

// mutatingHook makes a MutatingWebhookConfiguration of the validating one.
func mutatingHook(validating string) string {
	return strings.Replace(validating, "kind: Validating", "kind: Mutating", 1)
}

const appendTeam = "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration:\n    expression: \"Object{data: {'mode': object.data.mode + '-team'}}\""

// setMode is a mutating policy with its binding, of another name.
func setMode(name, mode string) string {
	text := mutating(configMaps, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{data: {'mode': '"+mode+"'}}\"}") + "\n---\n" + mutateBind
	return strings.ReplaceAll(strings.ReplaceAll(text, "name: example", "name: "+name), "policyName: example", "policyName: "+name)
}

var findings = Group{
	Title: "Findings",
	About: "Beside the run itself the engine runs the scenario with something changed, and tells what that shows.",
	Entries: []Entry{
		{Code: "not-idempotent", Title: "A policy that changes its own output",
			Meaning: "Run again on the object that it has mutated, the policy changes the object again, or fails. The server runs a policy a second time when its reinvocationPolicy is IfNeeded, and for every later update of the object.",
			Repair:  "Set a value instead of adding to one, or guard the mutation with a match condition.",
			Example: files("policies.yaml", mutating(configMaps, appendTeam)+"\n---\n"+mutateBind, "request.yaml", configMap)},
		{Code: "cost-limit", Title: "A longer list breaks the cost limit",
			Meaning: "With a longer list, map or string in the object, the old object or the params, the expression would cost more than one call may, and fail. The length is found by evaluation: with one item less it does not. The page looks for it when it has nothing else to do, the command line with preadmit eval -limits.",
			Repair:  "Avoid loops inside of loops over the same list: compare with a list that a variable holds, or use sets.contains() and distinct().",
			Example: policiesFor("validations:\n- expression: object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != 'x')))")},
		{Code: "order-changes-object", Title: "The order decides about the object",
			Meaning: "The server runs policies in random order; the report runs them by name. In another order the object is another.",
			Repair:  "Let the policies change different fields, or tell them apart by match conditions.",
			Example: files("policies.yaml", setMode("first", "slow")+"\n---\n"+setMode("second", "fast"), "request.yaml", configMap)},
		{Code: "order-changes-answer", Title: "The order decides about the answer",
			Meaning: "The server runs policies in random order; the report runs them by name. In another order the request gets another answer.",
			Repair:  "Let no policy depend on what another one sets.",
			Example: files("policies.yaml", setMode("first", "slow")+"\n---\n"+setMode("second", "fast")+"\n---\n"+validating(configMaps, "validations:\n- expression: object.data.mode == 'fast'")+"\n---\n"+validBind, "request.yaml", configMap)},
		{Code: "removal-undone", Title: "What is removed comes back",
			Meaning: "The server converts a changed object into the internal one that it has, without emptying that first. What only the internal version has a field for stays as it was when it is removed: the CPU target of an autoscaling/v1 HorizontalPodAutoscaler, the annotation deprecated.daemonset.template.generation of a DaemonSet.",
			Repair:  "Set another value instead.",
			Example: files("policies.yaml", mutating("{resourceRules: [{apiGroups: [autoscaling], apiVersions: [v1], operations: [CREATE], resources: [horizontalpodautoscalers]}]}", "mutations:\n- patchType: JSONPatch\n  jsonPatch: {expression: \"[JSONPatch{op: 'remove', path: '/spec/targetCPUUtilizationPercentage'}]\"}")+"\n---\n"+mutateBind,
				"request.yaml", "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: default}\nspec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}, targetCPUUtilizationPercentage: 61}")},
		{Code: "validation-needs-mutation", Title: "A validation that holds only because of mutations",
			Meaning: "The object as it was sent would be denied. Where the mutating policies do not apply, or fail and are ignored, the request is denied.",
			Example: files("policies.yaml", setMode("first", "slow")+"\n---\n"+validating(configMaps, "validations:\n- expression: object.data.mode == 'slow'")+"\n---\n"+validBind, "request.yaml", configMap)},
		{Code: "validation-broken-by-mutation", Title: "A validation that mutations break",
			Meaning: "The policy would admit the object as it was sent, and denies what the mutations made of it.",
			Repair:  "Correct the mutation, or the validation.",
			Example: files("policies.yaml", setMode("first", "slow")+"\n---\n"+validating(configMaps, "validations:\n- expression: object.data.mode == 'fast'")+"\n---\n"+validBind, "request.yaml", configMap)},
	},
}

var links = Group{
	Title: "Links",
	About: "A link that cannot be opened is explained; nothing else is shown in its place.",
	Entries: []Entry{
		{Code: "link-unknown", Title: "Not a link to a scenario", Meaning: "The part behind the # does not begin with a version number and a slash.", Repair: "Copy the whole link."},
		{Code: "link-newer", Title: "A link of a newer version", Meaning: "The link was made by a newer Preadmit, or uses a setting that this one does not know.", Repair: "Reload the page, or update the program."},
		{Code: "link-damaged", Title: "A damaged link", Meaning: "Part of the link is missing or changed: its checksum is wrong. Programs often cut long links.", Repair: "Copy it again from where it comes from, or ask for the files."},
		{Code: "link-too-large", Title: "Too large for a link", Meaning: "A link carries at most 1 MiB of text.", Repair: "Send the folder or a .txtar archive."},
		{Code: "link-content", Title: "A text that no link carries", Meaning: "A text has a NUL character, or is not UTF-8.", Repair: "Save the text as UTF-8."},
	},
}
