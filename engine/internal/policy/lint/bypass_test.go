package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// rules are what the policies of TestBypasses match, by a short name.
var rules = map[string]string{
	"pods":         "{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods, pods/ephemeralcontainers]}",
	"only pods":    "{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}",
	"workloads":    "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}",
	"two kinds":    "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, statefulsets]}",
	"scaled":       "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, deployments/scale]}",
	"rules":        "{apiGroups: [networking.k8s.io], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [networkpolicies]}",
	"renewals":     "{apiGroups: [''], apiVersions: [v1], operations: [UPDATE], resources: [namespaces]}",
	"creations":    "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [services]}",
	"services":     "{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [services]}",
	"roles":        "{apiGroups: [rbac.authorization.k8s.io], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [clusterrolebindings]}",
	"scalers":      "{apiGroups: [autoscaling], apiVersions: [v2], operations: [CREATE, UPDATE], resources: [horizontalpodautoscalers]}",
	"ingresses":    "{apiGroups: [networking.k8s.io], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [ingresses]}",
	"new pods":     "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}",
	"deleted pods": "{apiGroups: [''], apiVersions: [v1], operations: [DELETE], resources: [pods]}",
	"evicted pods": "{apiGroups: [''], apiVersions: [v1], operations: [DELETE], resources: [pods]}, {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods/eviction]}",
	"new claims":   "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [persistentvolumeclaims]}",
}

const (
	all      = "(object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([]))"
	hostPath = "!object.spec.?volumes.orValue([]).exists(v, has(v.hostPath))"
)

// TestBypasses finds how a request gets around a policy, and nothing where that is not sure.
func TestBypasses(t *testing.T) {
	for _, c := range []struct{ rule, condition, validation, message, want string }{
		// Prefixes and patterns.
		{"pods", "", all + ".all(c, ['ghcr.io/acme', 'r.example/'].exists(r, c.image.startsWith(r)))", "", "doubtful-text"},
		{"pods", "", all + ".map(c, c.image).filter(i, !i.startsWith('quay.io/acme')).size() == 0", "", "doubtful-text"},
		{"pods", "", all + ".all(c, c.image.startsWith('ghcr.io/acme/') || c.image.startsWith('ghcr.io/acme/app') || c.image.startsWith('r.example/a'))", "", ""},
		{"pods", "", all + ".all(c, !c.image.startsWith('ghcr.io/acme') && !c.image.startsWith('docker.io'))", "", ""},
		{"pods", "", all + ".all(c, c.image.matches('^(r.example.com|quay.io/a)/'))", "", "doubtful-text"},
		{"pods", "", all + ".all(c, c.image.matches('^r[.]example[.]com/[a-z.-]+:v1.2') && !c.image.matches('^evil.example.com/'))", "", ""},
		{"pods", "", "object.metadata.name.matches('^[a-z][a-z0-9-]*')", "", "doubtful-text"},
		{"pods", "", "object.metadata.name.matches('^[a-z][a-z0-9-]*$') && !object.metadata.name.matches('^x.*')", "", ""},
		// Tags.
		{"pods", "", all + ".all(c, !c.image.endsWith(':latest'))", "", "doubtful-text"},
		{"pods", "", "!" + all + ".exists(c, c.image.endsWith(':latest') || !c.image.contains(':'))", "", ""},
		{"pods", "", all + ".all(c, !c.image.endsWith(':latest') && c.image.matches('[:@][^/]+$'))", "", ""},
		{"pods", "", all + ".all(c, c.image.endsWith(':latest'))", "", ""},
		// Names of users.
		{"roles", "!('system:authenticated' in request.userInfo.groups)", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "", "'system:authenticated' in request.userInfo.groups || object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "", "'system:authenticated' in request.userInfo.groups", "", ""},
		{"roles", "!('system:masters' in request.userInfo.groups)", "object.roleRef.name != 'x'", "", ""},
		{"roles", "!request.userInfo.username.contains('admin')", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "!request.userInfo.groups.exists(g, g.startsWith('ops'))", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "!request.userInfo.username.startsWith('system:serviceaccount:ops')", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "!request.userInfo.username.startsWith('system:')", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "!request.userInfo.username.startsWith('system:serviceaccount:')", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "!('system:serviceaccounts' in request.userInfo.groups)", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "!request.userInfo.username.startsWith('system:serviceaccount:')", "object.roleRef.name != 'x'", "People may not bind x.", ""},
		{"roles", "!request.userInfo.username.startsWith('system:') || object.metadata.name != 'y'", "object.roleRef.name != 'x'", "", ""},
		{"roles", "!(request.userInfo.username.startsWith('system:') || object.metadata.name == 'y')", "object.roleRef.name != 'x'", "", "doubtful-text"},
		{"roles", "", "object.roleRef.name != 'x' || 'system:authenticated' in request.userInfo.groups && object.metadata.name == 'y'", "", ""},
		{"roles", "!request.userInfo.username.startsWith('system:node:') && !request.userInfo.username.endsWith('@example.com') && !request.userInfo.username.startsWith('oidc:ops-')", "object.roleRef.name != 'x'", "", ""},
		{"roles", "request.userInfo.username.startsWith('dev-')", "object.roleRef.name != 'x'", "", ""},
		// Capabilities.
		{"pods", "", all + ".all(c, !('CAP_BPF' in c.?securityContext.?capabilities.?add.orValue([])))", "", "never-equal"},
		{"pods", "", all + ".all(c, !c.?securityContext.?capabilities.?add.orValue([]).exists(x, x in ['CAP_BPF', 'BPF']))", "", ""},
		// Letter case, units and defaults.
		{"pods", "", all + ".all(c, c.?env.orValue([]).all(e, !e.name.contains('password') || has(e.valueFrom)))", "", "doubtful-text"},
		{"pods", "", all + ".all(c, c.?env.orValue([]).all(e, !e.name.lowerAscii().contains('password')))", "", ""},
		{"pods", "", all + ".all(c, c.?env.orValue([]).all(e, !e.name.contains('password') && !e.name.contains('PASSWORD')))", "", ""},
		{"pods", "", all + ".all(c, c.?env.orValue([]).all(e, e.name.contains('token')))", "", ""},
		{"pods", "", all + ".all(c, quantity(c.resources.limits['memory']).isLessThan(quantity('512m')))", "", "doubtful-text"},
		{"pods", "", all + ".all(c, quantity(c.resources.limits['cpu']).isLessThan(quantity('512m')))", "", ""},
		{"pods", "", all + ".all(c, c.?securityContext.?allowPrivilegeEscalation.orValue(false) == false)", "", "unsafe-default"},
		{"pods", "", all + ".all(c, c.?securityContext.?allowPrivilegeEscalation.orValue(true) == false)", "", ""},
		{"pods", "", all + ".all(c, !has(c.securityContext) || !has(c.securityContext.readOnlyRootFilesystem) || c.securityContext.readOnlyRootFilesystem)", "", "unsafe-default"},
		{"pods", "", all + ".all(c, has(c.securityContext) && has(c.securityContext.readOnlyRootFilesystem) && c.securityContext.readOnlyRootFilesystem)", "", ""},
		{"pods", "", all + ".all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || !c.securityContext.privileged)", "", ""},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, !has(r.ports) || r.ports.all(p, has(p.port) && p.port != 22))", "", "unsafe-default"},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, has(r.ports) ? r.ports.all(p, has(p.port) && p.port != 22) : true)", "", "unsafe-default"},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, r.?from.orValue([]).all(f, !has(f.ipBlock)))", "", "unsafe-default"},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, has(r.ports) && r.ports.all(p, has(p.port) && p.port != 22))", "", ""},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, size(r.?from.orValue([])) > 0 && r.from.all(f, !has(f.ipBlock)))", "", ""},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, !has(r.ports))", "", ""},
		{"rules", "", "object.spec.?ingress.orValue([]).all(r, !has(r.ports) || r.ports.all(p, has(p.port) && p.port != 22))", "if set, ports must not have 22", ""},
		{"pods", "", all + ".all(c, quantity(c.resources.limits['cpu']).isLessThan(quantity('4000')))", "cpu must be below 4000m", "message-contradicts"},
		{"ingresses", "", "'a,b'.contains(object.spec.?ingressClassName.orValue('a'))", "", "doubtful-text"},
		{"ingresses", "", "object.spec.?ingressClassName.orValue('a').contains('b')", "", ""},
		// Two items of one list.
		{"pods", "", "object.spec.containers.all(a, object.spec.containers.all(b, a == b || a.name != b.name))", "", ""},
		{"pods", "", "!object.spec.containers.exists(a, object.spec.containers.exists(b, a.name != b.name && a.image == b.image))", "", ""},
		// Labels that are removed first.
		{"renewals", "'tenant' in oldObject.metadata.?labels.orValue({})", "object.metadata.?annotations == oldObject.metadata.?annotations", "", "label-removable"},
		{"renewals", "'tenant' in oldObject.metadata.?labels.orValue({})", "object.metadata.?labels['tenant'] == oldObject.metadata.?labels['tenant']", "", ""},
		{"renewals", "", "!oldObject.metadata.?labels['tenant'].hasValue() || !object.metadata.?labels['tenant'].hasValue() || object.metadata.labels['tenant'] == oldObject.metadata.labels['tenant']", "", "label-removable"},
		{"renewals", "", "!oldObject.metadata.?labels['tenant'].hasValue() ? !object.metadata.?labels['tenant'].hasValue() : !object.metadata.?labels['tenant'].hasValue() || object.metadata.labels['tenant'] == oldObject.metadata.labels['tenant']", "", ""},
		// Names, labels and annotations.
		{"pods", "!object.metadata.?name.orValue('').startsWith('exporter-')", hostPath, "", "author-can-skip"},
		{"pods", "object.metadata.?name.orValue('') != 'exporter'", hostPath, "", ""},
		{"pods", "request.namespace != 'ops' || !object.metadata.?name.orValue('').startsWith('exporter-')", hostPath, "", ""},
		{"pods", "!('skip' in object.metadata.?labels.orValue({}))", hostPath, "", "author-can-skip"},
		{"pods", "", "object.metadata.?annotations['exempt'].orValue('') == 'yes' || " + hostPath, "", "author-can-skip"},
		{"pods", "!('skip' in object.metadata.?labels.orValue({})) || request.userInfo.username == 'root'", hostPath, "", ""},
		{"pods", "!('skip' in namespaceObject.metadata.?labels.orValue({}))", hostPath, "", ""},
		{"pods", "!('skip' in object.metadata.?labels.orValue({}))", "object.metadata.name != 'x'", "", ""},
		// Requests that are not matched.
		{"only pods", "", all + ".all(c, !c.?securityContext.?privileged.orValue(false))", "", "ephemeral-left-out"},
		{"workloads", "", "!object.spec.template.spec.?hostNetwork.orValue(false)", "", "workloads-left-out"},
		{"scaled", "", "object.spec.replicas < 9", "", ""},
		{"workloads", "", "object.spec.replicas < 9", "", ""},
		{"two kinds", "", "object.spec.replicas < 9", "", "scale-left-out"},
		{"two kinds", "", "object.spec.replicas < 9 || request.operation == 'UPDATE' && object.spec.replicas <= oldObject.spec.replicas", "", "scale-left-out"},
		{"two kinds", "", "object.spec.replicas < 9 || has(object.metadata.labels)", "", ""},
		{"deleted pods", "", "oldObject.metadata.name != 'x'", "", "eviction-left-out"},
		{"evicted pods", "", "request.name != 'x'", "", ""},
		{"only pods", "", "request.subResource != 'ephemeralcontainers' || 'sre' in request.userInfo.groups", "", "validation-never-false"},
		{"creations", "", "object.spec.type != 'NodePort'", "", "update-left-out"},
		{"creations", "", "'owner' in object.metadata.?labels.orValue({})", "", ""},
		{"creations", "", "object.spec.type != 'NodePort'", "NodePort cannot be created", ""},
		{"creations", "", "object.spec.clusterIP != 'None'", "", ""},
		{"creations", "", "object.spec.type != 'NodePort' || request.userInfo.username == 'root'", "", ""},
		{"new pods", "", "object.metadata.name != 'x' && has(object.metadata.labels)", "", ""},
		{"new claims", "", "has(object.spec.storageClassName)", "", ""},
		// Fields that containers override.
		{"pods", "", "object.spec.?securityContext.?runAsNonRoot.orValue(false) == true", "", "pod-level-only"},
		{"pods", "", "object.spec.?securityContext.?runAsNonRoot.orValue(false) == true && " + all + ".all(c, c.?securityContext.?runAsNonRoot.orValue(true) == true)", "", ""},
		{"pods", "", "object.spec.?securityContext.?fsGroup.orValue(1) != 0", "", ""},
		// Messages.
		{"pods", "", all + ".exists(c, c.image.startsWith('r.example/'))", "images must come from r.example", "message-contradicts"},
		{"workloads", "", "['app', 'team'].exists(k, k in object.metadata.?labels.orValue({}))", "labels app and team are required", "message-contradicts"},
		{"workloads", "", "['app', 'team'].exists(k, k in object.metadata.?labels.orValue({}))", "one of the labels app and team is required", ""},
		{"workloads", "", "['app', 'team'].exists(k, k in object.metadata.?labels.orValue({}))", "label app or team is required", ""},
		{"workloads", "", "['app', 'team'].all(k, k in object.metadata.?labels.orValue({}))", "labels app and team are required", ""},
		{"scalers", "", "object.spec.?minReplicas.orValue(1) < object.spec.maxReplicas", "minReplicas must not exceed maxReplicas", "message-contradicts"},
		{"scalers", "", "object.spec.?minReplicas.orValue(1) <= object.spec.maxReplicas", "minReplicas must not exceed maxReplicas", ""},
		{"scalers", "", "object.spec.?minReplicas.orValue(1) < object.spec.maxReplicas", "minReplicas must be less than maxReplicas", ""},
		{"workloads", "", "object.spec.replicas > 2 && object.spec.replicas < 10", "replicas must be between 2 and 10", "message-contradicts"},
		{"services", "", "object.spec.type == 'ClusterIP' || object.spec.type == 'NodePort' && has(object.metadata.labels)", "ClusterIP or NodePort, and in both cases with labels", "message-contradicts"},
		{"services", "", "object.spec.type == 'ClusterIP' || (object.spec.type == 'NodePort' && has(object.metadata.labels))", "ClusterIP or NodePort, and in both cases with labels", ""},
		{"services", "", "(object.spec.type == 'ClusterIP' || object.spec.type == 'NodePort') && has(object.metadata.labels)", "ClusterIP or NodePort, and in both cases with labels", ""},
		{"pods", "", all + ".exists_one(c, c.name == 'x')", "at least one container must be x", "message-contradicts"},
		{"pods", "", all + ".exists_one(c, c.name == 'x')", "one container must be x", ""},
		{"services", "", "has(object.spec.externalName) || has(object.spec.clusterIP)", "exactly one of externalName and clusterIP", "message-contradicts"},
		{"services", "", "has(object.spec.externalName) || has(object.spec.clusterIP)", "externalName or clusterIP is required", ""},
		{"services", "", "!has(object.spec.loadBalancerIP) || isCIDR(object.spec.loadBalancerIP)", "", "wrong-operand-type"},
		{"services", "", "!has(object.spec.loadBalancerIP) || isIP(object.spec.loadBalancerIP)", "", ""},
		{"pods", "", "!" + all + ".all(c, c.?securityContext.privileged.orValue(false))", "privileged containers are not allowed", "message-contradicts"},
		{"pods", "", "!" + all + ".all(c, c.?securityContext.privileged.orValue(false))", "not all containers may be privileged", ""},
		{"workloads", "", "object.spec.replicas >= 2 && object.spec.replicas <= 100", "replicas must be between 2 and 10", "message-contradicts"},
		{"scaled", "", "object.spec.replicas > 1 && object.spec.replicas < 11", "replicas must be between 2 and 10", ""},
		{"scaled", "", "object.spec.replicas > 2 && object.spec.replicas < 10", "replicas must be between 2 and 10, exclusive", ""},
		{"scaled", "", "object.spec.replicas > 2 && object.spec.replicas < 10", "the number of Pods must be between 2 and 10", ""},
		{"ingresses", "", "object.spec.?rules.orValue([]).all(r, r.?host.orValue('').endsWith('example.com'))", "", "doubtful-text"},
		{"ingresses", "", "object.spec.?rules.orValue([]).all(r, r.?host.orValue('').endsWith('.example.com'))", "", ""},
		{"ingresses", "", "object.spec.?rules.orValue([]).all(r, !r.?host.orValue('').endsWith('example.com'))", "", ""},
		{"pods", "", all + ".exists(c, c.image.startsWith('r.example/proxy'))", "an image of the proxy is missing", ""},
	} {
		policy := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [" + rules[c.rule] + "]}\n"
		if c.condition != "" {
			policy += "  matchConditions: [{name: c, expression: " + scenario.Quoted(c.condition) + "}]\n"
		}
		policy += "  validations: [{expression: " + scenario.Quoted(c.validation) + ", message: " + scenario.Quoted(c.message+" .") + "}]\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n"
		if got := reported(t, policy); got != c.want {
			t.Errorf("%s %s %s: found %q, want %q", c.rule, c.condition, c.validation, got, c.want)
		}
	}
}

// TestOverwrites finds mutations that replace what the author wrote.
func TestOverwrites(t *testing.T) {
	const pods, deployments = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}", "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}"
	for _, c := range []struct{ rule, kind, expression, want string }{
		{pods, "jsonPatch", "[JSONPatch{op: 'add', path: '/spec/nodeSelector', value: {'a': 'b'}}]", "overwrites"},
		{pods, "jsonPatch", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]", "overwrites"},
		{pods, "jsonPatch", "has(object.spec.nodeSelector) ? [] : [JSONPatch{op: 'add', path: '/spec/nodeSelector', value: {'a': 'b'}}]", ""},
		{pods, "jsonPatch", "has(object.spec.tolerations) ? [JSONPatch{op: 'replace', path: '/spec/tolerations', value: [Object.spec.tolerations{key: 'a'}]}] : []", "overwrites"},
		{pods, "jsonPatch", "[JSONPatch{op: 'replace', path: '/spec/tolerations', value: object.spec.tolerations + [Object.spec.tolerations{key: 'a'}]}]", ""},
		{pods, "jsonPatch", "[JSONPatch{op: 'add', path: '/spec/automountServiceAccountToken', value: false}, JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]", ""},
		{deployments, "applyConfiguration", "Object{spec: Object.spec{replicas: 3}}", "overwrites"},
		{deployments, "applyConfiguration", "Object{spec: Object.spec{replicas: object.spec.replicas < 3 ? 3 : object.spec.replicas}}", ""},
		{deployments, "applyConfiguration", "Object{spec: Object.spec{revisionHistoryLimit: 3}}", "overwrites"},
		{deployments, "applyConfiguration", "object.spec.revisionHistoryLimit != 10 ? Object{} : Object{spec: Object.spec{revisionHistoryLimit: 3}}", ""},
		{deployments, "applyConfiguration", "Object{spec: Object.spec{paused: true, template: Object.spec.template{spec: Object.spec.template.spec{securityContext: Object.spec.template.spec.securityContext{runAsUser: 3}}}}}", ""},
	} {
		policy := "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  reinvocationPolicy: Never\n  matchConstraints: {resourceRules: [" + c.rule + "]}\n" +
			"  mutations: [{patchType: " + strings.ToUpper(c.kind[:1]) + c.kind[1:] + ", " + c.kind + ": {expression: " + scenario.Quoted(c.expression) + "}}]\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p}\n"
		policy = strings.Replace(policy, "JsonPatch", "JSONPatch", 1)
		if got := reported(t, policy); got != c.want {
			t.Errorf("%s: found %q, want %q", c.expression, got, c.want)
		}
	}
}

// TestBindings finds bindings with which a policy does less than it says.
func TestBindings(t *testing.T) {
	for _, c := range []struct{ validation, message, binding, want string }{
		{all + ".all(c, c.image.startsWith(params.data.registry + '/'))", "wrong", "validationActions: [Deny], paramRef: {name: a, namespace: b, parameterNotFoundAction: Allow}", "ignored-failures"},
		{all + ".all(c, c.image.startsWith(params.data.registry + '/'))", "wrong", "validationActions: [Deny], paramRef: {name: a, namespace: b, parameterNotFoundAction: Deny}", ""},
		{all + ".all(c, c.image.startsWith(params.data.registry + '/'))", "wrong", "validationActions: [Deny], paramRef: {selector: {}, namespace: b, parameterNotFoundAction: Allow}", ""},
		{all + ".all(c, c.image.startsWith(params.data.registry + '/'))", "the request is denied", "validationActions: [Warn], paramRef: {name: a, namespace: b, parameterNotFoundAction: Allow}", "message-contradicts"},
		{all + ".all(c, c.image.startsWith(params.data.registry + '/'))", "not allowed", "validationActions: [Audit], paramRef: {name: a, namespace: b, parameterNotFoundAction: Allow}", ""},
	} {
		policy := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints: {resourceRules: [" + rules["pods"] + "]}\n" +
			"  validations: [{expression: " + scenario.Quoted(c.validation) + ", message: " + c.message + "}]\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, " + c.binding + "}\n"
		if got := reported(t, policy); got != c.want {
			t.Errorf("%s %s: found %q, want %q", c.message, c.binding, got, c.want)
		}
	}
}

// TestDefinitions finds rules of custom resources that other values pass.
func TestDefinitions(t *testing.T) {
	for _, c := range []struct{ required, field, rule, want string }{
		{"", "", "self == oldSelf", "rule-without-value"},
		{"required: [class], ", "", "self == oldSelf", ""},
		{"", "default: a, ", "self == oldSelf", ""},
		{"x-kubernetes-validations: [{rule: '!has(oldSelf.class) || has(self.class)'}], ", "", "self == oldSelf", ""},
		{"required: [class], ", "maxLength: 9, ", "self.matches('[a-z][a-z0-9-]*')", "doubtful-text"},
		{"required: [class], ", "maxLength: 9, ", "self.matches('^[a-z][a-z0-9-]*$')", ""},
	} {
		definition := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n" +
			"  names: {plural: widgets, singular: widget, kind: Widget}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n" +
			"    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, " + c.required + "properties: {class: {type: string, " + c.field + "x-kubernetes-validations: [{rule: " + scenario.Quoted(c.rule) + "}]}}}}}}\n"
		if got := reported(t, definition); got != c.want {
			t.Errorf("%s%s%s: found %q, want %q", c.required, c.field, c.rule, got, c.want)
		}
	}
}

// reported are the codes of all problems of policies, but not the server's type checks and advice on messages.
func reported(t *testing.T, policies string) string {
	t.Helper()
	configuration, problems := engine.Compile(scenario.Scenario{Policies: policies})
	if configuration == nil {
		t.Fatal(problems)
	}
	var out []string
	for _, p := range problems {
		if !slices.Contains([]string{"type-checking", "useless-message"}, p.Code) {
			out = append(out, p.Code)
		}
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(out))), ",")
}

// TestTwoPolicies finds validations of two policies that are never true together.
func TestTwoPolicies(t *testing.T) {
	const silver, selector = "object.spec.?priorityClassName.orValue('') == 'silver'", "namespaceSelector: {matchLabels: {a: b}}, "
	const gold, always = "object.spec.?priorityClassName.orValue('') == 'gold'", "object.spec.containers.all(c, c.imagePullPolicy == 'Always')"
	for _, c := range []struct{ selector, validation, otherSelector, conditions, other, want string }{
		{"", gold, "", "", silver, "validation-never-true"},
		{"", gold, "", "", silver + " || object.spec.?priorityClassName.orValue('') == 'gold'", ""},
		{"", gold, "", "", "object.metadata.name != 'gold'", ""},
		{"", gold, "", "matchConditions: [{name: c, expression: \"request.userInfo.username != 'a'\"}], ", silver, ""},
		{selector, gold, "", "", silver, ""},
		{selector, gold, selector, "", silver, "validation-never-true"},
		{"", always, "", "", "object.spec.containers.all(c, c.imagePullPolicy == 'Never')", "validation-never-true"},
		{"", always, "", "", "object.spec.?initContainers.orValue([]).all(c, c.imagePullPolicy == 'Never')", ""},
		{"", always, "", "", "object.spec.containers.exists(c, c.imagePullPolicy == 'Always')", ""},
	} {
		policies := ""
		for i, s := range []struct{ selector, conditions, validation string }{{c.selector, "", c.validation}, {c.otherSelector, c.conditions, c.other}} {
			name := string(rune('a' + i))
			policies += "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: " + name + "}\nspec: {" + s.conditions + "matchConstraints: {" + s.selector + "resourceRules: [" + rules["pods"] + "]}, " +
				"validations: [{expression: " + scenario.Quoted(s.validation) + "}]}\n---\n" +
				"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: " + name + "}\nspec: {policyName: " + name + ", validationActions: [Deny]}\n"
		}
		if got := reported(t, policies); got != c.want {
			t.Errorf("%+v: found %q", c, got)
		}
	}
}

// TestSubresource gives the validation of a subresource that no rule matches the fix to match it.
func TestSubresource(t *testing.T) {
	for rule, want := range map[string]string{"pods": "Match pods/ephemeralcontainers, too", "pods, pods/ephemeralcontainers": ""} {
		_, problems := engine.Compile(scenario.Scenario{Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [" + rule + "]}]}\n" +
			"  validations: [{expression: \"request.?subResource.orValue('') != 'ephemeralcontainers' || 'sre' in request.userInfo.groups\"}]\n"})
		got := ""
		for _, p := range problems {
			for _, fix := range p.Fixes {
				if p.Code == "validation-never-false" {
					got += fix.Title
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}
