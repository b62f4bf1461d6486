package typecheck

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

func checkerOf(t testing.TB, v version.Version) *check.Checker {
	t.Helper()
	c, err := check.New(v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func problemsOf(t *testing.T, text, cluster string) []diag.Diagnostic {
	t.Helper()
	cat, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	if cluster != "" {
		crds, problems := scenario.ParseDocuments(diag.Cluster, cluster)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var bad []catalog.CRDProblem
		if cat, bad = cat.WithCRDs([]catalog.CRD{{Value: crds[0].Value}}); len(bad) > 0 {
			t.Fatal(bad)
		}
	}
	docs, problems := scenario.ParseDocuments(diag.Policies, text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	found, err := Check(docs, map[diag.Text]string{diag.Policies: text}, checkerOf(t, version.MustParse("1.36")), cat)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// short writes findings as `code "underlined text" -> replacement`, those that
// are only information with a question mark.
func short(text string, found []diag.Diagnostic) []string {
	var out []string
	for _, d := range found {
		s := fmt.Sprintf("%s %q", d.Code, text[d.Span.Start:d.Span.End])
		if d.Severity == diag.Info {
			s = "?" + s
		}
		for _, fix := range d.Fixes {
			s += " -> " + fix.Edits[0].New
		}
		out = append(out, s)
	}
	return out
}

const header = `apiVersion: admissionregistration.k8s.io/v1
kind: %sAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [%s], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [%s]}
`

func mutating(expression string) string {
	return fmt.Sprintf(header, "Mutating", "apps", "deployments") +
		"  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: |\n        " + expression + "\n"
}

func condition(expression string) string {
	return fmt.Sprintf(header, "Mutating", `"", apps`, "deployments, pods") + "  matchConditions:\n  - name: c\n    expression: |\n      " + expression + "\n"
}

// TestExpressions checks conditions of a policy on one kind, which the server
// does not check at all.
func TestExpressions(t *testing.T) {
	for _, tc := range []struct {
		expression string
		want       []string
	}{
		{"object.spec.replicas > 1", nil},
		{"object.spec.replica > 1", []string{`unknown-object-field "replica" -> replicas`}},
		{"has(object.spec.template.spec.initcontainers)", []string{`unknown-object-field "initcontainers" -> initContainers`}},
		{"object.?spec.?replica.orValue(1) > 1", []string{`unknown-object-field "replica" -> replicas`}},
		{"object.spec.template.spec.containers.all(c, c.images != '' && c.nam != '')", []string{`unknown-object-field "images" -> image`, `unknown-object-field "nam" -> name`}},
		{"object.spec.nothing.deeper == 1 && object.spec.replica == 1", []string{`unknown-object-field "nothing"`, `unknown-object-field "replica" -> replicas`}},
		{"object.spec.replicas.more == 1", []string{`unknown-object-field "more"`}},
		{"object.metadata.creationTimestamp.getFullYear() == 2000", []string{`wrong-operand-type "getFullYear"`}},
		{"timestamp(object.metadata.creationTimestamp).getFullYear() == 2000", nil},
		{"object.spec.template.spec.containers.all(c, c.resources.limits['cpu'] < 2)", []string{`wrong-operand-type "<" -> quantity(`}},
		{"object.spec.replicas + 'a' == 'b'", []string{`wrong-operand-type "+" -> string(`}},
		{"object.spec.replicas == '3'", []string{`never-equal "==" -> 3`}},
		{"object.replicas == 3", []string{`unknown-object-field "replicas" -> spec.replicas`}},
		{"object.spec.containers.all(c, c.name != '')", []string{`unknown-object-field "containers" -> template.spec.containers`}},
		{"object.spec.replicas in ['3']", []string{`never-equal "in" -> 3`}},
		{"object.spec.template.spec.volumes.all(v, v.type != 'hostPath')", []string{`unknown-object-field "type" -> !has(`}},
		{"object.spec.template.spec.volumes.hostPath == null", []string{`unknown-object-field "hostPath" -> all(v, !has(v.`}},
		{"object.spec.template.spec.containers.all(c, c.args.contains('x'))", []string{`wrong-operand-type "contains" -> 'x' in `}},
		{"object.spec.replicas == 1.0 || object.spec.replicas < 1.5", nil},
		{"object.spec.selector == null || object.metadata.labels == null", nil},
		{"object.spec['replicas'] == 1 && 'spec' in object && size(object.metadata) > 1 && object.metadata == {'a': 1}", nil},
		{"object.spec.strategy.type == 'recreate'", []string{`never-equal "'recreate'" -> 'Recreate'`}},
		{`object.spec.strategy.type != "Rollout"`, []string{`never-equal "\"Rollout\""`}},
		{"object.spec.strategy.type in ['Recreate', 'RollingUpdte']", []string{`never-equal "'RollingUpdte'" -> 'RollingUpdate'`}},
		{"object.spec.strategy.type == ''", nil},
		{"request.operation == 'DELETE'", []string{`never-equal "'DELETE'"`}},
		{"request.operation == 'Create'", []string{`never-equal "'Create'" -> 'CREATE'`}},
		{"request.operation == 'UPDATE' && oldObject.spec.replicas > 1", nil},
		{"authorizer.requestResource.check('get').allowed()", nil},
		// An optional entry whose value has been taken out of the check crashes cel-go's validator.
		{"object.spec.template.spec.containers.map(c, {'name': dyn(c.name), ?'args': c.?args}).size() > 0", nil},
		// What does not compile without types is the installation's matter.
		{"object.spec.replica > 1 && nothing", nil},
	} {
		t.Run(tc.expression, func(t *testing.T) {
			text := strings.Replace(condition(tc.expression), "[deployments, pods]", "[deployments]", 1)
			text = strings.Replace(text, `["", apps]`, "[apps]", 1)
			if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestSeveralKinds(t *testing.T) {
	text := condition("object.spec.replicas > 1 || object.spec.nodeNam == '' || object.spec.nothing == 1")
	found := problemsOf(t, text, "")
	// Only pods lack replicas; both kinds lack the others.
	want := []string{`?unknown-object-field "replicas"`, `unknown-object-field "nodeNam" -> nodeName`, `unknown-object-field "nothing"`}
	got := short(text, found)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(found[0].Summary, "(Pod)") {
		t.Errorf("the kind is not named: %q", found[0].Summary)
	}
}

func TestObjectLiterals(t *testing.T) {
	for _, tc := range []struct {
		expression string
		want       []string
	}{
		{"Object{spec: Object.spec{replicas: object.spec.replicas + 1, ?paused: optional.of(true)}}", nil},
		{"Object{spec: Object.spec{replica: 1}}", []string{`literal-unknown-field "replica" -> replicas`}},
		{"Object{spce: Object.spec{}}", []string{`literal-unknown-field "spce" -> spec`, `literal-type-name "Object.spec" -> Object.spce`}},
		{"Object{spec: Object.specx{replicas: 1}}", []string{`literal-type-name "Object.specx" -> Object.spec`}},
		{"Object{spec: Object.spec{replicas: '1'}}", []string{`literal-wrong-type "'1'" -> 1`}},
		{"Object{spec: Object.spec{replicas: null, paused: 1u}}", []string{`literal-wrong-type "null"`, `literal-wrong-type "1u"`}}, // a default takes its place
		{"Object{spec: Object.spec{minReadySeconds: null}}", []string{`literal-wrong-type "null" -> JSONPatch`}},
		{"Object{spec: Object.spec{replicas: object.metadata.labels['n']}}", []string{`literal-wrong-type "[" -> int(`}},
		{"Object{metadata: Object.metadata{labels: {'n': size(object.spec.template.spec.containers) + 1}}}", []string{`literal-wrong-type "+" -> string(`}},
		{"Object{spec: Object.spec{replicas: int(object.metadata.labels['n'])}}", nil},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: Object.spec.template.spec.containers{name: 'a'}}}}}",
			[]string{`literal-wrong-type "{" -> [`}}, // and the other bracket
		{"Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}", []string{`literal-atomic "selector" -> JSONPatch`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', args: ['x']}]}}}}", []string{`literal-atomic "args" -> JSONPatch`}},
		{"Object{spec: Object.spec{?paused: optional.none()}}", []string{`removes-nothing "none" -> JSONPatch`}},
		{"Object{spec: Object.spec{?replicas: optional.none()}}", []string{`removes-nothing "none"`}}, // a default takes its place
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, ?command: optional.none(), ?imagePullPolicy: optional.none()})}}}}", []string{`removes-nothing "none" -> JSONPatch`, `removes-nothing "none"`}},
		{"Object{metadata: Object.metadata{labels: {}, ?finalizers: optional.of([])}}", []string{`?removes-nothing "{"`}},
		{"Object{metadata: Object.metadata{labels: object.metadata.labels.transformMap(k, v, k != 'a', v)}}", []string{`removes-nothing "transformMap" -> JSONPatch`}},
		{"Object{metadata: Object.metadata{labels: object.metadata.labels.transformMap(k, v, k != 'a', v + 'b')}}", nil},
		{"Object{metadata: Object.metadata{labels: object.metadata.annotations.transformMap(k, v, k != 'a', v)}}", nil},
		{"Object{spec: Object.spec{?replicas: has(object.spec.paused) ? optional.of(1) : optional.none()}}", nil},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.filter(c, c.name != 'a')}}}}", []string{`removes-nothing "filter" -> JSONPatch`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.filter(c, c.name != 'a').map(c, Object.spec.template.spec.containers{name: c.name, image: 'b'})}}}}", nil},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.initContainers.filter(c, c.name != 'a')}}}}", nil},
		{"Object{metadata: Object.metadata{labels: {'a': 1}, annotations: {'a': string(1)}, finalizers: [2]}}", []string{`literal-wrong-type "1" -> '1'`, `literal-wrong-type "2" -> '2'`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{imagePullSecrets: [Object.spec.template.spec.imagePullSecrets{name: 'a'}]}}}}", []string{`literal-atomic "imagePullSecrets" -> JSONPatch -> JSONPatch`}},
		{"Object{metadata: Object.metadata{labels: {'a': 'b'}, annotations: {'c': {'d': 'e'}}}}", []string{`literal-nested-map "{"`}},
		{"Object{spec: Object.spec{template: Object.spec.template{metadata: {'labels': {'x': 'y'}}}}}", []string{`literal-nested-map "{" -> Object.spec.template.metadata`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}}}", nil},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.containers{name: c.nam})}}}}",
			[]string{`literal-type-name "Object.spec.containers" -> Object.spec.template.spec.containers`, `unknown-object-field "nam" -> name`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, {'name': c.name})}}}}", []string{`literal-nested-map "{" -> Object.spec.template.spec.containers`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ['a', 'b'].filter(c, c != 'a')}}}}", []string{`literal-wrong-type "filter"`}},
		{"Object{spec: Object.spec{?paused: optional.ofNonZeroValue(false)}}", []string{`removes-nothing "ofNonZeroValue" -> JSONPatch`}},
		{"Object{spec: Object.spec{?replicas: optional.ofNonZeroValue(object.spec.replicas)}}", nil},
		{"Object{spec: Object.spec{?paused: has(object.spec.replicas) ? optional.none() : optional.ofNonZeroValue(false)}}", []string{`removes-nothing "?" -> JSONPatch`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, image: 'm/' + c.image})}}}}", []string{`not-idempotent "'m/' + c.image" -> c.image.startsWith('m/') ? c.image : 'm/' + c.image`}},
		{"Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, !c.image.startsWith('m/'), Object.spec.template.spec.containers{name: c.name, image: 'm/' + c.image})}}}}", nil},
		{"Object{metadata: Object.metadata{labels: {'a': optional.none()}}}", []string{`removes-nothing "none" -> JSONPatch`}},
		{"Object{?metadata: optional.none()}", []string{`removes-nothing "none"`}},
		{"Object{metadata: Object.metadata{labels: {}}}", []string{`?removes-nothing "{" -> JSONPatch`}},
		{"Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: {}}}}", nil}, // a pointer: {} differs from absent
	} {
		t.Run(tc.expression, func(t *testing.T) {
			text := mutating(tc.expression)
			if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestBytes(t *testing.T) {
	text := strings.NewReplacer("[apps]", `[""]`, "[deployments]", "[configmaps]").Replace(mutating("Object{binaryData: {'a': b'x'}}"))
	if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, []string{`literal-wrong-type "b'x'"`}) {
		t.Errorf("got %q", got)
	}
}

func TestJSONPatchLiterals(t *testing.T) {
	patch := func(value string) string {
		return strings.NewReplacer("ApplyConfiguration", "JSONPatch", "applyConfiguration", "jsonPatch").Replace(
			mutating("[JSONPatch{op: 'add', path: '/spec', value: " + value + "}]"))
	}
	for value, want := range map[string][]string{
		"Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}": nil, // atomic, but replaced
		"Object.spec{replica: 1}":                  {`literal-unknown-field "replica" -> replicas`},
		"{'a': {'b': 'c'}}":                        nil,
		"object.spec.template.sepc":                {`unknown-object-field "sepc" -> spec`},
		"Object.spec{template: Object.template{}}": {`literal-type-name "Object.template" -> Object.spec.template`},
	} {
		text := patch(value)
		if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", value, got, want)
		}
	}
}

func TestServerWarningAndOurs(t *testing.T) {
	text := fmt.Sprintf(header, "Validating", `""`, "pods") + `  variables:
  - {name: spec, expression: object.spec}
  validations:
  - expression: object.spec.nodeNam == 'a'
  - expression: has(object.spec.containers[0].resources.limits)
  - expression: variables.spec.nodeNam == ''
  - expression: object.metadata.creationTimestamp.getFullYear() > 1
`
	found := problemsOf(t, text, "")
	want := []string{
		`type-checking "nodeNam" -> nodeName`, // the server's, with our repair
		`?type-checking "limits"`,             // the server is wrong
		`unknown-object-field "nodeNam" -> nodeName`,
		`wrong-operand-type "getFullYear"`,
	}
	if got := short(text, found); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q", got)
	}
	if !strings.Contains(found[0].Detail, "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'nodeNam'") {
		t.Errorf("the server's words are missing: %s", found[0].Detail)
	}
	if found[0].Path != "spec.validations[0].expression" || found[0].Document != "ValidatingAdmissionPolicy/p" {
		t.Errorf("%+v", found[0])
	}
}

func TestCustomKinds(t *testing.T) {
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
              ratio: {type: number}
              mode: {type: string, enum: [fast, slow]}
              tags: {type: array, items: {type: string}}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string}}}
              any: {x-kubernetes-preserve-unknown-fields: true}
`
	for expression, want := range map[string][]string{
		"Object{spec: Object.spec{size: 1, open: Object.spec.open{more: 1}, any: 5}}":   nil,
		"Object{spec: Object.spec{sizes: 1}}":                                           {`literal-unknown-field "sizes" -> size`},
		"object.spec.ratio + 1 > 2.0 ? Object{} : Object{}":                             nil, // may be an int
		"Object{spec: Object.spec{tags: ['a']}}":                                        {`literal-atomic "tags" -> JSONPatch -> JSONPatch`},
		"Object{spec: Object.spec{size: object.spec.open.more + object.spec.any.more}}": nil,
		"object.spec.mode == 'fats' ? Object{} : Object{}":                              {`never-equal "'fats'" -> 'fast'`},
	} {
		text := strings.NewReplacer("[apps]", "[example.com]", "[deployments]", "[gadgets]").Replace(mutating(expression))
		if got := short(text, problemsOf(t, text, crd)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", expression, got, want)
		}
	}
}

func TestWebhooks(t *testing.T) {
	text := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks:
- name: a.example.com
  rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]
  matchConditions: [{name: c, expression: object.spec.nodeNam == ''}]
- name: b.example.com
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  matchConditions: [{name: c, expression: object.spec.nodeNam == ''}]
`
	want := []string{`unknown-object-field "nodeNam" -> nodeName`}
	if got := short(text, problemsOf(t, text, "")); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}
