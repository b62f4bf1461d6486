package expressions

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRepair gives expressions and what they are repaired to, which the server
// accepts: a repair that it does not accept is none.
func TestRepair(t *testing.T) {
	v := version.MustParse("1.37")
	environments, err := eval.NewSet().ForVersion(v)
	if err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.For(v)
	if err != nil {
		t.Fatal(err)
	}
	r := Repairer{Environments: environments, Catalog: cat}
	for _, tc := range []struct {
		place      *model.Place
		from, want string
	}{
		{model.Validation, "replicas > 1 and not (spec.paused)", "object.spec.replicas > 1 && !(object.spec.paused)"},
		{model.Validation, ".spec.replicas > 1 && has(.metadata.labels)", "object.spec.replicas > 1 && has(object.metadata.labels)"},
		{model.Validation, "let r = object.spec.replicas in r > 1 && r < 9", "object.spec.replicas > 1 && object.spec.replicas < 9"},
		{model.Validation, "n := object.spec.replicas; m := n + 1; m < 9", "(object.spec.replicas + 1) < 9"},
		{model.Validation, "const name = object.metadata.name\nname == 'a' && object.spec.name != 'b'", "object.metadata.name == 'a' && object.spec.name != 'b'"},
		{model.Validation, "let r = object.spec.replicas; (object.spec.paused ? r : 2) > 1", "(object.spec.paused ? object.spec.replicas : 2) > 1"},
		{model.Validation, "deny if object.spec.replicas > 9", "!(object.spec.replicas > 9)"},
		{model.Validation, "violation[msg] { object.spec.paused }", "!(object.spec.paused)"},
		{model.Validation, "allow if object.spec.replicas < 9", "object.spec.replicas < 9"},
		{model.Validation, "object.spec.has(replicas)", "has(object.spec.replicas)"},
		{model.Validation, "!has(object.metadata.labels['a'])", "!(has(object.metadata.labels) && 'a' in object.metadata.labels)"},
		{model.Validation, "username === 'a'", "request.userInfo.username == 'a'"},
		{model.Validation, "object.metadata.labels.app.kubernetes.io/name == 'a'", "object.metadata.labels['app.kubernetes.io/name'] == 'a'"},
		{model.Validation, "object.spec.template.spec.containers.some(c => c.name.toLowerCase() == 'a')", "object.spec.template.spec.containers.exists(c, c.name.lowerAscii() == 'a')"},
		{model.Validation, "object.spec.template.spec.containers.all(c, c.image.startsWith(['a/', 'b/']))", "object.spec.template.spec.containers.all(c, ['a/', 'b/'].exists(x, c.image.startsWith(x)))"},
		{model.Validation, "forall c in object.spec.template.spec.containers: has(c.resources)", "object.spec.template.spec.containers.all(c, has(c.resources))"},
		{model.Validation, "typeof(object.spec.replicas) == 'int'", "type(object.spec.replicas) == int"},
		{model.Validation, "regex.match('^web-', object.metadata.name)", "object.metadata.name.matches('^web-')"},
		{model.Validation, "strings.HasPrefix(object.metadata.name, 'web')", "object.metadata.name.startsWith('web')"},
		{model.Validation, "object.metadata.name like 'web%'", "object.metadata.name.startsWith('web')"},
		{model.Validation, "object.metadata.name contains 'web'", "object.metadata.name.contains('web')"},
		{model.Validation, "object.spec.template.spec.containers.forEach(c, has(c.resources))", "object.spec.template.spec.containers.all(c, has(c.resources))"},
		{model.Validation, "object.spec.template.spec.containers.filter(c, !has(c.resources)) == 0", "object.spec.template.spec.containers.filter(c, !has(c.resources)).size() == 0"},
		{model.Validation, "object.spec.?replicas.orElse(1) < 5", "object.spec.?replicas.orValue(1) < 5"},
		{model.Validation, "deploy.spec.replicas < 5", "object.spec.replicas < 5"},
		{model.Validation, "previous == null || previous.spec.replicas < 5", "oldObject == null || oldObject.spec.replicas < 5"},
		{model.Validation, "ctx.userInfo.username == 'a'", "request.userInfo.username == 'a'"},
		{model.Validation, "object.spec.strategy.type != ('a' || 'b')", "!(object.spec.strategy.type in ['a', 'b'])"},
		{model.Validation, "object.spec.template.spec.containers + object.spec.template.spec.initContainers.all(c, c.name != 'a')", "(object.spec.template.spec.containers + object.spec.template.spec.?initContainers.orValue([])).all(c, c.name != 'a')"},
		{model.Validation, "$.spec.replicas < 5", "object.spec.replicas < 5"},
		{model.Validation, "base64.decode(object.metadata.annotations['a']) == b'abc'", "object.metadata.annotations['a'] == 'YWJj'"},
		{model.Validation, "string(base64.decode(object.metadata.name)) != 'abc'", "object.metadata.name != 'YWJj'"},
		{model.Validation, "object.metadata.name == base64.encode(b'abc')", "object.metadata.name == 'YWJj'"},
		{model.Validation, "object.spec.template.spec.containers.all(c, image(c.image).registry() == 'ghcr.io')", "object.spec.template.spec.containers.all(c, c.image.startsWith('ghcr.io/'))"},
		{model.Validation, "object.spec.template.spec.containers.all(c, image(c.image).tag() != 'v1')", "object.spec.template.spec.containers.all(c, !c.image.endsWith(':v1'))"},
		{model.Validation, "object.spec.template.spec.containers.all(c, image(c.image).containsDigest())", "object.spec.template.spec.containers.all(c, c.image.contains('@'))"},
		{model.Validation, "object.spec.replicas ** 2 < 9", "object.spec.replicas * object.spec.replicas < 9"},
		{model.Validation, "object.metadata.name == 'a' | has(object.metadata.labels)", "object.metadata.name == 'a' || has(object.metadata.labels)"},
		{model.Validation, "request.namespace.metadata.labels.env == 'prod'", "namespaceObject.metadata.labels.env == 'prod'"},
		{model.Validation, "namespaceObject.labels.env == 'prod'", "namespaceObject.metadata.labels.env == 'prod'"},
		{model.Validation, "'system:masters' == request.userInfo.groups", "'system:masters' in request.userInfo.groups"},
		{model.Validation, "request.userInfo.groups != 'system:masters'", "!('system:masters' in request.userInfo.groups)"},
		{model.Validation, "request.operation in 'CREATE'", "request.operation == 'CREATE'"},
		{model.Validation, "request.operation in 'CREATE,UPDATE'", "request.operation in ['CREATE', 'UPDATE']"},
		{model.Validation, "request.kind == 'Deployment'", "request.kind.kind == 'Deployment'"},
		{model.Validation, "request.resource == 'deployments'", "request.resource.resource == 'deployments'"},
		{model.Validation, "object.spec.template.spec.containers.all(c, c.resources.limits.memory <= 1Gi)", "object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).compareTo(quantity('1Gi')) <= 0)"},
		{model.Validation, "sum(object.spec.template.spec.containers.map(c, 1)) < 3", "object.spec.template.spec.containers.map(c, 1).sum() < 3"},
		{model.Validation, "max([1, 2]) < 3", "[1, 2].max() < 3"},
		{model.Validation, "!object.metadata.name in ['a', 'b']", "!(object.metadata.name in ['a', 'b'])"},
		{model.Validation, "object.spec.paused && ip(object.metadata.name)", "object.spec.paused && isIP(object.metadata.name)"},
		{model.Validation, "cidr('10.0.0.0/8').contains(object.metadata.name)", "cidr('10.0.0.0/8').containsIP(object.metadata.name)"},
		{model.Validation, "has(!object.spec.replicas)", "!has(object.spec.replicas)"},
		{model.Validation, "has(object.spec.replicas == 5)", "has(object.spec.replicas) && object.spec.replicas == 5"},
		{model.Validation, "has(object.spec.replicas && object.spec.paused)", "has(object.spec.replicas) && has(object.spec.paused)"},
		{model.Validation, "object.metadata.name[0:3] == 'web'", "object.metadata.name.substring(0, 3) == 'web'"},
		{model.Validation, "object.metadata.name[4:] == 'web'", "object.metadata.name.substring(4) == 'web'"},
		{model.Validation, "','.join(['a', 'b']) == 'a,b'", "['a', 'b'].join(',') == 'a,b'"},
		{model.Validation, "object.metadata.name.containsAny(['a', 'b'])", "['a', 'b'].exists(x, object.metadata.name.contains(x))"},
		{model.Validation, "object.metadata.finalizers.containsAll(['a'])", "['a'].all(x, x in object.metadata.finalizers)"},
		{model.Validation, "authorizer.check('get', 'pods').allowed()", "authorizer.group('').resource('pods').check('get').allowed()"},
		{model.Validation, "authorizer.group('apps').resource('deployments').check('create') == true", "authorizer.group('apps').resource('deployments').check('create').allowed()"},
		{model.Validation, "authorizer.requestResource.check('create')", "authorizer.requestResource.check('create').allowed()"},
		{model.Validation, "object.metadata.annotations.'example.com/owner' == 'x'", "object.metadata.annotations['example.com/owner'] == 'x'"},
		{model.Validation, "has(object.spec.replicas) ^ has(object.spec.paused)", "has(object.spec.replicas) != has(object.spec.paused)"},
		{model.MessageExpression, "too many replicas.", "'too many replicas.'"},
		{model.Validation, "ip(object.metadata.name)", "isIP(object.metadata.name)"},
		{model.Validation, "object.spec.paused implies object.spec.replicas == 0", "!(object.spec.paused) || object.spec.replicas == 0"},
		{model.Validation, "object.spec.replicas in {1, 2}", "object.spec.replicas in [1, 2]"},
		{model.Validation, "object.metadata.labels.containsKey('a')", "'a' in object.metadata.labels"},
		{model.Validation, "object.spec.progressDeadlineSeconds <= 5m", "object.spec.progressDeadlineSeconds <= 300"},
		{model.Validation, "object.spec.replicas =< 5", "object.spec.replicas <= 5"},
		{model.Validation, "object.metadata.name !~ '^web'", "!object.metadata.name.matches('^web')"},
		{model.Validation, "has(object.spec.paused), has(object.spec.replicas)", "has(object.spec.paused) && has(object.spec.replicas)"},
		{model.Validation, "object.spec.template.spec.containers.0.name == 'a'", "object.spec.template.spec.containers[0].name == 'a'"},
		{model.Validation, "object.spec.template.spec.containers.*.image != 'a'", "object.spec.template.spec.containers.all(c, c.image != 'a')"},
		{model.Validation, "has(object.spec.paused) xor has(object.spec.replicas)", "has(object.spec.paused) != has(object.spec.replicas)"},
		{model.Validation, "some c in object.spec.template.spec.containers; c.name == 'a'", "object.spec.template.spec.containers.exists(c, c.name == 'a')"},
		{model.Validation, "request.userInfo.groups in ['a', 'b']", "request.userInfo.groups.exists(x, x in ['a', 'b'])"},
		{model.Validation, "'1Gi'.isLessThan('2Gi')", "quantity('1Gi').isLessThan(quantity('2Gi'))"},
		{model.MessageExpression, "'images ' + object.spec.template.spec.containers.map(c, c.image)", "'images ' + object.spec.template.spec.containers.map(c, c.image).join(', ')"},
		{model.Validation, "{{object.metadata.name}} != 'a' && {{request.object.spec.paused}}", "object.metadata.name != 'a' && object.spec.paused"},
		{model.Validation, "cel.bind(n, object.spec.replicas, n >= 2 && n <= 5)", "object.spec.replicas >= 2 && object.spec.replicas <= 5"},
		{model.Validation, "object.spec.paused || cel.bind(n, object.spec.replicas + 1, n < 5)", "object.spec.paused || ((object.spec.replicas + 1) < 5)"},
		{model.Validation, "math.greatest(object.spec.replicas, 2) <= 5", "[dyn(object.spec.replicas), dyn(2)].max() <= 5"},
		{model.Validation, "request.userInfo.groups.exists(g, g == system:kube-nodes)", "request.userInfo.groups.exists(g, g == 'system:kube-nodes')"},
		{model.Validation, "object.spec.paused ? true : system:nodes in request.userInfo.groups", "object.spec.paused ? true : 'system:nodes' in request.userInfo.groups"},
		{model.Validation, "object.metadata.name not startsWith 'tmp-'", "!object.metadata.name.startsWith('tmp-')"},
		{model.Validation, "object.metadata.name not includes ('tmp')", "!object.metadata.name.contains('tmp')"},
		{model.Validation, "string(object.metadata.name).getScheme() == 'https'", "url(string(object.metadata.name)).getScheme() == 'https'"},
		{model.Validation, "authorizer.group('apps').resource('deployments').subResource('scale').check('update').allowed()", "authorizer.group('apps').resource('deployments').subresource('scale').check('update').allowed()"},
		{model.Validation, "authorizer.serviceAccount('builder').group('').resource('secrets').check('get').allowed()", "authorizer.serviceAccount(request.namespace, 'builder').group('').resource('secrets').check('get').allowed()"},
		{model.JSONPatch, "[JSONPatch{op: 'remove', path: '/spec/paused'}] + JSONPatch{op: 'remove', path: '/spec/replicas'}", "[JSONPatch{op: 'remove', path: '/spec/paused'}] + [JSONPatch{op: 'remove', path: '/spec/replicas'}]"},
		{model.Validation, "{'a': 1}.all(k, k > 0)", "{'a': 1}.all(k, {'a': 1}[k] > 0)"},
		{model.Validation, "a + b", ""},
		{model.Validation, "a and objekt.spec.paused", "a && object.spec.paused"}, // a is still not declared
		{model.MatchCondition, "!authorizer.group('').resource('pods').check('get').denied()", "authorizer.group('').resource('pods').check('get').allowed()"},
		{model.JSONPatch, "JSONPatch{op: 'remove', path: '/spec/paused'}", "[JSONPatch{op: 'remove', path: '/spec/paused'}]"},
		{model.ApplyConfiguration, "Object{spec: Object.spec{replicas = 2}}", "Object{spec: Object.spec{replicas: 2}}"},
	} {
		t.Run(tc.from, func(t *testing.T) {
			d := &scenario.Document{Value: map[string]any{"spec": map[string]any{"matchConstraints": map[string]any{"resourceRules": []any{
				map[string]any{"apiGroups": []any{"apps"}, "apiVersions": []any{"v1"}, "resources": []any{"deployments"}}}}}}}
			e := model.Expression{Text: tc.from, Place: tc.place, Scope: tc.place.Scope(false), Webhook: -1}
			if got, _ := r.context(d, e).repair(tc.from); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
