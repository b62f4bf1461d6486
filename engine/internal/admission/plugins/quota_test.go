package plugins_test

import (
	"fmt"
	"strings"
	"testing"
)

// quotaOf is a ResourceQuota whose status has what is hard and what is used.
func quotaOf(hard, used, spec string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop}, spec: {hard: {%[1]s}%[3]s}, status: {hard: {%[1]s}, used: {%[2]s}}}\n", hard, used, spec)
}

// exceeded is the text about one resource of which there are none left.
func exceeded(name, requested string) string {
	return fmt.Sprintf("exceeded quota: few, requested: %[1]s=%[2]s, used: %[1]s=0, limited: %[1]s=0", name, requested)
}

// TestQuotas: what a quota counts, and of which objects.
func TestQuotas(t *testing.T) {
	const namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n"
	none := func(name string) string { return quotaOf(`"`+name+`": "0"`, `"`+name+`": "0"`, "") }
	creates := func(name, resource, cluster, object string, want ...string) row {
		return row{name: name, request: "CREATE " + resource, cluster: cluster, object: object, want: want}
	}
	pod := func(name, cluster, object string, want ...string) row {
		return creates(name, "pods web", cluster, object, want...)
	}
	asks := func(requests, limits string) string { return onePod(resources(requests, limits), "") }
	const overhead = ", overhead: {cpu: 250m}"
	compare(t, "ResourceQuota", namespace, []row{
		pod("no quota", "", onePod("", "")),
		pod("the last one", quotaOf("pods: '2'", "pods: '1'", ""), onePod("", "")),
		pod("one too many", quotaOf("pods: '1'", "pods: '1'", ""), onePod("", ""), "exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1"),
		pod("by the other name", none("count/pods"), onePod("", ""), exceeded("count/pods", "1")),
		pod("two of three are too many", quotaOf("pods: '1', cpu: '1', memory: 1Gi", "pods: '1', cpu: 500m, memory: '0'", ""), asks("cpu: 501m, memory: 1Gi", ""),
			"exceeded quota: few, requested: cpu=501m,pods=1, used: cpu=500m,pods=1, limited: cpu=1,pods=1"),
		pod("a status that lacks one", quotaOf("pods: '1'", "", ""), onePod("", ""), "status unknown for quota: few, resources: pods"),
		pod("no status", "{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop}, spec: {hard: {pods: '0'}}}\n", onePod("", "")),
		pod("of another namespace", "{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: other}, spec: {hard: {pods: '0'}}, status: {hard: {pods: '0'}, used: {pods: '0'}}}\n", onePod("", "")),
		pod("requests", none("requests.cpu"), asks("cpu: 100m", ""), exceeded("requests.cpu", "100m")),
		pod("limits", none("limits.memory"), asks("memory: 1Mi", "memory: 1Gi"), exceeded("limits.memory", "1Gi")),
		pod("what must be there", none("limits.cpu"), asks("cpu: 100m", ""), "failed quota: few: must specify limits.cpu for: app"),
		pod("two of them", quotaOf("cpu: '1', memory: '1'", "cpu: '0', memory: '0'", ""), onePod("", ", initContainers: [{name: first, image: a, resources: {requests: {cpu: 1m}}}]"),
			"failed quota: few: must specify cpu for: app; memory for: app,first"),
		pod("nobody must ask for storage", none("requests.ephemeral-storage"), onePod("", "")),
		pod("but it counts", none("requests.ephemeral-storage"), asks("ephemeral-storage: 1Gi", ""), exceeded("requests.ephemeral-storage", "1Gi")),
		pod("large pages", none("hugepages-2Mi"), asks("hugepages-2Mi: 4Mi", "hugepages-2Mi: 4Mi"), exceeded("hugepages-2Mi", "4Mi")),
		pod("as requests", none("requests.hugepages-2Mi"), asks("hugepages-2Mi: 4Mi", "hugepages-2Mi: 4Mi"), exceeded("requests.hugepages-2Mi", "4Mi")),
		pod("devices", none("requests.example.com/gpu"), asks("example.com/gpu: '2'", "example.com/gpu: '2'"), exceeded("requests.example.com/gpu", "2")),
		pod("not without requests.", none("example.com/gpu"), asks("example.com/gpu: '2'", "example.com/gpu: '2'")),
		pod("an overhead", quotaOf("cpu: 400m, limits.cpu: '2'", "cpu: '0', limits.cpu: '0'", ""), onePod(resources("cpu: 200m", "cpu: '2'"), overhead),
			"exceeded quota: few, requested: cpu=450m,limits.cpu=2250m, used: cpu=0,limits.cpu=0, limited: cpu=400m,limits.cpu=2"),
		pod("no limit, so no overhead on it", quotaOf("limits.memory: 1Gi", "limits.memory: '0'", ""), onePod(resources("cpu: 1", "memory: 1Gi"), ", overhead: {memory: 1Gi}"),
			"exceeded quota: few, requested: limits.memory=2Gi, used: limits.memory=0, limited: limits.memory=1Gi"),
		pod("less than nothing", none("pods"), asks("cpu: '-1'", ""), "quota usage is negative for resource(s): cpu,requests.cpu"),
		pod("requests of the whole Pod", none("requests.cpu"), onePod("", ", resources: {requests: {cpu: '1'}}"), exceeded("requests.cpu", "1")),
		pod("limits of the whole Pod", none("limits.cpu"), onePod("", ", resources: {limits: {cpu: '2'}}"), exceeded("limits.cpu", "2")),
		pod("nothing of the whole Pod", none("requests.cpu"), onePod("", ", resources: {}"), "failed quota: few: must specify requests.cpu for: app"),
		{name: "the whole Pod before 1.34", version: "1.33", request: "CREATE pods web", cluster: none("requests.cpu"), object: onePod("", ", resources: {requests: {cpu: '1'}}"), want: []string{"failed quota: few: must specify requests.cpu for: app"}},
		{name: "the status of a claim is never too much", request: "UPDATE persistentvolumeclaims/status data", cluster: none("requests.storage"), object: claim("", sized("1Gi"), "allocatedResources: {storage: 2Gi}"), old: claim("", sized("1Gi"), "")},
		{name: "but the quota has to be known", request: "UPDATE persistentvolumeclaims/status data", cluster: quotaOf("requests.storage: '0'", "", ""), object: claim("", sized("1Gi"), ""), old: claim("", sized("1Gi"), ""), want: []string{"status unknown for quota: few, resources: requests.storage"}},
		{name: "not before 1.33", version: "1.32", request: "UPDATE persistentvolumeclaims/status data", cluster: quotaOf("requests.storage: '0'", "", ""), object: claim("", sized("1Gi"), ""), old: claim("", sized("1Gi"), "")},
		{name: "an update that counts the same", request: "UPDATE pods web", cluster: none("pods"), object: onePod("", ""), old: onePod("", "")},
		{name: "a resize", request: "UPDATE pods/resize web", cluster: none("cpu"), object: asks("cpu: 300m", ""), old: asks("cpu: 100m", ""), want: []string{exceeded("cpu", "200m")}},
		{name: "to less", request: "UPDATE pods/resize web", cluster: none("cpu"), object: asks("cpu: 50m", ""), old: asks("cpu: 100m", "")},
		{name: "not before 1.32", request: "UPDATE pods/resize web", cluster: none("cpu"), version: "1.31", object: asks("cpu: 300m", ""), old: asks("cpu: 100m", "")},
		{name: "a status", request: "UPDATE pods/status web", cluster: none("pods"), object: onePod("", ""), old: onePod("", "")},

		creates("by kind", "configmaps c", none("configmaps"), `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}`, exceeded("configmaps", "1")),
		creates("and by count", "secrets c", none("count/secrets"), `{apiVersion: v1, kind: Secret, metadata: {name: c, namespace: shop}}`, exceeded("count/secrets", "1")),
		creates("another kind", "secrets c", none("configmaps"), `{apiVersion: v1, kind: Secret, metadata: {name: c, namespace: shop}}`),
		creates("of a group", "apps/deployments d", none("count/deployments.apps"), `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: shop}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}}`,
			exceeded("count/deployments.apps", "1")),
		creates("an event", "events e", none("count/events"), `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: shop}, involvedObject: {namespace: shop}}`),
		{name: "an update", request: "UPDATE configmaps c", cluster: none("configmaps"), object: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, resourceVersion: "1"}, data: {a: b}}`,
			old: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, resourceVersion: "1"}}`},
		{name: "a deletion", request: "DELETE configmaps c", cluster: none("configmaps"), old: `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}`},
	})

	t.Run("scopes", func(t *testing.T) {
		const bestEffort, burstable = "", "cpu: 100m"
		of := func(scope string) string { return quotaOf("pods: '0'", "pods: '0'", ", "+scope) }
		scope := func(name string) string { return of("scopes: [" + name + "]") }
		selector := func(name, operator, values string) string {
			return of("scopeSelector: {matchExpressions: [{scopeName: " + name + ", operator: " + operator + values + "}]}")
		}
		counts, ends := exceeded("pods", "1"), ", activeDeadlineSeconds: 5"
		classed := func(class string) string { return onePod("", ", priorityClassName: "+class) }
		done := func(pod, phase string) string {
			return strings.TrimSuffix(pod, "}") + ", status: {phase: " + phase + "}}"
		}
		affinity := func(kind, term string) string {
			if kind == "required" {
				return onePod("", ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z"+term+"}]}}")
			}
			return onePod("", ", affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: z"+term+"}}]}}")
		}
		compare(t, "ResourceQuota", namespace, []row{
			pod("Terminating", scope("Terminating"), onePod("", ends), counts),
			pod("not one that goes on", scope("Terminating"), onePod("", "")),
			pod("at once", scope("Terminating"), onePod("", ", activeDeadlineSeconds: 0"), counts),
			pod("NotTerminating", scope("NotTerminating"), onePod("", ""), counts),
			pod("not one that ends", scope("NotTerminating"), onePod("", ends)),
			pod("BestEffort", scope("BestEffort"), asks(bestEffort, ""), counts),
			pod("not one that asks", scope("BestEffort"), asks(burstable, "")),
			pod("NotBestEffort", scope("NotBestEffort"), asks(burstable, ""), counts),
			pod("not one that does not ask", scope("NotBestEffort"), asks(bestEffort, "")),
			pod("both", scope("NotBestEffort, Terminating"), onePod(resources(burstable, ""), ends), counts),
			pod("one of both", scope("NotBestEffort, Terminating"), asks(burstable, "")),
			pod("any class", scope("PriorityClass"), classed("high"), counts),
			pod("no class", scope("PriorityClass"), onePod("", "")),
			pod("this class", selector("PriorityClass", "In", ", values: [low, high]"), classed("high"), counts),
			pod("another class", selector("PriorityClass", "In", ", values: [low]"), classed("high")),
			pod("a class, but not this", selector("PriorityClass", "NotIn", ", values: [high]"), classed("high")),
			pod("not that class", selector("PriorityClass", "NotIn", ", values: [low]"), classed("high"), counts),
			pod("none is not that class", selector("PriorityClass", "NotIn", ", values: [low]"), onePod("", ""), counts),
			pod("none at all", selector("PriorityClass", "DoesNotExist", ""), onePod("", ""), counts),
			pod("one after all", selector("PriorityClass", "DoesNotExist", ""), classed("high")),
			pod("one that exists", selector("PriorityClass", "Exists", ""), classed("high"), counts),
			pod("near other namespaces", scope("CrossNamespacePodAffinity"), affinity("required", ", namespaces: [a]"), counts),
			pod("by selector", scope("CrossNamespacePodAffinity"), affinity("required", ", namespaceSelector: {}"), counts),
			pod("by preference", scope("CrossNamespacePodAffinity"), affinity("preferred", ", namespaces: [a]"), counts),
			pod("near its own", scope("CrossNamespacePodAffinity"), affinity("required", "")),
			pod("its own by preference", scope("CrossNamespacePodAffinity"), affinity("preferred", "")),
			{name: "into the scope", request: "UPDATE pods web", cluster: scope("Terminating"), object: onePod("", ends), old: onePod("", ""), want: []string{counts}},
			{name: "not before 1.33", version: "1.32", request: "UPDATE pods web", cluster: scope("Terminating"), object: onePod("", ends), old: onePod("", "")},
			{name: "into the scope when it is done", request: "UPDATE pods web", cluster: scope("Terminating"), object: done(onePod("", ends), "Succeeded"), old: done(onePod("", ""), "Succeeded")},
			{name: "or has failed", request: "UPDATE pods web", cluster: scope("Terminating"), object: done(onePod("", ends), "Failed"), old: done(onePod("", ""), "Failed")},
			{name: "out of it", request: "UPDATE pods web", cluster: scope("Terminating"), object: onePod("", ""), old: onePod("", ends)},
			creates("only Pods have scopes", "configmaps c", quotaOf("configmaps: '0'", "configmaps: '0'", ", scopes: [BestEffort]"), `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}`),
			creates("and claims that of their attributes", "persistentvolumeclaims data", quotaOf("persistentvolumeclaims: '0'", "persistentvolumeclaims: '0'", ", scopeSelector: {matchExpressions: [{scopeName: VolumeAttributesClass, operator: In, values: [gold]}]}"),
				claim("", sized("1Gi")+", volumeAttributesClassName: gold", ""), exceeded("persistentvolumeclaims", "1")),
			creates("of these attributes", "persistentvolumeclaims data", quotaOf("persistentvolumeclaims: '0'", "persistentvolumeclaims: '0'", ", scopeSelector: {matchExpressions: [{scopeName: VolumeAttributesClass, operator: In, values: [gold]}]}"),
				claim("", sized("1Gi")+", volumeAttributesClassName: silver", "")),
		})
	})

	t.Run("services and claims", func(t *testing.T) {
		service := func(spec string) string {
			return `{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop, resourceVersion: "1"}, spec: {` + spec + `}}`
		}
		const ports = "ports: [{name: a, port: 80}, {name: b, port: 81, nodePort: 31000}, {name: c, port: 82, nodePort: 31001}]"
		const class = ", storageClassName: fast"
		fast := "fast.storageclass.storage.k8s.io/"
		of := func(name, hard string) string { return quotaOf(`"`+name+`": `+hard, `"`+name+`": "0"`, "") }
		update := func(name, resource, cluster, object, old string, want ...string) row {
			return row{name: name, request: "UPDATE " + resource, cluster: cluster, object: object, old: old, want: want}
		}
		compare(t, "ResourceQuota", namespace, []row{
			creates("a Service", "services s", none("services"), service(ports), exceeded("services", "1")),
			creates("ports of nodes", "services s", none("services.nodeports"), service("type: NodePort, "+ports), exceeded("services.nodeports", "3")),
			creates("none", "services s", none("services.nodeports"), service("type: ClusterIP, ports: [{port: 80}]")),
			creates("a load balancer", "services s", none("services.loadbalancers"), service("type: LoadBalancer, "+ports), exceeded("services.loadbalancers", "1")),
			creates("its ports", "services s", none("services.nodeports"), service("type: LoadBalancer, "+ports), exceeded("services.nodeports", "3")),
			creates("those that it names", "services s", none("services.nodeports"), service("type: LoadBalancer, allocateLoadBalancerNodePorts: false, "+ports), exceeded("services.nodeports", "2")),
			creates("one that it names as 0", "services s", none("services.nodeports"), service("type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{name: a, port: 80, nodePort: 0}, {name: b, port: 81, nodePort: 31000}]"), exceeded("services.nodeports", "1")),
			update("to a port of nodes", "services s", none("services.nodeports"), service("type: NodePort, ports: [{port: 80}]"), service("type: ClusterIP, ports: [{port: 80}]"), exceeded("services.nodeports", "1")),
			update("no more Services", "services s", none("services"), service("type: NodePort, ports: [{port: 80}]"), service("type: ClusterIP, ports: [{port: 80}]")),

			creates("storage", "persistentvolumeclaims data", of("requests.storage", "1Gi"), claim("", sized("2Gi"), ""), "exceeded quota: few, requested: requests.storage=2Gi, used: requests.storage=0, limited: requests.storage=1Gi"),
			creates("storage of a class", "persistentvolumeclaims data", of(fast+"requests.storage", "1Gi"), claim("", sized("2Gi")+class, ""),
				"exceeded quota: few, requested: "+fast+"requests.storage=2Gi, used: "+fast+"requests.storage=0, limited: "+fast+"requests.storage=1Gi"),
			creates("of another class", "persistentvolumeclaims data", of(fast+"requests.storage", "1Gi"), claim("", sized("2Gi"), "")),
			creates("claims of a class", "persistentvolumeclaims data", none(fast+"persistentvolumeclaims"), claim("", sized("2Gi")+class, ""), exceeded(fast+"persistentvolumeclaims", "1")),
			creates("claims by count", "persistentvolumeclaims data", none("count/persistentvolumeclaims"), claim("", sized("2Gi"), ""), exceeded("count/persistentvolumeclaims", "1")),
			creates("parts of bytes", "persistentvolumeclaims data", of("requests.storage", "'1'"), claim("", sized("1500m"), ""), "exceeded quota: few, requested: requests.storage=2, used: requests.storage=0, limited: requests.storage=1"),
			update("what is added", "persistentvolumeclaims data", of("requests.storage", "1Gi"), claim("", sized("3Gi"), ""), claim("", sized("1Gi"), ""),
				"exceeded quota: few, requested: requests.storage=2Gi, used: requests.storage=0, limited: requests.storage=1Gi"),
			update("what is allocated already", "persistentvolumeclaims data", of("requests.storage", "1Gi"), claim("", sized("3Gi"), "allocatedResources: {storage: 3Gi}"), claim("", sized("1Gi"), "allocatedResources: {storage: 3Gi}")),
		})
	})
}
