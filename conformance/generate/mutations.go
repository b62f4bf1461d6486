package generate

import (
	"fmt"
	"strings"
)

func (g *gen) mutations() []any {
	var out []any
	for range pick(g, 1, 1, 1, 2, 3) {
		if g.chance(0.5) {
			out = append(out, object{"patchType": "ApplyConfiguration", "applyConfiguration": object{"expression": g.applyConfiguration()}})
		} else {
			out = append(out, object{"patchType": "JSONPatch", "jsonPatch": object{"expression": g.jsonPatch()}})
		}
	}
	return out
}

func (g *gen) applyConfiguration() string {
	if g.chance(0.02) {
		return pick(g, "'text'", "Object.spec{}", "object", "Object{nosuch: 1}", "dyn(Object{})", g.broken())
	}
	apply := func() string { return pick(g, append(g.kind.apply(g), applyMetadata(g)...)...) }
	switch g.IntN(8) {
	case 0:
		return g.paren(g.boolean(2)) + " ? " + apply() + " : Object{}"
	case 1:
		return g.paren(g.boolean(1)) + " ? " + apply() + " : " + apply()
	}
	return apply()
}

// applyMetadata is what every kind can have applied.
func applyMetadata(g *gen) []string {
	return []string{
		"Object{}", "Object{metadata: Object.metadata{labels: {'added': 'yes'}}}",
		"Object{metadata: Object.metadata{labels: {'app': " + g.str(1) + "}}}",
		"Object{metadata: Object.metadata{annotations: {'count': string(" + g.integer(1) + ")}}}",
		"Object{metadata: Object.metadata{annotations: {'a': 'b', 'name': string(object.metadata.name)}}}",
		"Object{metadata: Object.metadata{?labels: " + pick(g, "optional.none()", "optional.of({'opt': 'x'})") + "}}",
		"Object{metadata: Object.metadata{finalizers: ['example.com/z', 'example.com/a']}}",
		"Object{metadata: Object.metadata{name: 'other', generation: 5}}",
		"Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u'}]}}",
		"Object{metadata: Object.metadata{labels: {'number': 1}}}",
		"Object{metadata: Object.metadata{nosuch: 'x'}}", "Object{metadata: Object.spec{}}",
		"Object{apiVersion: 'v9', kind: 'Other', metadata: Object.metadata{labels: {'k': 'v'}}}",
		"Object{metadata: Object.metadata{labels: null}}", "Object{metadata: Object.metadata{creationTimestamp: '2026-01-01T00:00:00Z'}}",
	}
}

// nest wraps an expression of an inner type into the literals around it:
// nest("spec.template.spec", "X") is Object{spec: Object.spec{template: ...}}.
func nest(path, inner string) string {
	parts := strings.Split(path, ".")
	out := inner
	for i := len(parts) - 1; i >= 0; i-- {
		out = "Object" + prefix(parts[:i]) + "{" + parts[i] + ": " + out + "}"
	}
	return out
}

func prefix(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "." + strings.Join(parts, ".")
}

// applyPod has templates for a pod spec at that path, whose type has that name.
func applyPod(path, typ string) func(*gen) []string {
	return func(g *gen) []string {
		c := typ + ".containers"
		in := func(fields string) string { return nest(path, typ+"{"+fields+"}") }
		return []string{
			in("containers: [" + c + "{name: 'a', image: " + g.str(1) + "}]"),
			in("containers: [" + c + "{name: 'sidecar', image: 'proxy:1'}]"),
			in("containers: [" + c + "{name: 'a', env: [" + c + ".env{name: 'A', value: 'changed'}, " + c + ".env{name: 'NEW', value: '1'}]}]"),
			in("containers: [" + c + "{name: 'a', ports: [" + c + ".ports{containerPort: 8080, name: 'http'}, " + c + ".ports{containerPort: 53, protocol: 'UDP'}]}]"),
			in("containers: [" + c + "{name: 'a', resources: " + c + ".resources{limits: {'cpu': '200m', 'memory': '1Gi'}, requests: {'cpu': 1}}}]"),
			in("containers: object." + path + ".containers.map(c, " + c + "{name: c.name, imagePullPolicy: 'Always'})"),
			in("containers: [" + c + "{name: 'a', args: ['x']}]"),
			in("containers: [" + c + "{image: 'noname'}]"),
			in("containers: [" + c + "{name: 'x', image: 'i'}, " + c + "{name: 'x', image: 'j'}]"),
			in("containers: [" + c + "{name: 'a', securityContext: " + c + ".securityContext{privileged: " + pick(g, "false", "true", g.boolean(1)) + "}}]"),
			in("containers: [" + c + "{name: 'a', livenessProbe: " + c + ".livenessProbe{httpGet: " + c + ".livenessProbe.httpGet{port: 8080}}}]"),
			in("initContainers: [" + typ + ".initContainers{name: 'mesh', image: 'proxy', restartPolicy: 'Always'}]"),
			in("volumes: [" + typ + ".volumes{name: 'cache', emptyDir: " + typ + ".volumes.emptyDir{medium: 'Memory'}}]"),
			in("volumes: [" + typ + ".volumes{name: 'tmp', emptyDir: " + typ + ".volumes.emptyDir{}}]"),
			in("nodeSelector: {'disk': 'ssd'}"), in("tolerations: [" + typ + ".tolerations{key: 'x', operator: 'Exists'}]"),
			in("terminationGracePeriodSeconds: " + pick(g, "30", "2.0", "2.5", "'30'", g.integer(1))),
			in("hostNetwork: " + pick(g, "true", "'true'", "1")), in("serviceAccountName: 'bot', nosuch: 1"),
			in("securityContext: " + typ + ".securityContext{runAsNonRoot: true, supplementalGroups: [1]}"),
			in("imagePullSecrets: [" + typ + ".imagePullSecrets{name: 'pull'}]"), in("overhead: {'cpu': '1'}"),
			in("topologySpreadConstraints: [" + typ + ".topologySpreadConstraints{maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule'}]"),
			in("?containers: " + pick(g, "optional.none()", "object."+path+".?initContainers")),
			in("containers: " + reused(g, "object."+path+".containers", c+"{name: 'extra', image: 'x'}")),
			in("volumes: " + reused(g, "object."+path+".volumes", typ+".volumes{name: 'extra', emptyDir: "+typ+".volumes.emptyDir{}}")),
			in("containers: [" + c + "{name: 'a', env: " + reused(g, "object."+path+".containers[0].env", c+".env{name: 'NEW', value: '1'}") + "}]"),
			in("nodeSelector: {'disk': 'ssd', 'zone': object." + path + ".nodeSelector.zone}"),
		}
	}
}

// reused is a list with items of one that is in the object: since 1.37 these are Go values
// after a match condition has read the object, which no patch can merge.
func reused(g *gen, list, item string) string {
	return pick(g, list, list+" + ["+item+"]", "["+item+"] + "+list, list+".filter(e, true)", list+".map(e, e)", "["+list+"[0]]", "["+list+"[0], "+item+"]", list+" + "+list+".filter(e, e.name == 'a')")
}

func applyDeployment(g *gen) []string {
	return append(applyPod("spec.template.spec", "Object.spec.template.spec")(g),
		"Object{spec: Object.spec{replicas: "+g.integer(1)+"}}",
		"Object{spec: Object.spec{replicas: object.spec.replicas + 1}}",
		"Object{spec: Object.spec{replicas: "+pick(g, "2.0", "2.5", "'3'", "null", "3u", "9223372036854775807")+"}}",
		"Object{spec: Object.spec{paused: true}}",
		"Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'app': 'web'}}}}",
		"Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{labels: {'injected': 'true'}}}}}",
		"Object{spec: Object.spec{template: Object.spec.template{metadata: {'labels': {'x': 'y'}}}}}",
		"Object{spec: Object.specx{replicas: 1}}", "Object{spec: Object.spec{replicasx: 1}}",
	)
}

func applyConfigMap(g *gen) []string {
	return []string{
		"Object{data: {'a': " + g.str(1) + "}}", "Object{data: {'new': 'x', 'b': 'y'}}", "Object{data: {'n': 1}}",
		"Object{immutable: " + g.boolean(1) + "}", "Object{binaryData: {'bin': 'AAEC'}}", "Object{binaryData: {'bin': b'abc'}}",
		"Object{data: object.data}", "Object{nosuch: {'a': 'b'}}", "Object{data: ['a']}",
	}
}

func applyService(g *gen) []string {
	return []string{
		"Object{spec: Object.spec{ports: [Object.spec.ports{port: 80, protocol: 'TCP', name: 'http'}]}}",
		"Object{spec: Object.spec{ports: [Object.spec.ports{port: 443, name: 'https', targetPort: " + pick(g, "8443", "'https'") + "}]}}",
		"Object{spec: Object.spec{type: " + pick(g, "'NodePort'", "'LoadBalancer'") + "}}",
		"Object{spec: Object.spec{selector: {'app': 'other'}}}", "Object{spec: Object.spec{externalIPs: ['10.0.0.2']}}",
		"Object{spec: Object.spec{sessionAffinity: 'ClientIP'}}",
	}
}

func applyWidget(g *gen) []string {
	in := func(fields string) string { return "Object{spec: Object.spec{" + fields + "}}" }
	return []string{
		in("size: " + g.integer(1)), in("size: " + pick(g, "2.0", "2.5", "'2'", "object.spec.size * 2")), in("color: " + g.str(1)),
		in("ratio: " + pick(g, "0.25", "3", "'x'")), in("enabled: " + g.boolean(1)), in("note: " + pick(g, "null", "'x'")),
		in("port: " + pick(g, "80", "'http'", "0.5", "true")),
		in("parts: [Object.spec.parts{name: 'a', n: 5}, Object.spec.parts{name: 'z'}]"), in("parts: [Object.spec.parts{n: 1}]"),
		in("parts: [Object.spec.parts{name: 'a', list: ['x']}]"), in("parts: object.spec.parts.map(p, Object.spec.parts{name: p.name, n: 9})"),
		in("parts: [{'name': 'z'}]"), in("parts: object.spec.parts"),
		in("ports: [Object.spec.ports{port: 80, name: 'web'}, Object.spec.ports{port: 443, proto: 'TCP'}]"), in("ports: [Object.spec.ports{proto: 'TCP'}]"),
		in("tags: ['z', 'x']"), in("tags: ['z', 'z']"), in("steps: [Object.spec.steps{run: 'x'}]"), in("limits: {'cpu': 5, 'gpu': 1}"), in("limits: {'cpu': 'x'}"),
		in("groups: {'g': Object.spec.groups{members: ['m2']}}"), in("groups: {'new': Object.spec.groups{open: true}}"), in("groups: {'g': {'open': true}}"),
		in("atomic: Object.spec.atomic{x: '1'}"), in("free: Object.spec.free{x: Object.spec.free.x{z: 1}}"), in("free: {'list': [1, 2]}"), in("free: {'deep': {'er': 1}}"),
		in("free: object.spec.limits"), in("embedded: Object.spec.embedded{metadata: Object.spec.embedded.metadata{labels: {'l': 'v'}}}"),
		in("unknown: 1"), in("big: " + pick(g, "9223372036854775807", "1099511627777")), "Object{unknown: 1}", in("?color: optional.none(), size: 1"),
	}
}

// jsonPatch is the expression of a JSONPatch mutation.
func (g *gen) jsonPatch() string {
	if g.chance(0.02) {
		return pick(g, "[]", "'text'", "[JSONPatch{op: 'add', nosuch: 1}]", "JSONPatch{op: 'add'}", g.broken())
	}
	var ops []string
	for range pick(g, 1, 1, 1, 2, 3) {
		ops = append(ops, g.operationLiteral())
	}
	list := "[" + strings.Join(ops, ", ") + "]"
	switch g.IntN(8) {
	case 0:
		return g.paren(g.boolean(2)) + " ? " + list + " : []"
	case 1:
		return list + " + [" + g.operationLiteral() + "]"
	case 2:
		return "has(object.metadata.labels) ? " + list + " : [JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]"
	}
	return list
}

func (g *gen) operationLiteral() string {
	pointer := quote(g.pointer())
	if g.chance(0.08) {
		pointer = pick(g, "'/metadata/annotations/' + jsonpatch.escapeKey('example.com/a~b')", "''", "'metadata/labels/x'", "'/'", "'/metadata/labels/' + "+g.str(1))
	}
	if g.chance(0.05) { // an object that is of another kind then
		return pick(g, "JSONPatch{op: 'remove', path: '/kind'}", "JSONPatch{op: 'remove', path: '/apiVersion'}",
			fmt.Sprintf("JSONPatch{op: 'replace', path: '/kind', value: '%s'}", pick(g, "Secret", "ConfigMap", "Other", "Pod", "Quota", "Widget", "StatefulSet", "")),
			fmt.Sprintf("JSONPatch{op: 'replace', path: '/apiVersion', value: '%s'}", pick(g, "v1", "apps/v1", "nosuch/v1", "example.com/v1", "example.com/v9", "autoscaling/v1", "autoscaling/v2", "", "a/b/c")))
	}
	switch op := weighted(g, map[string]int{"add": 45, "replace": 25, "remove": 10, "test": 8, "copy": 5, "move": 5, "bad": 1}); op {
	case "remove":
		return fmt.Sprintf("JSONPatch{op: 'remove', path: %s}", pointer)
	case "copy", "move":
		return fmt.Sprintf("JSONPatch{op: '%s', from: %s, path: %s}", op, quote(g.pointer()), pointer)
	case "bad":
		return fmt.Sprintf("JSONPatch{op: %s, path: %s, value: 1}", pick(g, "'bad'", "''"), pointer)
	default:
		if g.chance(0.03) {
			return fmt.Sprintf("JSONPatch{op: '%s', path: %s}", op, pointer)
		}
		return fmt.Sprintf("JSONPatch{op: '%s', path: %s, value: %s}", op, pointer, g.patchValue())
	}
}

func (g *gen) pointer() string {
	list := append([]string{"/metadata/labels/added", "/metadata/labels/app", "/metadata/labels", "/metadata/annotations", "/metadata/annotations/note", "/metadata/finalizers/-", "/nosuch", "/kind", "/metadata/name"}, g.kind.pointers...)
	return pick(g, append(list, g.kind.pointers...)...)
}

func (g *gen) patchValue() string {
	options := []string{
		"'text'", "'text'", "'[]'", "'07'", g.str(1), g.integer(1), "1", "2.5", "true", "null", "{'a': 'b'}", "{'app': 'web'}", "['x', 'y']", "[1, 2]", "{}", "[]",
		"object.metadata.labels", "object.spec", "9007199254740993", "duration('90s')", "b'abc'", "{'name': 'c', 'image': 'i'}",
		"{'name': 'n', 'nested': {'deep': [1, {'er': null}]}}", "[{'name': 'A', 'value': '1'}]", "5u", "{1: 'x'}", "quantity('1')", "optional.none()",
		"Object.metadata{labels: {'x': 'y'}}", "{'cpu': '100m'}", "timestamp('2026-01-01T00:00:00Z')",
	}
	if g.kind.podSpec != "" {
		c := "Object." + g.kind.podSpec + ".containers"
		options = append(options, c+"{name: 'new', image: 'i'}", "["+c+"{name: 'only', image: 'i'}]", "object."+g.kind.podSpec+".containers[0]",
			c+"{name: 'p', image: 'i', ports: ["+c+".ports{containerPort: 1}]}", "{'name': 'c', 'image': 'i', 'bogus': 1}")
	}
	return pick(g, options...)
}
