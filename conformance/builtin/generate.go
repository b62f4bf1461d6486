// Package builtin compares the engine's built-in admission plugins with the API server's, on
// generated clusters and requests. conformance/plugins runs the server's own plugins.
package builtin

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
)

type object = map[string]any

// generator generates clusters and requests from a seed.
type generator struct {
	*rand.Rand
	devices bool // the release serves device claims
}

func (g generator) one(values ...string) string { return values[g.Intn(len(values))] }
func (g generator) chance(percent int) bool     { return g.Intn(100) < percent }

// amount returns a quantity in canonical form.
func (g generator) amount(name string) string {
	switch name {
	case "cpu":
		return g.one("100m", "250m", "500m", "1", "2")
	case "storage":
		return g.one("1Gi", "5Gi", "10Gi")
	case "memory":
		if g.chance(3) {
			return g.one("10P", "20P") // too large to count in thousandths
		}
	}
	return g.one("64Mi", "128Mi", "256Mi", "1Gi", "2Gi")
}

func (g generator) amounts(percent int, names ...string) object {
	out := object{}
	for _, name := range names {
		if g.chance(percent) {
			out[name] = g.amount(name)
		}
	}
	return out
}

func meta(name, namespace string) object {
	m := object{"name": name}
	if namespace != "" {
		m["namespace"] = namespace
	}
	return m
}

func of(apiVersion, kind string, metadata object, rest object) object {
	o := object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	for k, v := range rest {
		o[k] = v
	}
	return o
}

const namespace = "shop"

// cluster is the objects of the cluster text.
func (g generator) cluster() []object {
	labels := object{}
	for _, mode := range []string{"enforce", "warn", "audit"} {
		if g.chance(45) {
			labels["pod-security.kubernetes.io/"+mode] = g.one("privileged", "baseline", "restricted", "restricted", "strict")
		}
		if g.chance(25) {
			labels["pod-security.kubernetes.io/"+mode+"-version"] = g.one("latest", "v1.24", "v1.30", "v1.99", "1.30")
		}
	}
	m := meta(namespace, "")
	m["labels"] = labels
	phase := "Active"
	if g.chance(5) {
		phase = "Terminating"
	}
	out := []object{
		of("v1", "Namespace", m, object{"status": object{"phase": phase}}),
		of("v1", "Namespace", meta("kube-node-lease", ""), object{"status": object{"phase": "Active"}}),
		of("v1", "ServiceAccount", meta("default", namespace), nil),
	}
	if g.chance(70) {
		account := of("v1", "ServiceAccount", meta("robot", namespace), object{"secrets": []any{object{"name": "mine"}}})
		if g.chance(40) {
			account["imagePullSecrets"] = []any{object{"name": "registry"}}
		}
		if g.chance(30) {
			account["automountServiceAccountToken"] = false
		}
		if g.chance(30) {
			account["metadata"].(object)["annotations"] = object{"kubernetes.io/enforce-mountable-secrets": "true"}
		}
		out = append(out, account)
	}
	for i := range g.Intn(2) {
		out = append(out, g.limitRange(i))
	}
	if g.chance(45) {
		out = append(out, g.quota())
	}
	return append(append(out, g.existing()...), g.classes()...)
}

func (g generator) limitRange(i int) object {
	var limits []any
	l := object{"type": "Container"}
	for _, field := range []string{"default", "defaultRequest", "min", "max", "maxLimitRequestRatio"} {
		if !g.chance(40) {
			continue
		}
		if field == "maxLimitRequestRatio" {
			l[field] = object{g.one("cpu", "cpu", "memory"): g.one("1", "2", "4", "1500m", "2500m", "20P")}
			continue
		}
		l[field] = g.amounts(50, "cpu", "memory")
	}
	limits = append(limits, l)
	if g.chance(40) {
		limits = append(limits, object{"type": "Pod", g.one("min", "max"): g.amounts(60, "cpu", "memory")})
	}
	if g.chance(40) {
		limits = append(limits, object{"type": "PersistentVolumeClaim", g.one("min", "max"): object{"storage": g.amount("storage")}})
	}
	return of("v1", "LimitRange", meta(fmt.Sprintf("limits-%d", i), namespace), object{"spec": object{"limits": limits}})
}

func (g generator) quota() object {
	hard, used := object{}, object{}
	for _, name := range []string{"pods", "count/pods", "requests.cpu", "limits.memory", "memory", "services", "services.nodeports", "configmaps",
		"count/configmaps", "requests.storage", "persistentvolumeclaims", "fast.storageclass.storage.k8s.io/requests.storage", "count/deployments.apps", "requests.nvidia.com/gpu",
		"fast.storageclass.storage.k8s.io/persistentvolumeclaims", "count/persistentvolumeclaims", "count/services", "services.loadbalancers", "secrets", "replicationcontrollers",
		"count/jobs.batch", "limits.cpu", "requests.ephemeral-storage", "hugepages-2Mi", "requests.hugepages-2Mi", "nvidia.com/gpu"} {
		if !g.chance(15) {
			continue
		}
		switch {
		case strings.HasSuffix(name, "cpu"):
			hard[name], used[name] = g.one("500m", "1", "2"), g.one("0", "250m", "1")
		case strings.HasSuffix(name, "memory"), strings.HasSuffix(name, "storage"):
			hard[name], used[name] = g.one("256Mi", "1Gi", "8Gi"), g.one("0", "128Mi", "1Gi")
		default:
			hard[name], used[name] = g.one("0", "1", "3"), g.one("0", "1")
		}
	}
	if g.devices && g.chance(30) {
		for _, name := range []string{"count/resourceclaims.resource.k8s.io", "gpu.deviceclass.resource.k8s.io/devices", "fpga.deviceclass.resource.k8s.io/devices"} {
			hard[name], used[name] = g.one("1", "3", "33"), g.one("0", "1")
		}
	}
	spec := object{"hard": hard}
	switch {
	case g.chance(25):
		spec["scopes"] = []any{g.one("BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", "CrossNamespacePodAffinity")}
	case g.chance(25):
		operator := g.one("In", "NotIn", "Exists", "DoesNotExist")
		name, values := "PriorityClass", []any{"high"}
		if g.chance(40) {
			name, values = "VolumeAttributesClass", []any{"gold"}
		}
		selector := object{"scopeName": name, "operator": operator}
		if operator == "In" || operator == "NotIn" {
			selector["values"] = values
		}
		spec["scopeSelector"] = object{"matchExpressions": []any{selector}}
	}
	if len(used) > 0 && g.chance(5) {
		used = object{}
	}
	return of("v1", "ResourceQuota", meta("quota", namespace), object{"spec": spec, "status": object{"hard": hard, "used": used}})
}

// limited is the configuration for resources that need a quota; usually none.
func (g generator) limited() string {
	if !g.chance(25) {
		return ""
	}
	var limited []any
	for range 1 + g.Intn(2) {
		resource, group, _ := strings.Cut(g.one("pods", "pods", "pods", "persistentvolumeclaims", "services", "configmaps", "deployments.apps", "resourceclaims.resource.k8s.io"), ".")
		one := object{"resource": resource, "apiGroup": group}
		if g.chance(50) {
			one["matchContains"] = []any{g.one("cpu", "memory", "requests.", "count/", "storage", "services.", "pods"), g.one("cpu", "nvidia", "configmaps", "devices")}
		} else {
			one["matchScopes"] = []any{g.limitedScope()}
		}
		limited = append(limited, one)
	}
	kind := object{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ResourceQuotaConfiguration"}
	if g.chance(20) {
		kind = object{"apiVersion": "resourcequota.admission.k8s.io/v1beta1", "kind": "Configuration"}
	}
	kind["limitedResources"] = limited
	raw, err := json.Marshal(kind)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (g generator) limitedScope() object {
	scope := object{"scopeName": g.one("PriorityClass", "PriorityClass", "VolumeAttributesClass", "BestEffort", "NotBestEffort", "Terminating", "CrossNamespacePodAffinity"), "operator": "Exists"}
	if name := scope["scopeName"]; name == "PriorityClass" || name == "VolumeAttributesClass" {
		scope["operator"] = g.one("In", "NotIn", "Exists", "DoesNotExist")
	}
	if scope["operator"] == "In" || scope["operator"] == "NotIn" {
		scope["values"] = []any{"high", "gold"}
	}
	return scope
}

// classes are the cluster-scoped objects.
func (g generator) classes() []object {
	var out []object
	if g.chance(70) {
		out = append(out, of("scheduling.k8s.io/v1", "PriorityClass", meta("high", ""), object{"value": 1000, "preemptionPolicy": g.one("Never", "PreemptLowerPriority")}))
	}
	if g.chance(30) {
		out = append(out, of("scheduling.k8s.io/v1", "PriorityClass", meta("usual", ""), object{"value": 10, "globalDefault": true, "preemptionPolicy": "PreemptLowerPriority"}))
	}
	if g.chance(70) {
		class := of("node.k8s.io/v1", "RuntimeClass", meta("kata", ""), object{"handler": "kata"})
		if g.chance(60) {
			class["overhead"] = object{"podFixed": object{"cpu": "250m", "memory": "128Mi"}}
		}
		if g.chance(60) {
			class["scheduling"] = object{"nodeSelector": object{"kata": "yes"}, "tolerations": []any{object{"key": "kata", "operator": "Exists", "effect": "NoSchedule"}}}
			if g.chance(50) {
				class["scheduling"].(object)["tolerations"] = []any{g.toleration(), g.toleration()}
			}
		}
		out = append(out, class)
	}
	for _, name := range []string{"fast", "slow"} {
		class := of("storage.k8s.io/v1", "StorageClass", meta(name, ""), object{"provisioner": "example.com/p", "allowVolumeExpansion": g.chance(50)})
		class["metadata"].(object)["annotations"] = object{"storageclass.kubernetes.io/is-default-class": g.one("true", "false")}
		out = append(out, class)
	}
	ingress := of("networking.k8s.io/v1", "IngressClass", meta("public", ""), object{"spec": object{"controller": "example.com/c"}})
	if g.chance(50) {
		ingress["metadata"].(object)["annotations"] = object{"ingressclass.kubernetes.io/is-default-class": "true"}
	}
	node := of("v1", "Node", meta("n1", ""), nil)
	node["metadata"].(object)["uid"] = "node-uid"
	node["status"] = object{"allocatable": object{"cpu": g.one("1", "2", "500m"), "memory": g.one("256Mi", "1Gi", "4Gi")}}
	windows := of("v1", "Node", meta("windows", ""), nil)
	windows["metadata"].(object)["labels"] = object{"kubernetes.io/os": "windows"}
	node["metadata"].(object)["labels"] = object{"topology.kubernetes.io/zone": "z1", "topology.kubernetes.io/region": "r1", "other": "x"}
	return append(out, ingress, node, windows)
}

// Cluster is the text of the objects.
func text(objects []object) string {
	var docs []string
	for _, o := range objects {
		raw, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		docs = append(docs, string(raw))
	}
	return strings.Join(docs, "\n---\n")
}
