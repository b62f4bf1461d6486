package plugins_test

import "testing"

// TestLimitedByQuota: what the server's configuration lets nobody have without a quota.
func TestLimitedByQuota(t *testing.T) {
	const (
		namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n"
		cpu       = "limitedResources: [{resource: pods, matchContains: [requests.]}, {resource: pods, matchContains: [cpu, memory]}]"
		high      = "limitedResources: [{resource: pods, matchScopes: [{scopeName: PriorityClass, operator: In, values: [high, higher]}]}]"
		class     = "limitedResources: [{resource: persistentvolumeclaims, matchContains: [.storageclass.storage.k8s.io/requests.storage]}]"
		jobs      = "limitedResources: [{apiGroup: batch, resource: jobs, matchContains: [count/]}]"
		ofHigh    = ", scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}"
		priority  = ", priorityClassName: high"
		noScope   = "500 insufficient quota to match these scopes: [{PriorityClass In [high higher]}]"
	)
	asks := onePod(resources("cpu: 100m", "cpu: 500m"), "")
	scoped := func(spec, status string) string {
		return "{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop}, spec: {hard: {pods: '9'}" + spec + "}" + status + "}\n"
	}
	const used = ", status: {hard: {pods: '9'}, used: {pods: '0'}}"
	job := "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: shop}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}"
	compare(t, "ResourceQuota", namespace, []row{
		{name: "no quota", request: "CREATE pods web", object: asks, configuration: cpu, want: []string{"insufficient quota to consume: cpu,limits.cpu,requests.cpu"}},
		{name: "nothing of it", request: "CREATE pods web", object: onePod("", ""), configuration: cpu},
		{name: "one is covered", request: "CREATE pods web", object: asks, configuration: cpu, cluster: quotaOf("cpu: '1'", "cpu: '0'", ""), want: []string{"insufficient quota to consume: limits.cpu,requests.cpu"}},
		{name: "all are", request: "CREATE pods web", object: asks, configuration: cpu, cluster: quotaOf("cpu: '1', limits.cpu: '2', requests.cpu: '1'", "cpu: '0', limits.cpu: '0', requests.cpu: '0'", "")},
		{name: "before it is too much", request: "CREATE pods web", object: asks, configuration: cpu, cluster: quotaOf("cpu: 1m", "cpu: '0'", ""), want: []string{"insufficient quota to consume: limits.cpu,requests.cpu"}},
		{name: "a quota for others", request: "CREATE pods web", object: asks, configuration: cpu, cluster: quotaOf("cpu: '1', limits.cpu: '2', requests.cpu: '1'", "cpu: '0', limits.cpu: '0', requests.cpu: '0'", ofHigh), want: []string{"insufficient quota to consume: cpu,limits.cpu,requests.cpu"}},
		{name: "a class", request: "CREATE pods web", object: onePod("", priority), configuration: high, want: []string{noScope}},
		{name: "another class", request: "CREATE pods web", object: onePod("", ", priorityClassName: low"), configuration: high},
		{name: "a class with a quota", request: "CREATE pods web", object: onePod("", priority), configuration: high, cluster: scoped(ofHigh, used)},
		{name: "with one for others", request: "CREATE pods web", object: onePod("", priority), configuration: high, cluster: scoped("", used), want: []string{noScope}},
		{name: "with one that counts something else", request: "CREATE pods web", object: onePod("", priority), configuration: high, cluster: quotaOf("services: '1'", "services: '1'", ofHigh)},
		{name: "with one that has no status yet", request: "CREATE pods web", object: onePod("", priority), configuration: high, cluster: scoped(ofHigh, "")},
		{name: "a storage class", request: "CREATE persistentvolumeclaims data", object: claim("", "storageClassName: fast, resources: {requests: {storage: 1Gi}}", ""), configuration: class,
			want: []string{"insufficient quota to consume: fast.storageclass.storage.k8s.io/requests.storage"}},
		{name: "no storage class", request: "CREATE persistentvolumeclaims data", object: claim("", "resources: {requests: {storage: 1Gi}}", ""), configuration: class},
		{name: "a kind with a group", request: "CREATE batch/jobs j", object: job, configuration: jobs, want: []string{"insufficient quota to consume: count/jobs.batch"}},
		{name: "another kind", request: "CREATE configmaps c", object: "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}", configuration: jobs},
		{name: "an update that takes nothing more", request: "UPDATE persistentvolumeclaims data", configuration: class,
			object: claim("", "storageClassName: fast, resources: {requests: {storage: 1Gi}}", ""), old: claim("", "storageClassName: fast, resources: {requests: {storage: 1Gi}}", "")},
		{name: "an update that takes more", request: "UPDATE persistentvolumeclaims data", configuration: class,
			object: claim("", "storageClassName: fast, resources: {requests: {storage: 2Gi}}", ""), old: claim("", "storageClassName: fast, resources: {requests: {storage: 1Gi}}", ""),
			want: []string{"insufficient quota to consume: fast.storageclass.storage.k8s.io/requests.storage"}},
	})
}

// TestDevicesOfClaims: quotas count the devices that a claim may get, by their class.
func TestDevicesOfClaims(t *testing.T) {
	const (
		namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n"
		devices   = "gpu.deviceclass.resource.k8s.io/devices"
		gpu       = "exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 2}"
	)
	claims := func(name, hard, requests string, want ...string) row {
		return row{name: name, request: "CREATE resource.k8s.io/resourceclaims c", cluster: quotaOf(hard, hard[:len(hard)-3]+"'0'", ""), want: want,
			object: "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: shop}, spec: {devices: {requests: [" + requests + "]}}}"}
	}
	limited := func(version string, want ...string) row {
		r := claims("as extended resources in "+version, "services: '0'", "{name: a, "+gpu+"}", want...)
		r.version, r.configuration = version, "limitedResources: [{apiGroup: resource.k8s.io, resource: resourceclaims, matchContains: [requests.]}]"
		return r
	}
	refused := func(name, requested, hard string) string {
		return "exceeded quota: few, requested: " + name + "=" + requested + ", used: " + name + "=0, limited: " + name + "=" + hard
	}
	named := func(version, name, hard string, want ...string) row {
		r := claims(name+" in "+version, hard, "{name: a, "+gpu+"}", want...)
		r.version = version
		r.cluster += "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}\n"
		return r
	}
	const extended, implicit = "requests.example.com/gpu", "requests.deviceclass.resource.kubernetes.io/gpu"
	compare(t, "ResourceQuota", namespace, []row{
		named("1.36", "the name of the class", extended+": '1'", refused(extended, "2", "1")),
		named("1.36", "the name that each has", implicit+": '1'", refused(implicit, "2", "1")),
		named("1.36", "enough", extended+": '2'"),
		named("1.36", "another name", "requests.example.com/fpga: '0'"),
		named("1.35", "the name of the class", extended+": '1'"),
		claims("of a class that is not there", implicit+": '1'", "{name: a, "+gpu+"}"),
		claims("two of three", devices+": '3'", "{name: a, "+gpu+"}"),
		claims("four", devices+": '3'", "{name: a, "+gpu+"}, {name: b, "+gpu+"}", refused(devices, "4", "3")),
		claims("another class", "fpga.deviceclass.resource.k8s.io/devices: '0'", "{name: a, "+gpu+"}"),
		claims("all that there are", devices+": '3'", "{name: a, exactly: {deviceClassName: gpu, allocationMode: All}}", refused(devices, "32", "3")),
		claims("the most of alternatives", devices+": '3'", "{name: a, firstAvailable: [{name: x, deviceClassName: gpu, allocationMode: ExactCount, count: 4}, {name: w, deviceClassName: gpu, allocationMode: ExactCount, count: 1}, {name: z, deviceClassName: fpga, allocationMode: All}]}", refused(devices, "4", "3")),
		limited("1.36", "insufficient quota to consume: requests.deviceclass.resource.kubernetes.io/gpu"),
		limited("1.35"),
		claims("a claim as such", "count/resourceclaims.resource.k8s.io: '0'", "{name: a, "+gpu+"}", refused("count/resourceclaims.resource.k8s.io", "1", "0")),
	})
}
