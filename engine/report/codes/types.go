package codes

var types = Group{
	Title: "Checks of types",
	About: "Expressions are compared with the fields of the kinds that a policy matches. The server accepts all of this; most of it fails, or is never true, when a request comes.",
	Entries: []Entry{
		{Code: "type-checking", Title: "The server's type checking", Repair: "The detail says whether the expression fails when it runs.",
			Example: policies(validating(deployments, "validations:\n- expression: object.spec.replica <= 5"), validBind)},
		{Code: "unknown-object-field", Title: "A field that the kind does not have", Repair: "Correct the name; the detail names the nearest one.",
			Example: policies(validating(deployments, "matchConditions:\n- {name: large, expression: object.spec.replica > 5}\n"+plainValidation), validBind)},
		{Code: "wrong-operand-type", Title: "Values of the wrong type", Repair: "Convert one side: int(), string(), quantity(), timestamp().",
			Example: policies(validating(deployments, "matchConditions:\n- {name: large, expression: \"object.spec.replicas > '5'\"}\n"+plainValidation), validBind)},
		{Code: "never-equal", Title: "A comparison that is never true", Repair: "Use a value that the field can have; the detail lists them.",
			Example: policies(validating(deployments, "validations:\n- expression: request.operation == 'UPDATE' || object.spec.replicas < 5"), validBind)},
		{Code: "literal-unknown-field", Title: "An Object literal with an unknown field", Repair: "Correct the name; the detail names the nearest one.",
			Example: policies(mutating(deployments, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: 'Object{spec: Object.spec{replica: 3}}'}"), mutateBind)},
		{Code: "literal-type-name", Title: "An Object literal with the wrong type name", Repair: "Name the type after the path of its field.",
			Example: policies(mutating(deployments, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: 'Object{spec: Object.specification{replicas: 3}}'}"), mutateBind)},
		{Code: "literal-wrong-type", Title: "An Object literal with a value of the wrong type", Repair: "Use a value of the field's type. To remove a field, use a JSONPatch.",
			Example: policies(mutating(deployments, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration: {expression: \"Object{spec: Object.spec{replicas: '3'}}\"}"), mutateBind)},
		{Code: "literal-nested-map", Title: "A map inside of a map", Repair: "Write Object.spec.template.metadata{labels: {...}} instead of {'labels': {...}}.",
			Example: policies(mutating(deployments, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration:\n    expression: \"Object{spec: Object.spec{template: Object.spec.template{metadata: {'labels': {'a': 'b'}}}}}\""), mutateBind)},
		{Code: "literal-atomic", Title: "An atomic list or struct in an ApplyConfiguration", Repair: "Use a JSONPatch.",
			Example: policies(mutating(deployments, "mutations:\n- patchType: ApplyConfiguration\n  applyConfiguration:\n    expression: \"Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}\""), mutateBind)},
	},
}
