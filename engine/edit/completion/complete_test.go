package completion

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// cursorMark shows in the tests where the cursor is.
const cursorMark = "‸"

func completer(t testing.TB, minor string) *Completer {
	t.Helper()
	c, err := New(minor, func(typeID, field string) string {
		if typeID == "apps/v1.DeploymentSpec" && field == "replicas" {
			return "Number of desired pods."
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cut removes the mark from a text and returns where it was.
func cut(t testing.TB, marked string) (string, int) {
	t.Helper()
	offset := strings.Index(marked, cursorMark)
	if offset < 0 {
		t.Fatalf("no cursor in %q", marked)
	}
	return strings.Replace(marked, cursorMark, "", 1), offset
}

// completeIn completes at the mark in the policies text.
func completeIn(t testing.TB, minor string, s scenario.Scenario) Result {
	t.Helper()
	var offset int
	s.Policies, offset = cut(t, s.Policies)
	r, err := completer(t, minor).Complete(s, diag.Policies, offset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func labels(items []Item, kinds ...Kind) []string {
	var out []string
	for _, i := range items {
		if len(kinds) == 0 || slices.Contains(kinds, i.Kind) {
			out = append(out, i.Label)
		}
	}
	return out
}

func find(items []Item, label string) *Item {
	for i := range items {
		if items[i].Label == label {
			return &items[i]
		}
	}
	return nil
}

// wantOffers tests that the labels of want are offered, and those with a minus not.
func wantOffers(t *testing.T, items []Item, want string) {
	t.Helper()
	for _, label := range strings.Fields(want) {
		name, forbidden := strings.CutPrefix(label, "-")
		if name == "" {
			name, forbidden = label, false
		}
		if got := find(items, name) != nil; got == forbidden {
			t.Errorf("%q offered: %v, in %q", name, got, labels(items))
		}
	}
}

// policy is a validating policy on deployments with more of its spec given.
func policy(spec string) scenario.Scenario {
	return scenario.Scenario{Policies: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: p
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [deployments]
` + spec}
}

// mutation is a mutating policy on deployments with one expression.
func mutation(patchType, field, expression string) scenario.Scenario {
	s := policy(fmt.Sprintf("  mutations:\n  - patchType: %s\n    %s:\n      expression: %s\n", patchType, field, expression))
	s.Policies = strings.Replace(s.Policies, "Validating", "Mutating", 1)
	return s
}

func validation(expression string) scenario.Scenario {
	return policy("  validations:\n  - message: m\n    expression: " + expression + "\n")
}

func TestCELInEveryStyleOfScalar(t *testing.T) {
	for _, style := range []string{
		"object.spec.rep" + cursorMark,
		`"object.spec.rep` + cursorMark + `"`,
		"'object.spec.rep" + cursorMark + "'",
		"'size(''a'') == object.spec.rep" + cursorMark + "'",
		"|\n      object.spec.rep" + cursorMark,
		">-\n      true &&\n\n      object.spec.rep" + cursorMark,
		"true &&\n      object.spec.rep" + cursorMark,
		`'a' == object.spec.rep` + cursorMark, // no YAML yet
		`"object.spec.rep` + cursorMark,       // the quote is still open
	} {
		r := completeIn(t, "1.36", validation(style))
		item := find(r.Items, "replicas")
		if item == nil {
			t.Errorf("%q: got %q", style, labels(r.Items))
			continue
		}
		if item.Detail != "integer, optional" || r.To-r.From != len("rep") {
			t.Errorf("%q: %+v from %d to %d", style, item, r.From, r.To)
		}
	}
}

func TestCEL(t *testing.T) {
	for _, tc := range []struct{ name, expression, want string }{
		{"variables", cursorMark, "object oldObject request namespaceObject authorizer has size true quantity -params -variables -Object -JSONPatch -self"},
		{"a word begun", "obj" + cursorMark, "object oldObject"},
		{"fields of the kind", "object." + cursorMark, "spec metadata kind apiVersion -replicas -startsWith -all"},
		{"fields further down", "object.spec.template.spec." + cursorMark, "containers nodeSelector -replicas"},
		{"a list", "object.spec.template.spec.containers." + cursorMark, "all exists map filter size indexOf -name -startsWith -transformMapEntry2"},
		{"an item", "object.spec.template.spec.containers[0]." + cursorMark, "name image resources -all"},
		{"in a macro", "object.spec.template.spec.containers.all(c, c." + cursorMark, "name image ports -spec"},
		{"in a macro in a macro", "object.spec.template.spec.containers.all(c, c.ports.exists(p, c.name != '' && p." + cursorMark + "))", "containerPort protocol -image"},
		{"variables of macros", "object.spec.template.spec.containers.all(c, c.ports.exists(p, " + cursorMark, "c p object"},
		{"two variables", "object.metadata.labels.all(k, v, v." + cursorMark, "startsWith contains -image"},
		{"after filter", "object.spec.template.spec.containers.filter(c, c.name == 'a')[0]." + cursorMark, "image"},
		{"in has", "has(object.spec." + cursorMark + ")", "replicas selector"},
		{"optional selection", "object.?spec.?" + cursorMark, "replicas -orValue -hasValue"},
		{"an optional", "object.?spec.replicas." + cursorMark, "orValue hasValue optMap or -replicas"},
		{"through an optional", "object.?spec.optMap(s, s." + cursorMark, "replicas -orValue"},
		{"a map", "object.metadata.labels." + cursorMark, "all exists size -startsWith -name"},
		{"a text", "object.metadata.name." + cursorMark, "startsWith matches trim lowerAscii -all -spec"},
		{"a quantity", "quantity('1')." + cursorMark, "isGreaterThan add asInteger -sign -startsWith"},
		{"a timestamp", "timestamp(object.metadata.name)." + cursorMark, "getFullYear -startsWith"},
		{"the request", "request." + cursorMark, "operation userInfo dryRun namespace -object -uid -__namespace__"},
		{"the user", "request.userInfo." + cursorMark, "username groups extra"},
		{"the namespace", "namespaceObject.metadata." + cursorMark, "name labels -namespaceObject"},
		{"the authorizer", "authorizer." + cursorMark, "group path serviceAccount requestResource -check -allowed"},
		{"a check", "authorizer.group('apps').resource('deployments')." + cursorMark, "check namespace name subresource fieldSelector -allowed -group"},
		{"a namespace of functions", "sets." + cursorMark, "contains equivalent intersects -object"},
		{"a ternary not finished", "object.spec.paused ? object.spec." + cursorMark, "replicas"},
		{"an operator not finished", "object.spec.replicas > && object.spec." + cursorMark, "replicas"},
		{"in a list and a map", "[{'a': object.spec." + cursorMark, "replicas"},
		{"nothing in a comment", "true // object." + cursorMark, "-object -spec"},
		{"nothing in a plain text", "'object." + cursorMark + "'", "-object -spec"},
		{"nothing in a number", "1" + cursorMark, "-object -size"},
		{"a value of unknown type", "dyn(object)." + cursorMark, "startsWith all -spec"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			expression := "|-\n      " + tc.expression
			wantOffers(t, completeIn(t, "1.36", validation(expression)).Items, tc.want)
		})
	}
}

func TestStrings(t *testing.T) {
	for _, tc := range []struct{ name, expression, want string }{
		{"an enum", "object.spec.strategy.type == 'R" + cursorMark + "'", "Recreate RollingUpdate"},
		{"an enum in a list", "object.spec.strategy.type in ['Recreate', '" + cursorMark + "']", "RollingUpdate"},
		{"an enum in a macro", "object.spec.template.spec.containers.all(c, c.imagePullPolicy != '" + cursorMark, "Always IfNotPresent Never"},
		{"an optional enum", "object.spec.strategy.?type == '" + cursorMark, "-Recreate"},
		{"an operation", "request.operation == '" + cursorMark, "CREATE UPDATE DELETE CONNECT"},
		{"a verb", "authorizer.group('').resource('pods').check('" + cursorMark, "get delete"},
		{"a resource", "authorizer.group('').resource('" + cursorMark, "pods deployments"},
		{"no enum", "object.metadata.name == '" + cursorMark, "-Recreate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantOffers(t, completeIn(t, "1.36", validation("|-\n      "+tc.expression)).Items, tc.want)
		})
	}
}

// TestBehindQuotes: nothing is offered behind the quotes that end an expression, where Enter is to begin the
// next line; between them there is.
func TestBehindQuotes(t *testing.T) {
	for _, tc := range []struct{ name, value, want string }{
		{"double quotes", `"object.spec.replicas <= 9"` + cursorMark, "-object -size"},
		{"single quotes", `'object.spec.replicas <= 9'` + cursorMark, "-object -size"},
		{"an escaped quote", `"object.metadata.name == \"a\""` + cursorMark, "-object -size"},
		{"before the quote", `"object.spec.` + cursorMark + `"`, "replicas"},
		{"a text of CEL begins", `'a' in object.` + cursorMark, "spec"},
		{"a text of CEL is open", `'Recreate' == object.spec.strategy.type && object.spec.strategy.type != '` + cursorMark, "-object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantOffers(t, completeIn(t, "1.36", validation(tc.value)).Items, tc.want)
		})
	}
}

func TestMutations(t *testing.T) {
	for _, tc := range []struct{ name, expression, want string }{
		{"the type first", cursorMark, "Object JSONPatch object"},
		{"fields of Object", "Object{" + cursorMark, "spec metadata -replicas -size"},
		{"fields further down", "Object{spec: Object.spec{" + cursorMark, "replicas template -containers -object"},
		{"a second field", "Object{spec: Object.spec{replicas: 1, pa" + cursorMark + "}}", "paused"},
		{"an optional field", "Object{spec: Object.spec{?" + cursorMark, "replicas"},
		{"fields of an item", "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{" + cursorMark, "image name -replicas"},
		{"the type of a field", "Object{spec: " + cursorMark, "Object.spec object"},
		{"names of types", "Object{spec: Object." + cursorMark, "spec metadata -kind -size"},
		{"names of types further down", "Object{spec: Object.spec{template: Object.spec." + cursorMark, "template selector strategy -replicas"},
		{"values of an enum", "Object{spec: Object.spec{strategy: Object.spec.strategy{type: '" + cursorMark, "Recreate RollingUpdate"},
		{"values", "Object{spec: Object.spec{replicas: object.spec." + cursorMark, "replicas"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantOffers(t, completeIn(t, "1.36", mutation("ApplyConfiguration", "applyConfiguration", "|-\n        "+tc.expression)).Items, tc.want)
		})
	}
	atomic := completeIn(t, "1.36", mutation("ApplyConfiguration", "applyConfiguration", "Object{spec: Object.spec{"+cursorMark))
	if item := find(atomic.Items, "selector"); item == nil || !strings.Contains(item.Detail, "atomic") {
		t.Errorf("selector is not marked as atomic: %+v", item)
	}
}

func TestJSONPatch(t *testing.T) {
	for _, tc := range []struct{ name, expression, want string }{
		{"fields", "[JSONPatch{" + cursorMark, "op path from value -object"},
		{"operations", "[JSONPatch{op: '" + cursorMark, "add remove test"},
		{"a path", "[JSONPatch{op: 'add', path: '/" + cursorMark, "spec metadata"},
		{"a path further down", "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/0/im" + cursorMark + "'", "image -spec"},
		{"a list", "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/" + cursorMark, "- 0"},
		{"a value", "[JSONPatch{op: 'add', path: '/spec', value: object." + cursorMark, "spec"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := completeIn(t, "1.36", mutation("JSONPatch", "jsonPatch", "|-\n        "+tc.expression))
			wantOffers(t, r.Items, tc.want)
		})
	}
}

func TestScopes(t *testing.T) {
	with := func(more string) string { return "  paramKind: {apiVersion: v1, kind: ConfigMap}\n" + more }
	variables := "  variables:\n  - {name: first, expression: object.spec.template}\n  - {name: second, expression: %s}\n"
	for _, tc := range []struct{ name, spec, want string }{
		{"params with a paramKind", with("  validations:\n  - expression: " + cursorMark), "params object"},
		{"fields of params", with("  validations:\n  - expression: params." + cursorMark), "data binaryData -spec"},
		{"no authorizer in a message", "  validations:\n  - messageExpression: " + cursorMark, "object -authorizer"},
		{"no authorizer in an audit annotation", "  auditAnnotations:\n  - key: a\n    valueExpression: " + cursorMark, "object -authorizer"},
		{"earlier variables only", fmt.Sprintf(variables, "variables."+cursorMark), "first -second"},
		{"no variables for the first", "  variables:\n  - {name: first, expression: " + cursorMark + "}\n", "object -variables"},
		{"all variables in validations", fmt.Sprintf(variables, "'1'") + "  validations:\n  - expression: variables." + cursorMark, "first second"},
		{"what a variable holds", fmt.Sprintf(variables, "'1'") + "  validations:\n  - expression: variables.first.spec." + cursorMark, "containers"},
		{"no variables in match conditions", fmt.Sprintf(variables, "'1'") + "  matchConditions:\n  - name: c\n    expression: " + cursorMark, "object -variables"},
		{"a message is no expression", "  validations:\n  - message: obj" + cursorMark, "-object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantOffers(t, completeIn(t, "1.36", policy(tc.spec)).Items, tc.want)
		})
	}
}

// Behind a finished value nothing is offered: Enter would write a name into a text that is complete.
func TestNothingBehindAValue(t *testing.T) {
	for _, expression := range []string{"request.name == 'jane'", "'a' + 'b' ", "1 ", "(object.kind) ", "[1]", "object ", "'a' in ['a']"} {
		if got := completeIn(t, "1.36", validation("|-\n      "+expression+cursorMark)).Items; len(got) > 0 {
			t.Errorf("behind %q: %v", expression, labels(got))
		}
	}
	wantOffers(t, completeIn(t, "1.36", validation("|-\n      'a' in "+cursorMark)).Items, "object")
}

func TestVersions(t *testing.T) {
	for _, tc := range []struct{ minor, expression, want string }{
		{"1.30", cursorMark, "quantity -ip -semver -format.named"},
		{"1.31", cursorMark, "ip cidr -semver"},
		{"1.34", cursorMark, "semver -lists.range"},
		{"1.35", cursorMark, "lists.range"},
		{"1.34", "[1]." + cursorMark, "-sort -distinct sum"},
		{"1.35", "[1]." + cursorMark, "sort distinct -includes"},
		{"1.32", "[1]." + cursorMark, "map -transformList"},
		{"1.33", "[1]." + cursorMark, "transformList"},
	} {
		t.Run(tc.minor+" "+tc.expression, func(t *testing.T) {
			wantOffers(t, completeIn(t, tc.minor, validation("|-\n      "+tc.expression)).Items, tc.want)
		})
	}
	since := find(completeIn(t, "1.36", validation(cursorMark)).Items, "semver")
	if since == nil || !strings.Contains(since.Doc, "Since Kubernetes 1.34.") || !strings.Contains(since.Doc, "Cost: ") {
		t.Errorf("semver: %+v", since)
	}
}

func TestSeveralKindsAndCustomKinds(t *testing.T) {
	crd := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              mode: {type: string, enum: [fast, slow]}
`
	rules := func(groups, resources, expression string) scenario.Scenario {
		s := validation(expression)
		s.Policies = strings.NewReplacer("[apps]", groups, "[deployments]", resources).Replace(s.Policies)
		s.Cluster = crd
		return s
	}
	r := completeIn(t, "1.36", rules("[example.com]", "[gadgets]", "object.spec."+cursorMark))
	wantOffers(t, r.Items, "size mode -replicas")
	r = completeIn(t, "1.36", rules("[example.com]", "[gadgets]", `"object.spec.mode == '`+cursorMark+`'"`))
	wantOffers(t, r.Items, "fast slow")
	r = completeIn(t, "1.36", rules("[example.com, apps]", "[gadgets, deployments]", "object.spec."+cursorMark))
	wantOffers(t, r.Items, "size replicas")
	// With a wildcard, the object of the request takes its place.
	s := rules(`["*"]`, `["*"]`, "object.spec."+cursorMark)
	s.Request = "apiVersion: apps/v1\nkind: StatefulSet\n"
	wantOffers(t, completeIn(t, "1.36", s).Items, "serviceName")
}

// TestQuotes checks that what is inserted does not end the scalar around it.
func TestQuotes(t *testing.T) {
	for style, want := range map[string]string{
		`"[` + cursorMark + `"`: "JSONPatch{op: '${add}', path: '${/metadata/labels/}', value: ${}}",
		"'[" + cursorMark + "'": `JSONPatch{op: "${add}", path: "${/metadata/labels/}", value: ${}}`,
	} {
		item := find(completeIn(t, "1.36", mutation("JSONPatch", "jsonPatch", style)).Items, "JSONPatch")
		if item == nil || item.Apply != want {
			t.Errorf("%s: %+v", style, item)
		}
	}
}

func TestKeysOfMaps(t *testing.T) {
	s := validation(`"object.metadata.labels['` + cursorMark + `'] == ''"`)
	s.Request = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {team: a, app: b}}\n"
	if got := labels(completeIn(t, "1.36", s).Items); strings.Join(got, " ") != "app team" {
		t.Errorf("labels: %q", got)
	}
	s = policy("  paramKind: {apiVersion: v1, kind: ConfigMap}\n  validations:\n  - expression: params.data['" + cursorMark + "'] == '1'\n")
	s.Cluster = "apiVersion: v1\nkind: ConfigMap\ndata: {max: '1'}\n---\napiVersion: v1\nkind: Secret\ndata: {no: '1'}\n"
	if got := labels(completeIn(t, "1.36", s).Items); strings.Join(got, " ") != "max" {
		t.Errorf("params: %q", got)
	}
}

func TestObjectsOfAnyKind(t *testing.T) {
	s := validation("object.metadata." + cursorMark)
	s.Policies = strings.Replace(s.Policies, "[apps]", `["*"]`, 1)
	wantOffers(t, completeIn(t, "1.36", s).Items, "labels name -spec")
	s.Policies = strings.Replace(s.Policies, "object.metadata.", "object.spec.anything.", 1)
	wantOffers(t, completeIn(t, "1.36", s).Items, "startsWith all")
}

func TestFreeExpression(t *testing.T) {
	s := scenario.Scenario{Request: "apiVersion: v1\nkind: Pod\n", ExpressionContext: "mutation"}
	for marked, want := range map[string]string{
		"object.spec." + cursorMark:              "containers -replicas",
		cursorMark:                               "params Object authorizer",
		"Object{spec: Object.spec{" + cursorMark: "nodeName",
	} {
		var offset int
		s.Expression, offset = cut(t, marked)
		r, err := completer(t, "1.36").Complete(s, diag.Expression, offset)
		if err != nil {
			t.Fatal(err)
		}
		wantOffers(t, r.Items, want)
	}
}

// TestFreeExpressionOfAPolicy offers the variables and params that it is evaluated with.
func TestFreeExpressionOfAPolicy(t *testing.T) {
	s := policy("  paramKind: {apiVersion: v1, kind: ConfigMap}\n  variables:\n  - {name: tier, expression: \"'gold'\"}\n")
	s.Cluster = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: shop}\ndata: {most: '5'}\n"
	for marked, want := range map[string]string{"variables." + cursorMark: "tier", "params.data." + cursorMark: "most", cursorMark: "variables params"} {
		for context, there := range map[string]bool{"validation": true, "condition": true, "webhook": false, "mutation": false} {
			var offset int
			s.ExpressionContext = context
			s.Expression, offset = cut(t, marked)
			r, err := completer(t, "1.36").Complete(s, diag.Expression, offset)
			if err != nil {
				t.Fatal(err)
			}
			first := strings.Fields(want)[0]
			if got := find(r.Items, first) != nil; got != there {
				t.Errorf("%s in %s: %s is offered: %v", marked, context, first, got)
			}
		}
	}
}

// TestNoTextIsTooStrange cuts a policy off at every byte: nothing may panic,
// and the answer must lie in the text.
func TestNoTextIsTooStrange(t *testing.T) {
	full := mutation("ApplyConfiguration", "applyConfiguration", `>-
        // é comment
        Object{spec: Object.spec{?replicas: object.?spec["a"].orValue(r"x\"), template: Object.spec.template{spec: Object.spec.template.spec{
          containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, image: '''a'b'''})}}}}`)
	c := completer(t, "1.36")
	for offset := range full.Policies {
		s := scenario.Scenario{Policies: full.Policies[:offset]}
		for _, at := range []int{offset, offset / 2} {
			r, err := c.Complete(s, diag.Policies, at)
			if err != nil {
				t.Fatal(err)
			}
			if r.From < 0 || r.From > at || r.To < at || r.To > len(s.Policies) {
				t.Fatalf("at %d of %q: from %d to %d", at, s.Policies, r.From, r.To)
			}
			if _, err := c.Hover(s, diag.Policies, at); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDeepTextIsLeftAlone: the YAML library would fill a browser's stack.
func TestDeepTextIsLeftAlone(t *testing.T) {
	deep := "apiVersion: v1\nkind: ConfigMap\ndata: {a: " + strings.Repeat("[", 5000)
	r, err := completer(t, "1.37").Complete(scenario.Scenario{Cluster: deep}, diag.Cluster, len(deep))
	if err != nil || len(r.Items) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestKeysAfterDot: after the dot of a map stand the keys that it has in the
// objects of the scenario, as far as they fit there.
func TestKeysAfterDot(t *testing.T) {
	for expression, want := range map[string]string{
		"object.metadata.labels.":          "app -app.kubernetes.io/name all",
		"params.data.":                     "max all",
		"namespaceObject.metadata.labels.": "team all",
	} {
		s := policy("  paramKind: {apiVersion: v1, kind: ConfigMap}\n  validations:\n  - expression: " + expression + cursorMark)
		s.Request = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {app: web, app.kubernetes.io/name: web}}\n"
		s.Cluster = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits}\ndata: {max: '3'}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {team: a}}\n"
		wantOffers(t, completeIn(t, "1.36", s).Items, want)
	}
}
