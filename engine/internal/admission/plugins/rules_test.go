package plugins_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file and its neighbours named after plugins have one table for each plugin: what it
// makes of requests that few clusters see. The differential test of conformance/builtin
// compares the same rules with the server's own plugins, on requests made at random.

// row is a request, and what a plugin makes of it.
type row struct {
	name string
	// request is the operation, group/resource/subresource, the name, and a namespace
	// other than shop; - is none.
	request     string
	object, old string
	cluster     string // besides that of the table
	version     string // the newest if it is empty
	// want is what comes of it: changes, warnings, audit annotations, and the rejection
	// without the words that begin each.
	want []string
	// configuration is what the plugin is configured with.
	configuration string
}

// compare runs one plugin on the rows of its table, for a user who may do everything.
func compare(t *testing.T, plugin, cluster string, rows []row) {
	t.Helper()
	compareAs(t, plugin, cluster, "allow", rows)
}

// compareAs is compare with another authorizer.
func compareAs(t *testing.T, plugin, cluster, authorizer string, rows []row) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			all := cluster
			if c.cluster != "" {
				all += "---\n" + c.cluster
			}
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: c.server(plugin), Request: c.review("jane", "developers"), Cluster: all, Kubernetes: c.version,
				Options: scenario.Options{Plugins: scenario.Exactly(plugin), Authorizer: authorizer, CompleteCluster: true}}, engine.Options{AdmissionOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Diagnostics {
				if d.Severity == "error" {
					t.Errorf("%s: %s", d.Code, d.Summary)
				}
			}
			var got []string
			for _, s := range r.Steps {
				if s.Kind != plugins.Kind || s.Pass > 0 {
					continue
				}
				for _, op := range s.Diff {
					value, err := json.Marshal(op.Value)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, strings.Join([]string{op.Op, op.Path, string(value)}, " "))
				}
			}
			for _, w := range r.Outcome.Warnings {
				got = append(got, "warning: "+w)
			}
			for _, key := range slices.Sorted(maps.Keys(r.Outcome.AuditAnnotations)) {
				got = append(got, key+": "+r.Outcome.AuditAnnotations[key])
			}
			if !r.Outcome.Allowed {
				_, message, forbidden := strings.Cut(r.Outcome.Message, " is forbidden: ")
				if !forbidden {
					message = fmt.Sprintf("%d %s", r.Outcome.Code, r.Outcome.Message)
				}
				got = append(got, message)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s\n%v", strings.Join(got, "\n"), strings.Join(c.want, "\n"), r.Diagnostics)
			}
		})
	}
}

// server is the server's file with the configuration of the plugin.
func (c row) server(plugin string) string {
	if c.configuration == "" {
		return ""
	}
	kind := "apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, "
	if plugin == "ResourceQuota" {
		kind = "apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, "
	}
	return "{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{name: " + plugin + ", configuration: {" + kind + c.configuration + "}}]}"
}

// review is the request of a row by a user.
func (c row) review(user string, groups ...string) string {
	words := strings.Fields(c.request)
	group, resource, grouped := strings.Cut(words[1], "/")
	if !grouped || !strings.Contains(group, ".") && group != "apps" && group != "batch" {
		group, resource = "", words[1]
	}
	resource, sub, _ := strings.Cut(resource, "/")
	place := "shop"
	if len(words) > 3 {
		place = strings.Trim(words[3], "-")
	} else if resource == "nodes" {
		place = ""
	}
	text := fmt.Sprintf("operation: %s\nresource: {group: %q, version: v1, resource: %s}\nsubResource: %q\nname: %q\nnamespace: %q\nuserInfo: {username: %q, groups: ['%s', 'system:authenticated']}\n",
		words[0], group, resource, sub, strings.Trim(words[2], "-"), place, user, strings.Join(groups, "', '"))
	if c.object != "" {
		text += "object: " + c.object + "\n"
	}
	if c.old != "" {
		text += "oldObject: " + c.old + "\n"
	}
	return text
}

// onePod is a Pod with one container, which has resources or other fields, and more in
// its spec.
func onePod(container, spec string) string {
	return `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, resourceVersion: "1"}, spec: {containers: [{name: app, image: a` + container + `}]` + spec + `}}`
}

func resources(requests, limits string) string {
	return `, resources: {requests: {` + requests + `}, limits: {` + limits + `}}`
}

func claim(metadata, spec, status string) string {
	return `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop, resourceVersion: "1"` + metadata + `}, spec: {accessModes: [ReadWriteOnce], ` + spec + `}, status: {` + status + `}}`
}

func sized(size string) string { return `resources: {requests: {storage: ` + size + `}}` }

// TestNamespaces: what a Namespace takes.
func TestNamespaces(t *testing.T) {
	const object = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: %s}}`
	in := func(namespace string) string { return fmt.Sprintf(object, namespace) }
	const namespace = `{apiVersion: v1, kind: Namespace, metadata: {name: %s}}`
	compare(t, "NamespaceLifecycle", `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: old}, status: {phase: Terminating}}
`, []row{
		{name: "one that is there", request: "CREATE configmaps c", object: in("shop")},
		{name: "one that goes", request: "CREATE configmaps c old", object: in("old"), want: []string{"unable to create new content in namespace old because it is being terminated"}},
		{name: "an update in it", request: "UPDATE configmaps c old", object: in("old"), old: in("old")},
		{name: "one that is not there", request: "CREATE configmaps c nowhere", object: in("nowhere"), want: []string{`404 namespaces "nowhere" not found`}},
		{name: "an update there", request: "UPDATE configmaps c nowhere", object: in("nowhere"), old: in("nowhere")},
		{name: "an update there until 1.36", version: "1.36", request: "UPDATE configmaps c nowhere", object: in("nowhere"), old: in("nowhere"), want: []string{`404 namespaces "nowhere" not found`}},
		{name: "a deletion there", request: "DELETE configmaps c nowhere", old: in("nowhere")},
		{name: "one that nobody deletes", request: "DELETE namespaces kube-system kube-system", old: fmt.Sprintf(namespace, "kube-system"), want: []string{"this namespace may not be deleted"}},
		{name: "another", request: "DELETE namespaces shop shop", old: fmt.Sprintf(namespace, "shop")},
		{name: "no namespace", request: "CREATE nodes n1 -", object: `{apiVersion: v1, kind: Node, metadata: {name: n1}}`},
		{name: "a new Namespace", request: "CREATE namespaces nowhere nowhere", object: fmt.Sprintf(namespace, "nowhere")},
	})
}

// TestLimits: the bounds of a LimitRange.
func TestLimits(t *testing.T) {
	limits := func(all string) string {
		return `{apiVersion: v1, kind: LimitRange, metadata: {name: sizes, namespace: shop}, spec: {limits: [` + all + `]}}` + "\n"
	}
	const (
		min   = `{type: Container, min: {cpu: 200m}}`
		max   = `{type: Container, max: {cpu: "1"}}`
		ratio = `{type: Container, maxLimitRequestRatio: {cpu: "2"}}`
		part  = `{type: Container, maxLimitRequestRatio: {cpu: 1500m}}`
		whole = `{type: Pod, min: {cpu: 200m}, max: {memory: 1Gi}}`
		sizes = `{type: PersistentVolumeClaim, min: {storage: 2Gi}, max: {storage: 4Gi}, maxLimitRequestRatio: {storage: "2"}}`
		init  = `, initContainers: [{name: first, image: a, resources: {requests: {cpu: 100m}}}]`
	)
	create := func(name, cluster, object string, want ...string) row {
		return row{name: name, request: "CREATE pods web", cluster: limits(cluster), object: object, want: want}
	}
	asks := func(requests, limits string) string { return onePod(resources(requests, limits), "") }
	big := func(n string) string { return `{type: Container, maxLimitRequestRatio: {memory: "` + n + `"}}` }
	rows := []row{
		create("at the minimum", min, asks("cpu: 200m", "")),
		create("a request below it", min, asks("cpu: 199m", ""), "minimum cpu usage per Container is 200m, but request is 199m"),
		create("a limit below it", min, asks("cpu: 300m", "cpu: 100m"), "minimum cpu usage per Container is 200m, but limit is 100m"),
		create("which is the default", min, asks("", ""), `add /metadata/annotations {"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu request for container app"}`,
			`add /spec/containers/0/resources/requests/cpu "200m"`),
		create("no request", whole, asks("", "memory: 1Gi"), "minimum cpu usage per Pod is 200m.  No request is specified"),
		create("of an init container", min, onePod(resources("cpu: 200m", ""), init), "minimum cpu usage per Container is 200m, but request is 100m"),
		create("at the maximum", max, asks("cpu: '1'", "cpu: '1'")),
		create("a limit above it", max, asks("cpu: '1'", "cpu: 1001m"), "maximum cpu usage per Container is 1, but limit is 1001m"),
		create("a request above it", max, asks("cpu: 1001m", "cpu: '1'"), "maximum cpu usage per Container is 1, but request is 1001m"),
		create("which is the default limit", max, asks("cpu: 100m", ""), `add /metadata/annotations {"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu limit for container app"}`,
			`add /spec/containers/0/resources/limits/cpu "1"`),
		create("no limit", whole, asks("cpu: 200m", ""), "maximum memory usage per Pod is 1Gi.  No limit is specified"),
		create("at the ratio", ratio, asks("cpu: '1'", "cpu: '2'")),
		create("above it", ratio, asks("cpu: '1'", "cpu: 2001m"), "cpu max limit to request ratio per Container is 2, but provided ratio is 2.001000"),
		create("no request to compare", ratio, asks("", ""), "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"),
		create("a request of nothing", ratio, asks("cpu: '0'", "cpu: '1'"), "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"),
		create("no limit to compare", ratio, asks("cpu: '1'", ""), "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"),
		create("a limit of nothing", ratio, asks("cpu: '1'", "cpu: '0'"), "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"),
		create("a ratio with a fraction", part, asks("cpu: 100m", "cpu: 160m"), "cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.600000"),
		create("within it", part, asks("cpu: 100m", "cpu: 150m")),
		create("a ratio too large to be counted in thousandths", big("10P"), asks("memory: '1'", "memory: 20P"),
			"memory max limit to request ratio per Container is 10P, but provided ratio is 20000000000000000.000000"),
		create("within such a ratio", big("10P"), asks("memory: '2'", "memory: 20P")),
		create("of the whole Pod", whole, asks("cpu: 100m", "memory: 2Gi"), "[minimum cpu usage per Pod is 200m, but request is 100m, maximum memory usage per Pod is 1Gi, but limit is 2Gi]"),
		create("within the whole", whole, asks("cpu: 200m", "memory: 1Gi")),
		create("of two ranges the first", min+", "+max, asks("cpu: 100m", "cpu: '2'"), "[minimum cpu usage per Container is 200m, but request is 100m, maximum cpu usage per Container is 1, but limit is 2]"),
		create("a Pod is no claim", sizes, asks("", "")),

		create("defaults", `{type: Container, defaultRequest: {cpu: 100m}, default: {memory: 1Gi, cpu: 200m}}, {type: Pod, max: {cpu: '9'}}`, onePod(resources("", "cpu: 300m"), init),
			`add /metadata/annotations {"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu, memory request for container app; memory limit for container app; memory request for init container first; cpu, memory limit for init container first"}`,
			`add /spec/containers/0/resources/limits/memory "1Gi"`, `add /spec/containers/0/resources/requests/cpu "100m"`, `add /spec/containers/0/resources/requests/memory "1Gi"`,
			`add /spec/initContainers/0/resources/requests/memory "1Gi"`, `add /spec/initContainers/0/resources/limits {"cpu":"200m","memory":"1Gi"}`),
		create("nothing to add", `{type: Container, defaultRequest: {cpu: 100m}}`, asks("cpu: 50m", "")),

		{name: "an update of a Pod", request: "UPDATE pods web", cluster: limits(min), object: asks("cpu: 1m", ""), old: asks("cpu: '1'", "")},
		{name: "a resize", request: "UPDATE pods/resize web", cluster: limits(min), object: asks("cpu: 1m", ""), old: asks("cpu: '1'", ""), want: []string{"minimum cpu usage per Container is 200m, but request is 1m"}},
		{name: "not before 1.32", request: "UPDATE pods/resize web", cluster: limits(min), version: "1.31", object: asks("cpu: 1m", ""), old: asks("cpu: '1'", "")},
		{name: "another subresource", request: "UPDATE pods/ephemeralcontainers web", cluster: limits(min), object: asks("cpu: 1m", ""), old: asks("cpu: '1'", "")},
		{name: "a claim", request: "CREATE persistentvolumeclaims data", cluster: limits(sizes), object: claim("", sized("2Gi"), "")},
		{name: "a small claim", request: "CREATE persistentvolumeclaims data", cluster: limits(sizes), object: claim("", sized("1Gi"), ""), want: []string{"minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi"}},
		{name: "a large claim", request: "CREATE persistentvolumeclaims data", cluster: limits(sizes), object: claim("", sized("5Gi"), ""), want: []string{"maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi"}},
		{name: "a claim for nothing", request: "CREATE persistentvolumeclaims data", cluster: limits(`{type: PersistentVolumeClaim, max: {storage: 4Gi}}`), object: claim("", "resources: {}", ""), want: []string{"maximum storage usage per PersistentVolumeClaim is 4Gi.  No request is specified"}},
		{name: "a claim is no Pod", request: "CREATE persistentvolumeclaims data", cluster: limits(whole), object: claim("", sized("1Gi"), "")},
		{name: "a claim that goes", request: "UPDATE persistentvolumeclaims data", cluster: limits(sizes), object: claim("", sized("1Gi"), ""), old: claim(`, deletionTimestamp: "2026-01-01T00:00:00Z"`, sized("1Gi"), "")},
		{name: "one that stays", request: "UPDATE persistentvolumeclaims data", cluster: limits(sizes), object: claim("", sized("1Gi"), ""), old: claim("", sized("1Gi"), ""), want: []string{"minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi"}},
	}
	compare(t, "LimitRanger", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n", rows)
}

// TestRuntimeClasses: overhead, node selector and tolerations of a class.
func TestRuntimeClasses(t *testing.T) {
	class := func(rest string) string {
		return `{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata` + rest + `}` + "\n"
	}
	const overhead = `, overhead: {podFixed: {cpu: 250m}}`
	scheduling := func(tolerations string) string { return `, scheduling: {tolerations: [` + tolerations + `]}` }
	create := func(name, cluster, spec string, want ...string) row {
		return row{name: name, request: "CREATE pods web", cluster: cluster, object: onePod("", ", runtimeClassName: kata"+spec), want: want}
	}
	const (
		exists   = `{key: a, operator: Exists}`
		noKey    = `{operator: Exists}`
		equal    = `{key: a, operator: Equal, value: x}`
		schedule = `{key: a, operator: Exists, effect: NoSchedule}`
		forever  = `{key: a, operator: Exists, effect: NoExecute}`
		minute   = `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}`
		hour     = `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 3600}`
	)
	both := func(name, given, ofClass string, want ...string) row {
		return create(name, class(scheduling(ofClass)), ", tolerations: ["+given+"]", want...)
	}
	const refused = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
	compare(t, "RuntimeClass", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n", []row{
		{name: "no class", request: "CREATE pods web", object: onePod("", "")},
		{name: "an overhead without one", request: "CREATE pods web", object: onePod("", ", overhead: {cpu: '1'}"), want: []string{"pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"}},
		create("one that is not there", "", "", `pod rejected: RuntimeClass "kata" not found`),
		create("one that says nothing", class(""), ""),
		create("an overhead of nothing", class(", overhead: {podFixed: {}}"), ""),
		create("a class that schedules nothing leaves tolerations alone", class(""), ", tolerations: [{key: a, operator: Exists}, {key: a, operator: Exists}]"),
		create("an overhead that it has not", class(""), ", overhead: {cpu: '1'}", "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"),
		create("its overhead", class(overhead), "", `add /spec/overhead {"cpu":"250m"}`),
		create("the same overhead", class(overhead), `, overhead: {cpu: "0.25"}`, `replace /spec/overhead/cpu "250m"`),
		create("another overhead", class(overhead), ", overhead: {cpu: '1'}", refused),
		create("an empty one", class(overhead), ", overhead: {}", `add /spec/overhead/cpu "250m"`),
		create("a node selector", class(`, scheduling: {nodeSelector: {a: x, b: k}}`), ", nodeSelector: {a: x}", `add /spec/nodeSelector/b "k"`),
		create("a contradiction", class(`, scheduling: {nodeSelector: {a: x}}`), ", nodeSelector: {a: z}", "conflict: runtimeClass.scheduling.nodeSelector[a] = x; pod.spec.nodeSelector[a] = z"),
		both("the same toleration", exists, exists),
		both("one more", exists, `{key: b, operator: Exists}`, `add /spec/tolerations/1 {"key":"b","operator":"Exists"}`),
		both("one within", exists, schedule),
		both("one around", schedule, exists, `remove /spec/tolerations/0/effect null`),
		both("a value within", exists, equal),
		both("another value", equal, `{key: a, operator: Equal, value: k}`, `add /spec/tolerations/1 {"key":"a","operator":"Equal","value":"k"}`),
		both("no key is every key", noKey, equal),
		both("another effect", schedule, forever, `add /spec/tolerations/1 {"effect":"NoExecute","key":"a","operator":"Exists"}`),
		both("a shorter time within", hour, minute),
		both("a longer time", minute, hour, `replace /spec/tolerations/0/tolerationSeconds 3600`),
		both("a time within none", forever, minute),
		both("none within a time", minute, forever, `remove /spec/tolerations/0/tolerationSeconds null`),
		{name: "an update", request: "UPDATE pods web", object: onePod("", ", runtimeClassName: kata"), old: onePod("", ", runtimeClassName: kata")},
	})
}

// TestNodes: labels of zones, and resizes.
func TestNodes(t *testing.T) {
	const nodes = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {topology.kubernetes.io/zone: z, topology.kubernetes.io/region: r, other: x}}, status: {allocatable: {cpu: "1", memory: 1Gi}}}
---
{apiVersion: v1, kind: Node, metadata: {name: w, labels: {kubernetes.io/os: windows}}, status: {allocatable: {cpu: "1", memory: 1Gi}}}
---
{apiVersion: v1, kind: Node, metadata: {name: l, labels: {kubernetes.io/os: linux}}, status: {allocatable: {cpu: "1", memory: 1Gi}}}
`
	const binding = `{apiVersion: v1, kind: Binding, metadata: {name: web, namespace: shop}, target: {kind: %s, name: n1}}`
	compare(t, "PodTopologyLabels", nodes, []row{
		{name: "a Pod with a node", request: "CREATE pods web", object: onePod("", ", nodeName: n1"), want: []string{`add /metadata/labels {"topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z"}`}},
		{name: "without one", request: "CREATE pods web", object: onePod("", "")},
		{name: "one that is not there", request: "CREATE pods web", object: onePod("", ", nodeName: n9")},
		{name: "one without zones", request: "CREATE pods web", object: onePod("", ", nodeName: l")},
		{name: "not before 1.35", request: "CREATE pods web", version: "1.34", object: onePod("", ", nodeName: n1")},
		{name: "a binding", request: "CREATE pods/binding web", object: fmt.Sprintf(binding, "Node"), want: []string{`add /metadata/labels {"topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z"}`}},
	})
	resize := func(name, node, before, after, rest string, want ...string) row {
		pod := func(requests string) string { return onePod(resources(requests, ""), ", nodeName: "+node+rest) }
		return row{name: name, request: "UPDATE pods/resize web", object: strings.Replace(pod(after), "resourceVersion:", "generation: 2, resourceVersion:", 1), old: strings.Replace(pod(before), "resourceVersion:", "generation: 1, resourceVersion:", 1), want: want}
	}
	older := resize("not before 1.36", "n1", "cpu: '1'", "cpu: '2'", "")
	older.version = "1.35"
	same := resize("nothing changes", "n1", "cpu: '2'", "cpu: '2'", "")
	same.object = strings.Replace(same.object, "generation: 2", "generation: 1", 1)
	compare(t, "PodResizeValidator", nodes, []row{
		resize("all of the node", "n1", "cpu: 500m", "cpu: '1', memory: 1Gi", ""),
		resize("too much", "n1", "cpu: 500m", "cpu: 1001m", "", "node didn't have enough allocatable resources: cpu, requested: 1001, allocatable: 1000"),
		resize("both", "n1", "cpu: 500m", "cpu: '2', memory: 2Gi", "", "node didn't have enough allocatable resources: cpu, requested: 2000, allocatable: 1000; memory, requested: 2147483648, allocatable: 1073741824"),
		resize("with its overhead", "n1", "cpu: 500m", "cpu: '1'", ", overhead: {cpu: 1m}", "node didn't have enough allocatable resources: cpu, requested: 1001, allocatable: 1000"),
		resize("on Windows", "w", "cpu: 500m", "cpu: '1'", "", `pod resize is only supported on linux nodes, node "w" is "windows"`),
		resize("on Linux", "l", "cpu: 500m", "cpu: '1'", ""),
		resize("on no node", "''", "cpu: 500m", "cpu: '100'", ""),
		resize("on one that is not there", "n9", "cpu: 500m", "cpu: '100'", "", `node "n9" not found`),
		older, same,
		{name: "no resize", request: "UPDATE pods web", object: onePod(resources("cpu: '9'", ""), ", nodeName: n1"), old: onePod("", ", nodeName: n1")},
	})
}

// TestStorage: sizes of claims, and finalizers.
func TestStorage(t *testing.T) {
	const bound = "phase: Bound"
	class := func(grows string) string {
		return `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: p` + grows + `}` + "\n"
	}
	const grows = ", allowVolumeExpansion: true"
	const fast = ", storageClassName: fast"
	resize := func(name, cluster, old, object string, want ...string) row {
		return row{name: name, request: "UPDATE persistentvolumeclaims data", cluster: cluster, object: object, old: old, want: want}
	}
	const refused = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
	annotated := `, annotations: {volume.beta.kubernetes.io/storage-class: fast}`
	compare(t, "PersistentVolumeClaimResize", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n", []row{
		resize("it grows", class(grows), claim("", sized("1Gi")+fast, bound), claim("", sized("2Gi")+fast, bound)),
		resize("the same size", class(""), claim("", sized("1Gi"), ""), claim("", sized("1Gi"), "")),
		resize("before it is bound", class(grows), claim("", sized("1Gi")+fast, "phase: Pending"), claim("", sized("2Gi")+fast, "phase: Pending"), "Only bound persistent volume claims can be expanded"),
		resize("of no class", class(grows), claim("", sized("1Gi"), bound), claim("", sized("2Gi"), bound), refused),
		resize("of a class that does not", class(""), claim("", sized("1Gi")+fast, bound), claim("", sized("2Gi")+fast, bound), refused),
		resize("of a class that is not there", "", claim("", sized("1Gi")+fast, bound), claim("", sized("2Gi")+fast, bound), refused),
		resize("and changes its class", class(grows), claim("", sized("1Gi"), bound), claim("", sized("2Gi")+fast, bound), refused),
		resize("a class by annotation", class(grows), claim(annotated, sized("1Gi"), bound), claim(annotated, sized("2Gi"), bound)),
	})
	const volume = `{apiVersion: v1, kind: PersistentVolume, metadata: {name: v%s}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /}}}`
	const attributes = `{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: gold}, driverName: d}`
	compare(t, "StorageObjectInUseProtection", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n", []row{
		{name: "a volume", request: "CREATE persistentvolumes v -", object: fmt.Sprintf(volume, ""), want: []string{`add /metadata/finalizers ["kubernetes.io/pv-protection"]`}},
		{name: "one that has it", request: "CREATE persistentvolumes v -", object: fmt.Sprintf(volume, ", finalizers: [kubernetes.io/pv-protection]")},
		{name: "one that has another", request: "CREATE persistentvolumes v -", object: fmt.Sprintf(volume, ", finalizers: [example.com/f]"), want: []string{`add /metadata/finalizers/1 "kubernetes.io/pv-protection"`}},
		{name: "attributes", request: "CREATE storage.k8s.io/volumeattributesclasses gold -", object: attributes, want: []string{`add /metadata/finalizers ["kubernetes.io/vac-protection"]`}},
	})
	const service = `{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop, resourceVersion: "1"}, spec: {ports: [{port: 80}], externalIPs: [%s]}}`
	denied := []string{"Use of external IPs is denied by admission control"}
	compare(t, "DenyServiceExternalIPs", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n", []row{
		{name: "none", request: "CREATE services s", object: fmt.Sprintf(service, "")},
		{name: "one", request: "CREATE services s", object: fmt.Sprintf(service, "192.0.2.1"), want: denied},
		{name: "which it had", request: "UPDATE services s", object: fmt.Sprintf(service, "192.0.2.1"), old: fmt.Sprintf(service, "192.0.2.2, 192.0.2.1")},
		{name: "one more", request: "UPDATE services s", object: fmt.Sprintf(service, "192.0.2.1, 192.0.2.3"), old: fmt.Sprintf(service, "192.0.2.1"), want: denied},
	})
}
