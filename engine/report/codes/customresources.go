package codes

// definition is a CustomResourceDefinition of widgets; schema is that of spec,
// in YAML that fits into braces.
func definition(schema string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n" +
		"  names: {plural: widgets, singular: widget, kind: Widget}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties: {spec: {" + schema + "}}"
}

// widget is an object of the definition.
func widget(spec string) string {
	return "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\nspec: " + spec
}

var customResources = Group{
	Title: "Custom resources",
	About: "Notes on the step in which a custom resource is checked by the schema and the rules of its CustomResourceDefinition.",
	Entries: []Entry{
		{Code: "transition-rule-not-run", Title: "A rule that compares with the value before",
			Meaning: "A rule that reads oldSelf is asked only where there is a value from before: on updates, and there not for items, keys and fields that are new.",
			Repair:  "Set optionalOldSelf: true on the rule to have it asked always; oldSelf is an optional value then.",
			Example: files("cluster.yaml", definition("type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}"), "request.yaml", widget("{size: 3}"))},
		{Code: "rules-not-run", Title: "Rules of an object that does not fit its schema",
			Meaning: "A missing field, a value of the wrong type or outside of an enum, or something too long or too many keeps the server from asking any rule: it answers with these errors and says that rules were not checked.",
			Repair:  "Correct the object first.",
			Example: files("cluster.yaml", definition("type: object, required: [size], properties: {size: {type: integer}}, x-kubernetes-validations: [{rule: self.size > 0}]"), "request.yaml", widget("{}"))},
		{Code: "more-rule-evaluations", Title: "More evaluations than are shown",
			Meaning: "A rule on the items of a list is evaluated for each item. Those that fail are all shown; of those that hold, only the first.",
			Example: files("cluster.yaml", definition("type: object, properties: {list: {type: array, maxItems: 200, items: {type: integer, x-kubernetes-validations: [{rule: self < 500}]}}}"), "request.yaml", widget("{list: ["+numbers(120)+"]}"))},
	},
}
