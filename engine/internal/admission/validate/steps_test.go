package validate_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policy is a ValidatingAdmissionPolicy with a binding for some actions; more is in its spec.
func policy(name, actions, spec string) string {
	binding := ""
	if strings.Contains(spec, "paramKind") {
		binding = ", paramRef: {name: p, parameterNotFoundAction: Deny}"
	}
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: " + name + "}\nspec:\n" +
		"  matchConstraints: {resourceRules: [{apiGroups: ['', example.com], apiVersions: [v1, v2], operations: ['*'], resources: [configmaps, things]}]}\n  " +
		strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ") + "\n---\n" + binds(name, actions, binding)
}

func binds(name, actions, more string) string {
	return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: of-" + name + "}\nspec: {policyName: " + name + ", validationActions: [" + actions + "]" + more + "}\n---\n"
}

// shown is what became of each policy with each binding, of its expressions, and of the request.
func shown(t *testing.T, s scenario.Scenario) string {
	t.Helper()
	s.Options.Plugins = scenario.Exactly()
	r, err := engine.Evaluate(context.Background(), s, engine.Options{AdmissionOnly: true, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range r.Steps {
		if step.Kind != validate.Kind {
			continue
		}
		line := fmt.Sprintf("%s: %s %s", step.Policy, step.Status, step.Verdict)
		if step.Error != "" {
			line += " (" + step.Error + ")"
		}
		for _, v := range step.Validations {
			line += fmt.Sprintf("; %s %s %s", v.Decision, v.Reason, v.Message)
			if v.MessageExpression != nil {
				line += fmt.Sprintf(" [%d]", v.MessageExpression.Cost)
			}
		}
		for _, v := range step.Variables {
			line += fmt.Sprintf("; %s %s", v.Name, v.List)
		}
		if len(step.AuditAnnotations) > 0 {
			line += fmt.Sprintf("; %d annotations", len(step.AuditAnnotations))
		}
		for _, m := range step.Messages {
			line += "; says " + m
		}
		for range step.Warnings {
			line += "; warns"
		}
		lines = append(lines, line)
	}
	for _, b := range r.Budgets {
		lines = append(lines, fmt.Sprintf("%s: %d", b.Scope, b.Used))
	}
	if !r.Outcome.Allowed {
		lines = append(lines, fmt.Sprintf("%d %s: %s", r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message))
		for _, c := range r.Outcome.Causes {
			lines = append(lines, "because "+c)
		}
	}
	for _, w := range r.Outcome.Warnings {
		lines = append(lines, "warning: "+w)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Outcome.AuditAnnotations)) {
		lines = append(lines, key+"="+r.Outcome.AuditAnnotations[key])
	}
	if errors := r.Diagnostics.Errors(); errors != nil {
		lines = append(lines, fmt.Sprint(errors))
	}
	return strings.Join(lines, "\n")
}

// TestSteps: what becomes of policies, their expressions and their actions (semantics §7): every validation
// has a decision, only the first denial answers, an error of the configuration denies whatever the actions are,
// and one of an expression does what they say.
func TestSteps(t *testing.T) {
	const (
		configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, data: {a: b}}"
		ignore    = "failurePolicy: Ignore\n"
		no        = "validations: [{expression: 'false'}]"
		yes       = "validations: [{expression: 'true'}]"
		fails     = "validations: [{expression: 'object.none == 1'}]"
		params    = "paramKind: {apiVersion: v1, kind: ConfigMap}\n"
		there     = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: p, namespace: shop}, data: {k: v}}"
	)
	for _, c := range []struct {
		name, policies string
		request        string // the creation of a ConfigMap, if it is empty
		cluster        string
		version        string
		want           string
	}{
		{name: "true", policies: policy("p", "Deny", yes), want: `p: evaluated admit; admit  
validations: 0
call: 0`},
		{name: "false", policies: policy("p", "Deny", no), want: `p: evaluated deny; deny Invalid failed expression: false; says failed expression: false
validations: 0
call: 0
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: false
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: false`},
		{name: "false with each reason", policies: policy("p", "Deny", "validations: [{expression: 'false', reason: Forbidden, message: ' m '}, {expression: 'false', reason: RequestEntityTooLarge}, {expression: 'true', reason: Forbidden}]"), want: `p: evaluated deny; deny Forbidden m; deny RequestEntityTooLarge failed expression: false; admit  ; says m; says failed expression: false
validations: 0
call: 0
403 Forbidden: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: m
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: m`},
		{name: "too large", policies: policy("p", "Deny", "validations: [{expression: 'false', reason: RequestEntityTooLarge}]"), want: `p: evaluated deny; deny RequestEntityTooLarge failed expression: false; says failed expression: false
validations: 0
call: 0
413 RequestEntityTooLarge: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: false
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: false`},
		{name: "warned of", policies: policy("p", "Warn", no), want: `p: evaluated warn; deny Invalid failed expression: false; says failed expression: false; warns
validations: 0
call: 0
warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'of-p': failed expression: false`},
		{name: "audited", policies: policy("p", "Audit", no), want: `p: evaluated audit; deny Invalid failed expression: false; says failed expression: false
validations: 0
call: 0
validation.policy.admission.k8s.io/validation_failure=[{"message":"failed expression: false","policy":"p","binding":"of-p","expressionIndex":0,"validationActions":["Audit"]}]`},
		{name: "warned of and audited", policies: policy("p", "Audit, Warn", no), want: `p: evaluated warn; deny Invalid failed expression: false; says failed expression: false; warns
validations: 0
call: 0
warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'of-p': failed expression: false
validation.policy.admission.k8s.io/validation_failure=[{"message":"failed expression: false","policy":"p","binding":"of-p","expressionIndex":0,"validationActions":["Audit","Warn"]}]`},
		{name: "audited and denied", policies: policy("p", "Audit, Deny", no), want: `p: evaluated deny; deny Invalid failed expression: false; says failed expression: false
validations: 0
call: 0
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: false
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: false
validation.policy.admission.k8s.io/validation_failure=[{"message":"failed expression: false","policy":"p","binding":"of-p","expressionIndex":0,"validationActions":["Audit","Deny"]}]`},
		{name: "two audited", policies: policy("p", "Audit", no) + policy("q", "Audit", no), version: "1.37", want: `p: evaluated audit; deny Invalid failed expression: false; says failed expression: false
q: evaluated audit; deny Invalid failed expression: false; says failed expression: false
validations: 0
validations: 0
call: 0
call: 0
validation.policy.admission.k8s.io/validation_failure=[{"message":"failed expression: false","policy":"p","binding":"of-p","expressionIndex":0,"validationActions":["Audit"]},{"message":"failed expression: false","policy":"q","binding":"of-q","expressionIndex":0,"validationActions":["Audit"]}]`},
		{name: "two audited before", policies: policy("p", "Audit", no) + policy("q", "Audit", no), version: "1.36", want: `p: evaluated audit; deny Invalid failed expression: false; says failed expression: false
q: evaluated audit; deny Invalid failed expression: false; says failed expression: false
validations: 0
validations: 0
call: 0
call: 0
validation.policy.admission.k8s.io/validation_failure=[{"message":"failed expression: false","policy":"p","binding":"of-p","expressionIndex":0,"validationActions":["Audit"]}]`},
		{name: "an error", policies: policy("p", "Deny", fails), want: `p: evaluated deny; deny  expression 'object.none == 1' resulted in error: no such key: none; says expression 'object.none == 1' resulted in error: no such key: none
validations: 3
call: 3
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'object.none == 1' resulted in error: no such key: none
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'object.none == 1' resulted in error: no such key: none`},
		{name: "an error ignored", policies: policy("p", "Deny", ignore+fails), want: `p: evaluated admit; admit  expression 'object.none == 1' resulted in error: no such key: none
validations: 3
call: 3`},
		{name: "an error warned of", policies: policy("p", "Warn", fails), want: `p: evaluated warn; deny  expression 'object.none == 1' resulted in error: no such key: none; says expression 'object.none == 1' resulted in error: no such key: none; warns
validations: 3
call: 3
warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'of-p': expression 'object.none == 1' resulted in error: no such key: none`},
		{name: "the first of two", policies: policy("p", "Warn", no) + policy("q", "Deny", no) + policy("r", "Deny", no), want: `p: evaluated warn; deny Invalid failed expression: false; says failed expression: false; warns
q: evaluated deny; deny Invalid failed expression: false; says failed expression: false
r: evaluated deny; deny Invalid failed expression: false; says failed expression: false
validations: 0
validations: 0
validations: 0
call: 0
call: 0
call: 0
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'q' with binding 'of-q' denied request: failed expression: false
because ValidatingAdmissionPolicy 'q' with binding 'of-q' denied request: failed expression: false
warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'of-p': failed expression: false`},
		{name: "a condition", policies: policy("p", "Deny", "matchConditions: [{name: c, expression: 'false'}]\n"+no), want: `p: excluded 
matchConditions: 0
call: 0`},
		{name: "a condition that fails", policies: policy("p", "Deny", "matchConditions: [{name: c, expression: 'object.none == 1'}]\n"+yes), want: `p: errored deny (expression 'object.none == 1' resulted in error: no such key: none); says expression 'object.none == 1' resulted in error: no such key: none
matchConditions: 3
call: 3
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'object.none == 1' resulted in error: no such key: none
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'object.none == 1' resulted in error: no such key: none`},
		{name: "a condition that fails, ignored", policies: policy("p", "Deny", ignore+"matchConditions: [{name: c, expression: 'object.none == 1'}]\nauditAnnotations: [{key: k, valueExpression: \"'x'\"}]\n"+no), want: `p: excluded  (expression 'object.none == 1' resulted in error: no such key: none)
matchConditions: 3
call: 3`},
		{name: "a condition that fails, warned of", policies: policy("p", "Warn", "matchConditions: [{name: c, expression: 'object.none == 1'}]\nauditAnnotations: [{key: k, valueExpression: \"'x'\"}]\n"+no), want: `p: errored warn (expression 'object.none == 1' resulted in error: no such key: none); says expression 'object.none == 1' resulted in error: no such key: none; warns
matchConditions: 3
call: 3
warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'of-p': expression 'object.none == 1' resulted in error: no such key: none`},
		{name: "messages", policies: policy("p", "Deny", `validations: [{expression: 'false', messageExpression: "' a ' + object.data.a + ' '", message: other}, {expression: 'true', messageExpression: "'unused'"}, {expression: ' false ', messageExpression: "' '"}, {expression: 'false', messageExpression: "'a\\nb'", message: m}, {expression: 'false', messageExpression: "'\\na\\n'", message: m}, {expression: 'false', messageExpression: "string(object.none)", message: m}]`), want: `p: evaluated deny; deny Invalid a b [5]; admit   [0]; deny Invalid failed expression: false [0]; deny Invalid m [0]; deny Invalid a [0]; deny Invalid m [3]; says a b; says failed expression: false; says m; says a; says m
validations: 8
call: 5
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: a b
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: a b`},
		{name: "the authorizer of a message", policies: policy("p", "Deny", `variables: [{name: may, expression: "authorizer.group('').resource('pods').check('get').allowed()"}]
validations: [{expression: '!variables.may || variables.may', messageExpression: "'a ' + string(variables.may)"}, {expression: 'false', messageExpression: "'a ' + string(variables.may)", message: field}]`), want: `p: evaluated deny; admit   [4]; deny Invalid field [4]; may validations; may messages; says field
validations: 700019
call: 350004
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: field
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: field`},
		{name: "a param", policies: policy("p", "Deny", params+"matchConditions: [{name: c, expression: \"params.data.k == 'v'\"}]\nvalidations: [{expression: \"params.data.k == 'w'\", messageExpression: \"'not ' + params.data.k\"}]\nauditAnnotations: [{key: k, valueExpression: 'string(params.data.k)'}]"), cluster: there, want: `p: evaluated deny; deny Invalid not v [4]; 1 annotations; says not v
matchConditions: 4
validations: 8
auditAnnotations: 4
call: 4
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: not v
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: not v
p/k=v`},
		{name: "no param", policies: policy("p", "Warn", params+no), want: "p: errored deny (failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction)\n422 Invalid: configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction\nbecause ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
		{name: "no param, ignored", policies: policy("p", "Deny", ignore+params+no), want: "p: errored  (failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction)"},
		{name: "the namespace", policies: policy("p", "Deny", `validations: [{expression: "namespaceObject.metadata.name != 'shop'"}]`), want: `p: evaluated deny; deny Invalid failed expression: namespaceObject.metadata.name != 'shop'; says failed expression: namespaceObject.metadata.name != 'shop'
validations: 4
call: 4
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: namespaceObject.metadata.name != 'shop'
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: failed expression: namespaceObject.metadata.name != 'shop'`},
		{name: "no Namespace", policies: policy("p", "Warn", ignore+yes) + policy("q", "Warn", no), cluster: "{apiVersion: v1, kind: Namespace, metadata: {name: other}}", want: `p: errored deny (namespaces "shop" not found)
404 NotFound: namespaces "shop" not found`},
		{name: "annotations", policies: policy("p", "Deny", `auditAnnotations: [{key: a, valueExpression: "' x '"}, {key: b, valueExpression: "' '"}, {key: c, valueExpression: 'null'}, {key: d, valueExpression: "string(object.data.a)"}]`), want: `p: evaluated admit; 4 annotations
validations: 0
auditAnnotations: 4
call: 4
p/a=x
p/d=b`},
		{name: "an annotation of several bindings", policies: policy("p", "Deny", `auditAnnotations: [{key: a, valueExpression: "'x'"}]`) + strings.ReplaceAll(binds("p", "Deny", ""), "of-p", "too"), want: `p: evaluated admit; 1 annotations
p: evaluated admit; 1 annotations
validations: 0
auditAnnotations: 0
validations: 0
auditAnnotations: 0
call: 0
call: 0
p/a=x`},
		{name: "the authorizer of an annotation", policies: policy("p", "Deny", `variables: [{name: may, expression: "authorizer.group('').resource('pods').check('get').allowed()"}]
auditAnnotations: [{key: a, valueExpression: 'string(variables.may)'}]`), want: `p: evaluated deny; may auditAnnotations; 1 annotations; says expression 'string(variables.may)' resulted in error: composited variable "may" fails to evaluate: no such attribute(s): authorizer
validations: 0
auditAnnotations: 350007
call: 350004
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'string(variables.may)' resulted in error: composited variable "may" fails to evaluate: no such attribute(s): authorizer
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'string(variables.may)' resulted in error: composited variable "may" fails to evaluate: no such attribute(s): authorizer`},
		{name: "variables", policies: policy("p", "Deny", `variables: [{name: x, expression: "'x'"}, {name: z, expression: "'z'"}]
matchConditions: [{name: c, expression: 'true'}]
validations: [{expression: "variables.x == 'y'", messageExpression: 'variables.z'}]
auditAnnotations: [{key: k, valueExpression: 'variables.x'}]`), want: `p: evaluated deny; deny Invalid z [2]; x validations; z messages; x auditAnnotations; 1 annotations; says z
matchConditions: 0
validations: 5
auditAnnotations: 2
call: 3
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: z
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: z
p/k=x`},
		{name: "no failure policy", policies: policy("p", "Deny", fails), want: `p: evaluated deny; deny  expression 'object.none == 1' resulted in error: no such key: none; says expression 'object.none == 1' resulted in error: no such key: none
validations: 3
call: 3
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'object.none == 1' resulted in error: no such key: none
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: expression 'object.none == 1' resulted in error: no such key: none`},
		{name: "the authorizer", policies: policy("p", "Deny", "validations: [{expression: \"authorizer.group('').resource('pods').check('get').allowed()\", message: m}]"), want: `p: evaluated deny; deny Invalid m; says m
validations: 350004
call: 350004
422 Invalid: configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: m
because ValidatingAdmissionPolicy 'p' with binding 'of-p' denied request: m`},
		{name: "no Namespace and no param", policies: strings.ReplaceAll(policy("p", "Deny", params+no), "Action: Deny", "Action: Allow"), cluster: "{apiVersion: v1, kind: Namespace, metadata: {name: other}}", want: `p: errored deny (namespaces "shop" not found)
404 NotFound: namespaces "shop" not found`},
		{name: "another failure policy", policies: policy("p", "Deny", "failurePolicy: Other\n"+no), want: `policies:6:18: error: Unsupported value: "Other": supported values: "Fail", "Ignore" [unsupported-value]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request == "" {
				c.request = configMap
			}
			if got := shown(t, scenario.Scenario{Kubernetes: c.version, Policies: c.policies, Request: c.request, Cluster: c.cluster,
				Options: scenario.Options{CompleteCluster: strings.Contains(c.cluster, "kind: Namespace")}}); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
