package generate

import (
	"fmt"
	"maps"
	"slices"
)

// A kind is what requests are about: how to make an object, and paths into it
// that expressions use, by the type of what is there.
type kind struct {
	Group, Version, Kind, Resource string
	Namespaced                     bool
	// Generation says that storage sets metadata.generation on creation.
	Generation bool
	// plain says that the server adds no defaults to the kind's objects.
	plain  bool
	Weight int
	body   func(*gen) object

	ints, strings, bools, lists, maps []string
	// apply are templates of ApplyConfiguration expressions; see mutations.go.
	apply func(*gen) []string
	// pointers are JSON pointers for patches.
	pointers []string
	// annotations are those of which the server makes something.
	annotations object
	// podSpec is the CEL path below object to a pod spec, "" for none.
	podSpec string
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (g *gen) pickKind() *kind {
	total := 0
	for _, k := range kinds {
		total += k.Weight
	}
	n := g.IntN(total)
	for _, k := range kinds {
		if n -= k.Weight; n < 0 {
			return k
		}
	}
	panic("unreachable")
}

func withPod(k kind, podSpec string) *kind {
	k.podSpec = podSpec
	p := "object." + podSpec
	k.ints = append(k.ints, p+".terminationGracePeriodSeconds", "size("+p+".containers)", p+".containers[0].ports[0].containerPort")
	k.strings = append(k.strings, p+".containers[0].name", p+".containers[0].image", p+".restartPolicy", p+".dnsPolicy", p+".containers[0].imagePullPolicy", p+".serviceAccountName")
	k.bools = append(k.bools, p+".hostNetwork", p+".containers[0].securityContext.privileged", p+".automountServiceAccountToken")
	k.lists = append(k.lists, p+".containers", p+".initContainers", p+".volumes", p+".tolerations", p+".containers[0].env", p+".containers[0].args")
	k.maps = append(k.maps, p+".nodeSelector", p+".containers[0].resources", p+".containers[0].resources.limits", p+".securityContext")
	k.pointers = append(k.pointers, podPointers("/"+replaceDots(podSpec))...)
	return &k
}

func replaceDots(path string) string {
	out := []byte(path)
	for i := range out {
		if out[i] == '.' {
			out[i] = '/'
		}
	}
	return string(out)
}

func podPointers(p string) []string {
	return []string{
		p + "/containers/0/image", p + "/containers/-", p + "/containers/0", p + "/containers/1", p + "/containers/-1", p + "/containers/7",
		p + "/containers/0/env", p + "/containers/0/env/-", p + "/containers/0/args", p + "/containers/0/resources/limits",
		p + "/containers/0/securityContext", p + "/volumes", p + "/volumes/-", p + "/tolerations/-", p + "/nodeSelector",
		p + "/nodeSelector/disk", p + "/hostNetwork", p + "/terminationGracePeriodSeconds", p + "/restartPolicy", p + "/initContainers", p + "/bogus",
	}
}

// kinds are those that requests are about.
var kinds = []*kind{
	withPod(kind{Version: "v1", Kind: "Pod", Resource: "pods", Namespaced: true, Generation: true, Weight: 20,
		body: func(g *gen) object { return object{"spec": g.podSpec()} }, apply: applyPod("spec", "Object.spec")}, "spec"),
	withPod(kind{Group: "apps", Version: "v1", Kind: "Deployment", Resource: "deployments", Namespaced: true, Generation: true, Weight: 25,
		body: deployment, ints: []string{"object.spec.replicas", "object.spec.revisionHistoryLimit"}, strings: []string{"object.spec.strategy.type"},
		bools: []string{"object.spec.paused"}, maps: []string{"object.spec.selector.matchLabels", "object.status", "object.spec.strategy"},
		pointers:    []string{"/spec/replicas", "/spec/paused", "/spec/strategy", "/spec/strategy/type", "/spec/selector", "/spec/template/metadata/labels/app", "/metadata/annotations/deprecated.deployment.rollback.to"},
		annotations: object{"deprecated.deployment.rollback.to": "07"}, apply: applyDeployment}, "spec.template.spec"),
	withPod(kind{Group: "apps", Version: "v1", Kind: "DaemonSet", Resource: "daemonsets", Namespaced: true, Generation: true, Weight: 5,
		body: daemonSet, ints: []string{"object.spec.minReadySeconds"}, strings: []string{"object.spec.updateStrategy.type", "object.metadata.annotations['deprecated.daemonset.template.generation']"},
		pointers:    []string{"/spec/updateStrategy", "/spec/minReadySeconds", "/metadata/annotations/deprecated.daemonset.template.generation"},
		annotations: object{"deprecated.daemonset.template.generation": "3"}, apply: applyDeployment}, "spec.template.spec"),
	withPod(kind{Group: "apps", Version: "v1", Kind: "StatefulSet", Resource: "statefulsets", Namespaced: true, Generation: true, Weight: 5,
		body: statefulSet, ints: []string{"object.spec.replicas"}, strings: []string{"object.spec.serviceName", "object.spec.updateStrategy.type", "object.spec.podManagementPolicy"},
		lists: []string{"object.spec.volumeClaimTemplates"}, pointers: []string{"/spec/replicas", "/spec/serviceName", "/spec/volumeClaimTemplates/-"}, apply: applyDeployment}, "spec.template.spec"),
	withPod(kind{Group: "batch", Version: "v1", Kind: "CronJob", Resource: "cronjobs", Namespaced: true, Generation: true, Weight: 5,
		body: cronJob, strings: []string{"object.spec.schedule", "object.spec.concurrencyPolicy"}, bools: []string{"object.spec.suspend"},
		ints: []string{"object.spec.successfulJobsHistoryLimit"}, pointers: []string{"/spec/suspend", "/spec/schedule", "/spec/jobTemplate/spec/backoffLimit"},
		apply: applyPod("spec.jobTemplate.spec.template.spec", "Object.spec.jobTemplate.spec.template.spec")}, "spec.jobTemplate.spec.template.spec"),
	{Version: "v1", Kind: "ConfigMap", Resource: "configmaps", plain: true, Namespaced: true, Weight: 15, body: configMap,
		strings: []string{"object.data.a", "object.data['b']", "object.data.missing"}, bools: []string{"object.immutable"}, maps: []string{"object.data", "object.binaryData"},
		pointers: []string{"/data", "/data/a", "/data/new", "/data/a~1b", "/data/a~0b", "/immutable", "/binaryData", "/binaryData/bin"}, apply: applyConfigMap},
	{Version: "v1", Kind: "Service", Resource: "services", Namespaced: true, Weight: 8, body: service,
		ints: []string{"object.spec.ports[0].port", "object.spec.ports[0].targetPort"}, strings: []string{"object.spec.type", "object.spec.clusterIP", "object.spec.ports[0].protocol", "object.spec.sessionAffinity"},
		lists: []string{"object.spec.ports", "object.spec.externalIPs"}, maps: []string{"object.spec.selector"},
		pointers: []string{"/spec/ports/0", "/spec/ports/-", "/spec/ports/0/port", "/spec/type", "/spec/selector/app", "/spec/externalIPs"}, apply: applyService},
	{Version: "v1", Kind: "Namespace", Resource: "namespaces", Weight: 5, body: func(*gen) object { return object{} },
		lists: []string{"object.spec.finalizers"}, maps: []string{"object.spec", "object.status"}, pointers: []string{"/spec/finalizers"}, apply: applyMetadata},
	{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress", Resource: "ingresses", Namespaced: true, Generation: true, Weight: 4, body: ingress,
		strings: []string{"object.spec.ingressClassName", "object.spec.rules[0].host"}, lists: []string{"object.spec.rules", "object.spec.tls"},
		pointers: []string{"/spec/ingressClassName", "/spec/rules/0/host", "/spec/tls/-"}, apply: applyMetadata},
	{Version: "v1", Kind: "Secret", Resource: "secrets", Namespaced: true, Weight: 3, body: secret, strings: []string{"object.type", "object.data.token"},
		maps: []string{"object.data", "object.stringData"}, pointers: []string{"/data/token", "/stringData", "/type"}, apply: applyMetadata},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role", Resource: "roles", plain: true, Namespaced: true, Weight: 3, body: role,
		lists: []string{"object.rules", "object.rules[0].verbs", "object.rules[0].resources"}, pointers: []string{"/rules/-", "/rules/0/verbs/-", "/rules"}, apply: applyMetadata},
	hpa("v2", autoscaler),
	hpa("v1", autoscalerV1),
	{Group: "example.com", Version: "v1", Kind: "Widget", Resource: "widgets", plain: true, Namespaced: true, Generation: true, Weight: 20, body: widget,
		ints: []string{"object.spec.size", "object.spec.big"}, strings: []string{"object.spec.color", "object.spec.note", "object.spec.port"},
		bools: []string{"object.spec.enabled"}, lists: []string{"object.spec.parts", "object.spec.tags", "object.spec.steps", "object.spec.ports"}, maps: []string{"object.spec.limits", "object.spec.free", "object.spec.groups"},
		pointers: []string{"/spec/size", "/spec/color", "/spec/parts/-", "/spec/parts/0", "/spec/parts/0/n", "/spec/tags/-", "/spec/steps", "/spec/free/x", "/spec/limits/cpu", "/spec/unknown", "/spec/enabled", "/spec/ratio"},
		apply:    applyWidget},
	{Group: "example.com", Version: "v1", Kind: "Quota", Resource: "quotas", Generation: true, Weight: 4, body: func(g *gen) object { return object{"limit": g.IntN(10)} },
		ints: []string{"object.limit"}, pointers: []string{"/limit", "/x"}, apply: applyMetadata},
}

func deployment(g *gen) object {
	spec := object{"selector": object{"matchLabels": object{"app": "web"}}, "template": g.podTemplate()}
	if g.chance(0.8) {
		spec["replicas"] = g.IntN(8)
	}
	if g.chance(0.2) {
		spec["paused"] = g.chance(0.5)
	}
	if g.chance(0.3) {
		spec["strategy"] = object{"type": pick(g, "Recreate", "RollingUpdate")}
	}
	return object{"spec": spec}
}

func daemonSet(g *gen) object {
	spec := object{"selector": object{"matchLabels": object{"app": "web"}}, "template": g.podTemplate()}
	if g.chance(0.3) {
		spec["updateStrategy"] = object{"type": pick(g, "OnDelete", "RollingUpdate")}
	}
	return object{"spec": spec}
}

func statefulSet(g *gen) object {
	spec := object{"selector": object{"matchLabels": object{"app": "web"}}, "template": g.podTemplate(), "serviceName": "web"}
	if g.chance(0.6) {
		spec["replicas"] = g.IntN(5)
	}
	if g.chance(0.4) {
		spec["volumeClaimTemplates"] = []any{object{"metadata": object{"name": "data"}, "spec": object{
			"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}}
	}
	return object{"spec": spec}
}

func cronJob(g *gen) object {
	spec := object{"schedule": "*/5 * * * *", "jobTemplate": object{"spec": object{"template": g.podTemplate()}}}
	if g.chance(0.4) {
		spec["suspend"] = g.chance(0.5)
	}
	return object{"spec": spec}
}

func (g *gen) podTemplate() object {
	return object{"metadata": object{"labels": object{"app": "web"}}, "spec": g.podSpec()}
}

func (g *gen) podSpec() object {
	spec := object{"containers": g.containers(1 + g.IntN(3))}
	if g.chance(0.15) {
		spec["initContainers"] = []any{object{"name": "init", "image": "busybox"}}
	}
	if g.chance(0.3) {
		spec["volumes"] = g.volumes()
	}
	if g.chance(0.2) {
		spec["tolerations"] = []any{object{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}}
	}
	if g.chance(0.2) {
		spec["nodeSelector"] = object{"disk": "ssd"}
	}
	if g.chance(0.2) {
		spec["hostNetwork"] = g.chance(0.7)
	}
	if g.chance(0.2) {
		spec["securityContext"] = object{"runAsNonRoot": true, "runAsUser": 1000, "fsGroup": 2000}
	}
	if g.chance(0.2) {
		spec["terminationGracePeriodSeconds"] = g.IntN(60)
	}
	if g.chance(0.2) {
		spec["serviceAccountName"] = "bot"
	}
	if g.chance(0.1) {
		spec["affinity"] = object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{
			"nodeSelectorTerms": []any{object{"matchExpressions": []any{object{"key": "zone", "operator": "In", "values": []any{"a", "b"}}}}}}}}
	}
	if g.chance(0.1) {
		spec["topologySpreadConstraints"] = []any{object{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": object{"matchLabels": object{"app": "web"}}}}
	}
	return spec
}

func (g *gen) volumes() []any {
	all := []any{
		object{"name": "cache", "emptyDir": object{}},
		object{"name": "config", "configMap": object{"name": "settings"}},
		object{"name": "secret", "secret": object{"secretName": "token", "items": []any{object{"key": "a", "path": "a"}}}},
		object{"name": "host", "hostPath": object{"path": "/var"}},
		object{"name": "all", "projected": object{"sources": []any{object{"serviceAccountToken": object{"path": "token"}}}}},
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+g.IntN(2)]
}

func (g *gen) containers(n int) []any {
	out := make([]any, 0, n)
	for i := range n {
		out = append(out, g.container(string(rune('a'+i))))
	}
	return out
}

func (g *gen) container(name string) object {
	c := object{"name": name, "image": pick(g, "nginx", "nginx:1.25", "nginx:latest", "registry.example.com:5000/team/app:v2", "app@sha256:0123456789012345678901234567890123456789012345678901234567890123")}
	if g.chance(0.4) {
		c["env"] = []any{object{"name": "A", "value": "1"}, object{"name": "POD", "valueFrom": object{"fieldRef": object{"fieldPath": "metadata.name"}}}}
	}
	if g.chance(0.4) {
		c["ports"] = []any{object{"containerPort": 8080}, object{"name": "dns", "containerPort": 53, "protocol": "UDP"}}
	}
	if g.chance(0.5) {
		c["resources"] = object{"limits": object{"cpu": pick(g, "100m", "0.5", "2"), "memory": pick(g, "64Mi", "1Gi", "1000M")}, "requests": object{"cpu": "50m"}}
	}
	if g.chance(0.3) {
		c["securityContext"] = object{"privileged": g.chance(0.3), "allowPrivilegeEscalation": false, "capabilities": object{"drop": []any{"ALL"}}}
	}
	if g.chance(0.2) {
		c["livenessProbe"] = object{"httpGet": object{"path": "/", "port": pickAny(g, 8080, "http")}}
	}
	if g.chance(0.2) {
		c["readinessProbe"] = pickAny(g, object{"exec": object{"command": []any{"true"}}}, object{"grpc": object{"port": 1}}, object{"tcpSocket": object{"port": 1}, "periodSeconds": 5})
	}
	if g.chance(0.2) {
		c["args"] = []any{"-v", "--flag=1"}
	}
	if g.chance(0.2) {
		c["volumeMounts"] = []any{object{"name": "cache", "mountPath": "/cache"}}
	}
	return c
}

func pickAny(g *gen, list ...any) any { return list[g.IntN(len(list))] }

func configMap(g *gen) object {
	out := object{}
	if g.chance(0.85) {
		out["data"] = object{"a": pick(g, "1", "12", "x"), "b": pick(g, "true", "0.5", "10Gi"), "a/b": "slash", "long": fmt.Sprintf("%0*d", g.IntN(200)+1, 7)}
	}
	if g.chance(0.2) {
		out["immutable"] = g.chance(0.5)
	}
	if g.chance(0.2) {
		out["binaryData"] = object{"bin": "AAEC"}
	}
	return out
}

func service(g *gen) object {
	spec := object{"ports": []any{object{"port": 80, "targetPort": pickAny(g, 8080, "http")}}, "selector": object{"app": "web"}}
	if g.chance(0.4) {
		spec["ports"] = append(spec["ports"].([]any), object{"name": "dns", "port": 80, "protocol": "UDP"})
	}
	if g.chance(0.5) {
		spec["type"] = pick(g, "ClusterIP", "NodePort", "LoadBalancer")
	}
	if g.chance(0.2) {
		spec["externalIPs"] = []any{"10.0.0.1"}
	}
	if g.chance(0.2) {
		spec["sessionAffinity"] = "ClientIP"
	}
	return object{"spec": spec}
}

func ingress(g *gen) object {
	backend := object{"service": object{"name": "web", "port": object{"number": 80}}}
	spec := object{"rules": []any{object{"host": pick(g, "example.com", "*.example.com"), "http": object{"paths": []any{object{"path": "/", "pathType": "Prefix", "backend": backend}}}}}}
	if g.chance(0.5) {
		spec["ingressClassName"] = "nginx"
	}
	if g.chance(0.4) {
		spec["tls"] = []any{object{"hosts": []any{"example.com"}, "secretName": "tls"}}
	}
	return object{"spec": spec}
}

func secret(g *gen) object {
	out := object{"data": object{"token": "c2VjcmV0"}}
	if g.chance(0.5) {
		out["type"] = "example.com/x"
	}
	return out
}

func role(g *gen) object {
	return object{"rules": []any{
		object{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"get", "list"}},
		object{"apiGroups": []any{"apps"}, "resources": []any{"deployments"}, "verbs": []any{pick(g, "*", "update")}},
	}}
}

func autoscaler(g *gen) object {
	spec := object{"maxReplicas": 1 + g.IntN(9), "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}
	if g.chance(0.5) {
		spec["minReplicas"] = 1
	}
	for _, metric := range []object{
		{"type": "Resource", "resource": object{"name": "memory", "target": object{"type": "AverageValue", "averageValue": "1Gi"}}},
		{"type": "Resource", "resource": object{"name": "cpu", "target": object{"type": "Utilization", "averageUtilization": 50}}},
		{"type": "Pods", "pods": object{"metric": object{"name": "rps"}, "target": object{"type": "AverageValue", "averageValue": "10"}}},
		{"type": "Object", "object": object{"describedObject": object{"kind": "Service", "name": "web"}, "metric": object{"name": "rps"}, "target": object{"type": "AverageValue", "averageValue": "5"}}},
		{"type": "External", "external": object{"metric": object{"name": "queue", "selector": object{"matchLabels": object{"a": "b"}}}, "target": object{"type": "Value", "value": "30"}}},
	} {
		if g.chance(0.25) {
			metrics, _ := spec["metrics"].([]any)
			spec["metrics"] = append(metrics, metric)
		}
	}
	if g.chance(0.25) {
		spec["behavior"] = object{"scaleDown": object{"stabilizationWindowSeconds": 60}}
	}
	return object{"spec": spec}
}

func widget(g *gen) object {
	spec := object{"size": g.IntN(10), "parts": []any{object{"name": "a", "n": 1}, object{"name": "b"}}}
	for _, f := range []struct {
		name  string
		value any
	}{
		{"color", pick(g, "red", "blue")}, {"note", "n"}, {"port", pickAny(g, 80, "http")}, {"big", int64(1) << 40}, {"ratio", pickAny(g, 0.5, 2)},
		{"enabled", g.chance(0.5)}, {"tags", []any{"x", "y"}}, {"steps", []any{object{"run": "make"}, object{"run": "test", "n": 2}}},
		{"limits", object{"cpu": 1, "memory": 2}}, {"free", object{"x": object{"y": []any{1, "z", nil}}, "f": 1.5}},
		{"ports", []any{object{"port": 80, "proto": "TCP"}, object{"port": 80, "proto": "UDP", "name": "dns"}}},
		{"groups", object{"g": object{"members": []any{"m1"}}}}, {"embedded", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "inner"}, "data": object{"k": "v"}}},
	} {
		if g.chance(0.4) {
			spec[f.name] = f.value
		}
	}
	return object{"spec": spec}
}
