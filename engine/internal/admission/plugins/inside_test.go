package plugins

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/pod-security-admission/api"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file tests single functions of the plugins with what no request brings to them by
// a short way.

// decoded is an object from a line of YAML, with whole numbers as int64.
func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return runtime.DeepCopyJSON(whole(out).(map[string]any))
}

func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = whole(item)
		}
	case []any:
		for i, item := range v {
			v[i] = whole(item)
		}
	case float64:
		return int64(v)
	}
	return v
}

// stored are objects of a cluster.
func stored(t *testing.T, texts ...string) *cluster.Cluster {
	t.Helper()
	var out []cluster.Object
	for _, given := range texts {
		o := decoded(t, given)
		api, _ := o["apiVersion"].(string)
		kind, _ := o["kind"].(string)
		out = append(out, cluster.Object{GVK: schema.FromAPIVersionAndKind(api, kind), Namespace: untyped.At[string](o, "metadata", "namespace"), Name: untyped.At[string](o, "metadata", "name"), Value: o})
	}
	return cluster.New(out, "2026-01-01T00:00:00Z", true)
}

// of is a request in such a cluster.
func of(c *cluster.Cluster, v string) *request {
	return &request{Chain: &run.Chain{Cluster: c, Version: version.MustParse(v), Report: &report.Report{}}}
}

// TestManyPods: the server looks at 3,000 Pods of a Namespace, at one of each controller
// before the others, and names the first of those that violate the level in the same way.
func TestManyPods(t *testing.T) {
	const bad = `{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: shop}, spec: {hostNetwork: true, containers: [{name: a, image: a}]}}`
	// A Pod that is the second of its controller, and violates the level, comes last.
	const owned = `{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: %s, controller: true}]}, spec: {hostNetwork: %t, containers: [{name: a, image: a}]}}`
	good := decoded(t, `{apiVersion: v1, kind: Pod, metadata: {name: g, namespace: shop}, spec: {containers: [{name: a, image: a}]}}`)
	many := func(n int, more ...string) *cluster.Cluster {
		var out []cluster.Object
		for _, given := range more {
			o := decoded(t, given)
			out = append(out, cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespace: "shop", Name: untyped.At[string](o, "metadata", "name"), Value: o})
		}
		for i := len(out); i < n; i++ {
			out = append(out, cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespace: "shop", Name: fmt.Sprintf("g%04d", i), Value: good})
		}
		return cluster.New(out, "2026-01-01T00:00:00Z", false)
	}
	const violate = `existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"`
	second := []string{fmt.Sprintf(owned, "a1", "u", false), fmt.Sprintf(owned, "a2", "u", true)}
	for _, c := range []struct {
		name    string
		cluster *cluster.Cluster
		want    []string
	}{
		{"all of them", many(3000, second...), []string{violate, "a2: host namespaces"}},
		{"all but the last", many(3001, second...), []string{"new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods"}},
		{"two of no controller", many(3, fmt.Sprintf(bad, "b"), fmt.Sprintf(bad, "a")), []string{violate, "a (and 1 other pod): host namespaces"}},
		{"what is no Pod", many(1, `{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: shop}, spec: {hostNetwork: true, containers: 5}}`), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := of(c.cluster, "1.36")
			if err := r.warnAboutPods("shop", api.LevelVersion{Level: api.LevelBaseline, Version: api.LatestVersion()}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.warnings, c.want) {
				t.Errorf("got %q", r.warnings)
			}
		})
	}
}

// TestPrioritisedPods: one Pod of each controller, and those of none, come first.
func TestPrioritisedPods(t *testing.T) {
	pod := func(name, owner string) string {
		if owner != "" {
			owner = ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: " + owner + "}]"
		}
		return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: shop" + owner + "}}"
	}
	c := stored(t, pod("a", "u, controller: true"), pod("b", "u, controller: true"), pod("c", ""), pod("d", ""), pod("e", "v, controller: true"), pod("f", "u"), pod("g", "v, controller: true"))
	var got []string
	for _, p := range of(c, "1.36").prioritisedPods("shop") {
		got = append(got, p.Name)
	}
	if want := "a c d e f b g"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

// TestResources: those that Pod Security looks at are in one order, as they are in texts.
func TestResources(t *testing.T) {
	var names []string
	for _, r := range podSecurityResources() {
		names = append(names, r.String())
	}
	if len(names) != 10 || !slices.IsSorted(names) {
		t.Errorf("got %q", names)
	}
}

// TestComparable: amounts are compared in thousandths, unless one of them is too large.
func TestComparable(t *testing.T) {
	for _, c := range []struct {
		amounts []string
		want    []int64
	}{
		{[]string{"1", "1500m"}, []int64{1000, 1500}},
		{[]string{"9223372036854775", "1m"}, []int64{9223372036854775000, 1}},
		{[]string{"9223372036854776", "1m"}, []int64{9223372036854776, 1}},
		{[]string{"1m", "9223372036854776"}, []int64{1, 9223372036854776}},
	} {
		var given []resource.Quantity
		for _, a := range c.amounts {
			given = append(given, resource.MustParse(a))
		}
		if got := comparable(given...); !slices.Equal(got, c.want) {
			t.Errorf("%q are %d", c.amounts, got)
		}
	}
}

// TestBounds: minimum, maximum and ratio of plugin/pkg/admission/limitranger of
// k8s.io/kubernetes, for what has limits and for what has none.
func TestBounds(t *testing.T) {
	const low, high, rate = "minimum cpu usage per Pod is 2", "maximum cpu usage per Pod is 2", "cpu max limit to request ratio per Pod is 2"
	for _, c := range []struct {
		request, limit string // "" is none
		claim          bool
		min, max, rate string // what comes after the beginning; "" for none
	}{
		{"2", "2", false, "", "", ""},
		{"2", "", false, "", ".  No limit is specified", ", but no limit is specified or limit is 0"},
		{"", "2", false, ".  No request is specified", "", ", but no request is specified or request is 0"},
		{"", "", false, ".  No request is specified", ".  No limit is specified", ", but no request is specified or request is 0"},
		{"1999m", "2", false, ", but request is 1999m", "", ""},
		{"2", "1999m", false, ", but limit is 1999m", "", ""},
		{"1", "2001m", false, ", but request is 1", ", but limit is 2001m", ", but provided ratio is 2.001000"},
		{"2001m", "2", false, "", ", but request is 2001m", ""},
		{"1", "2", false, ", but request is 1", "", ""},
		{"0", "2", false, ", but request is 0", "", ", but no request is specified or request is 0"},
		{"2", "0", false, ", but limit is 0", "", ", but no limit is specified or limit is 0"},
		{"2", "", true, "", "", ""},
		{"2001m", "", true, "", ", but request is 2001m", ""},
		{"", "", true, ".  No request is specified", ".  No request is specified", ""},
	} {
		asked := amounts{requests: podresources.List{}, limits: podresources.List{}, onlyRequests: c.claim}
		if c.request != "" {
			asked.requests["cpu"] = resource.MustParse(c.request)
		}
		if c.limit != "" {
			asked.limits["cpu"] = resource.MustParse(c.limit)
		}
		for _, test := range []struct{ field, start, want string }{{"min", low, c.min}, {"max", high, c.max}, {"maxLimitRequestRatio", rate, c.rate}} {
			got := ""
			if problems := outOfBounds(map[string]any{"type": "Pod", test.field: map[string]any{"cpu": "2"}}, []amounts{asked}); len(problems) > 0 {
				got = strings.TrimPrefix(problems[0].Error(), test.start)
			}
			if got != test.want {
				t.Errorf("%+v: %s is %q, want %q", c, test.field, got, test.want)
			}
		}
	}
}

// TestIncludes: whether a toleration tolerates all that another does
// (pkg/util/tolerations of k8s.io/kubernetes).
func TestIncludes(t *testing.T) {
	for _, c := range []struct {
		name, wide, narrow string
		want               bool
	}{
		{"itself", "{key: a}", "{key: a}", true},
		{"everything", "{operator: Exists}", "{key: a, operator: Equal, value: b, effect: NoSchedule}", true},
		{"another key", "{key: a, operator: Exists}", "{key: b, operator: Exists}", false},
		{"no key and a value", "{operator: Equal, value: b}", "{key: a, operator: Equal, value: b}", false},
		{"any value", "{key: a, operator: Exists}", "{key: a, operator: Equal, value: b}", true},
		{"the same value", "{key: a, operator: Equal, value: b}", "{key: a, operator: Equal, value: b, effect: NoSchedule}", true},
		{"without an operator", "{key: a, value: b}", "{key: a, operator: Equal, value: b}", true},
		{"which the other has to have", "{key: a, operator: Equal, value: b}", "{key: a, value: b, effect: NoSchedule}", false},
		{"any value is more than one", "{key: a, operator: Equal, value: ''}", "{key: a, operator: Exists, effect: NoSchedule}", false},
		{"another value", "{key: a, operator: Equal, value: b}", "{key: a, operator: Equal, value: c}", false},
		{"an operator that nobody knows", "{key: a, operator: Like}", "{key: a, operator: Like, effect: NoSchedule}", false},
		{"any effect", "{key: a, operator: Exists}", "{key: a, operator: Exists, effect: NoExecute}", true},
		{"one effect", "{key: a, operator: Exists, effect: NoExecute}", "{key: a, operator: Exists}", false},
		{"the same time", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}", "{key: a, operator: Equal, value: b, effect: NoExecute, tolerationSeconds: 60}", true},
		{"less time", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 59}", true},
		{"more time", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 61}", false},
		{"for ever", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}", "{key: a, operator: Exists, effect: NoExecute}", false},
		{"within for ever", "{key: a, operator: Exists, effect: NoExecute}", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 61}", true},
	} {
		if got := includes(decoded(t, c.wide), decoded(t, c.narrow)); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestUnknownScopes: a scope that nobody knows has nothing in it, nor has an operator.
func TestUnknownScopes(t *testing.T) {
	pod := decoded(t, "{spec: {priorityClassName: high}}")
	c := counter{of(stored(t), "1.36"), nil, pods}
	for _, s := range []serverconfig.Scope{{ScopeName: "Sunny", Operator: "Exists"}, {ScopeName: "PriorityClass", Operator: "Like", Values: []string{"high"}}, {ScopeName: "PriorityClass"}} {
		if c.inScope(s, pod) {
			t.Errorf("the Pod is in %+v", s)
		}
	}
}

// TestSizes: what claims take of storage; what is allocated counts with a size alone, and
// where it is more.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ asked, allocated, version, want string }{
		{"storage: 1Gi", "", "1.36", "1Gi"},
		{"storage: 1Gi", "storage: 2Gi", "1.36", "2Gi"},
		{"storage: 1Gi", "storage: 1Mi", "1.36", "1Gi"},
		{"storage: 1Gi", "storage: 2Gi", "1.31", "1Gi"},
		{"storage: 100m", "", "1.36", "1"},
		{"storage: '1'", "storage: 1100m", "1.36", "2"},
		{"", "storage: 2Gi", "1.36", ""},
		{"", "", "1.36", ""},
	} {
		claim := decoded(t, "{spec: {resources: {requests: {"+c.asked+"}}}, status: {allocatedResources: {"+c.allocated+"}}}")
		size, ok := counter{of(stored(t), c.version), nil, claims}.claimUsage(claim)["requests.storage"]
		if got := size.String(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestWithoutUsage: a claim without what a kubelet may write, which leaves the claim alone.
func TestWithoutUsage(t *testing.T) {
	const given = "{metadata: {name: a, resourceVersion: '1', managedFields: []}, spec: {a: b}, status: {phase: Bound, capacity: {}, conditions: [], allocatedResourceStatuses: {}, allocatedResources: {}}}"
	claim := decoded(t, given)
	if got := withoutUsage(claim); !reflect.DeepEqual(got, decoded(t, "{metadata: {name: a}, spec: {a: b}, status: {phase: Bound}}")) {
		t.Errorf("it becomes %v", got)
	}
	if !reflect.DeepEqual(claim, decoded(t, given)) {
		t.Errorf("what was given becomes %v", claim)
	}
}

// TestParseRequest: what is no request for a certificate.
func TestParseRequest(t *testing.T) {
	for given, want := range map[string]string{
		"***":  "illegal base64 data at input byte 0",
		"YQ==": "PEM block type must be CERTIFICATE REQUEST",
		"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCllRPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=": "PEM block type must be CERTIFICATE REQUEST",
	} {
		if _, err := parseRequest(given); err == nil || err.Error() != want {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// TestResizeCauses: the causes of a resize that is rejected.
func TestResizeCauses(t *testing.T) {
	r := of(stored(t, "{apiVersion: v1, kind: Node, metadata: {name: windows, labels: {kubernetes.io/os: windows}}}", "{apiVersion: v1, kind: Node, metadata: {name: small}}"), "1.36")
	for node, want := range map[string]string{"windows": "UnsupportedPlatform", "small": "NodeCapacity"} {
		r.object = decoded(t, "{metadata: {name: p, generation: 2}, spec: {nodeName: "+node+", containers: [{name: a, resources: {requests: {cpu: '1'}}}]}}")
		r.Attributes.SubResource, r.Attributes.OldObject = "resize", decoded(t, "{metadata: {name: p, generation: 1}}")
		status := r.refusal(podResize.validate(r)).ErrStatus
		if len(status.Details.Causes) != 1 || string(status.Details.Causes[0].Type) != want {
			t.Errorf("%s: %+v", node, status.Details.Causes)
		}
	}
}

// TestClasses: what a PriorityClass without a policy gives, and which of two defaults.
func TestClasses(t *testing.T) {
	const class = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: %s}, value: %d, globalDefault: true}"
	r := of(stored(t, fmt.Sprintf(class, "b", 5), fmt.Sprintf(class, "a", 5), fmt.Sprintf(class, "c", 6)), "1.36")
	r.object = decoded(t, "{spec: {preemptionPolicy: Never}}")
	if err := r.establishPriority(); err != nil {
		t.Fatal(err)
	}
	if want := decoded(t, "{spec: {priorityClassName: a, priority: 5, preemptionPolicy: Never}}"); !reflect.DeepEqual(r.object, want) {
		t.Errorf("the Pod becomes %v", r.object)
	}
}

// TestSeveralLimitRanges: which of two defaults counts is chance in the server, which is said.
func TestSeveralLimitRanges(t *testing.T) {
	sizes := func(name, limits string) string {
		return "{apiVersion: v1, kind: LimitRange, metadata: {name: " + name + ", namespace: shop}, spec: {limits: [" + limits + "]}}"
	}
	for limits, said := range map[string]bool{
		"{type: Container, default: {memory: 2Gi}}":               true,
		"{type: Container, defaultRequest: {cpu: '1'}}":           true,
		"{type: Container, max: {memory: 2Gi}, default: {}}":      false,
		"{type: Pod, max: {memory: 2Gi}, default: {memory: 2Gi}}": false,
	} {
		r := of(stored(t, sizes("a", "{type: Container, default: {memory: 1Gi}}"), sizes("b", limits)), "1.36")
		r.Attributes.Namespace, r.Attributes.Operation, r.Attributes.Kind.Kind = "shop", "CREATE", "Pod"
		r.object = decoded(t, "{metadata: {name: p}, spec: {containers: [{name: a}]}}")
		if err := limitRanger.admit(r); err != nil {
			t.Fatal(err)
		}
		if got := len(r.Report.NotSimulated) == 1 && strings.Contains(r.Report.NotSimulated[0], "has 2 LimitRanges with defaults"); got != said {
			t.Errorf("%s: %q", limits, r.Report.NotSimulated)
		}
	}
}

// TestSeveralDefaults: a claim says why it got this class of several.
func TestSeveralDefaults(t *testing.T) {
	class := func(name, created string) string {
		return "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " + name + ", creationTimestamp: '" + created + "', annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: p}"
	}
	for want, classes := range map[string][]string{
		"the scenario's cluster has no default StorageClass": nil,
		"a is the default StorageClass":                      {class("a", "2026-01-01T00:00:00Z")},
		"b is one of 2 default StorageClasses: the newest is used, and of equally new ones the first by name": {class("a", "2026-01-01T00:00:00Z"), class("b", "2026-01-02T00:00:00Z")},
		"a is one of 3 default StorageClasses: the newest is used, and of equally new ones the first by name": {class("c", "2026-01-02T00:00:00Z"), class("b", "2026-01-01T00:00:00Z"), class("a", "2026-01-02T00:00:00Z")},
	} {
		r := of(stored(t, classes...), "1.36")
		r.object = decoded(t, "{spec: {}}")
		if err := defaultStorageClass.admit(r); err != nil {
			t.Fatal(err)
		}
		if r.reason != want || len(classes) > 0 && r.spec()["storageClassName"] != want[:1] {
			t.Errorf("got %q, %v, want %q", r.reason, r.object, want)
		}
	}
}

// TestCopied: a copy has other maps and lists, but for the environment of containers, and
// lists that are missing stay so.
func TestCopied(t *testing.T) {
	given := map[string]any{"a": map[string]any{"b": []any{"c"}}, "none": []any(nil), "env": []any{"d"}, "map": map[string]any{"env": map[string]any{"e": "f"}}}
	out := copied(given)
	if !reflect.DeepEqual(out, given) {
		t.Errorf("the copy is %v", out)
	}
	out["a"].(map[string]any)["b"].([]any)[0] = "x"
	out["map"].(map[string]any)["env"].(map[string]any)["e"] = "x"
	if !reflect.DeepEqual(given["a"], map[string]any{"b": []any{"c"}}) || !reflect.DeepEqual(given["map"], map[string]any{"env": map[string]any{"e": "f"}}) {
		t.Errorf("a change of the copy is one of the object: %v", given)
	}
	out["env"].([]any)[0] = "x"
	if given["env"].([]any)[0] != "x" {
		t.Error("the environment was copied")
	}
	if copied(nil) != nil {
		t.Error("a copy of nothing is something")
	}
}

// TestStored: the objects of manifests get what the plugins gave the stored one. What the
// old object has by itself, the new one leaves out on purpose.
func TestStored(t *testing.T) {
	const bare, given = "{spec: {containers: []}}", "{spec: {containers: [], tolerations: [{operator: Exists}]}}"
	const full = "{spec: {containers: [], tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}, {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]}}"
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, plugin, resource string
		old, object            string // "" is none
		wantOld, want          string
	}{
		{"both", "DefaultTolerationSeconds", "pods", bare, bare, full, full},
		{"the old one had it", "DefaultTolerationSeconds", "pods", given, bare, given, bare},
		{"the new one has it", "DefaultTolerationSeconds", "pods", bare, given, full, given},
		{"a deletion", "DefaultTolerationSeconds", "pods", bare, "", full, ""},
		{"nothing from before", "DefaultTolerationSeconds", "pods", "", bare, "", full},
		{"another resource", "DefaultTolerationSeconds", "services", bare, bare, bare, bare},
		{"what would be refused", "Priority", "pods", "{spec: {priorityClassName: none, containers: []}}", bare, "{spec: {priorityClassName: none, containers: []}}", bare},
		{"a plugin that changes nothing", "NamespaceLifecycle", "pods", bare, bare, bare, bare},
		{"one that only validates", "PodSecurity", "pods", bare, bare, bare, bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := func(text string) map[string]any {
				if text == "" {
					return nil
				}
				return decoded(t, text)
			}
			chain := &run.Chain{Catalog: kinds, Version: version.Default(), Cluster: stored(t), Report: &report.Report{}, Evaluator: eval.NewEvaluator(t.Context(), eval.Options{})}
			chain.Attributes.Kind, chain.Attributes.Resource = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, schema.GroupVersionResource{Version: "v1", Resource: c.resource}
			chain.Attributes.Operation, chain.Attributes.Namespace = "UPDATE", "shop"
			set, _ := Select(version.Default(), scenario.Exactly(c.plugin))
			old, now := set.Stored(chain, object(c.old), object(c.object))
			if !reflect.DeepEqual(old, object(c.wantOld)) || !reflect.DeepEqual(now, object(c.want)) {
				t.Errorf("they become %v and %v", old, now)
			}
			if len(chain.Report.NotSimulated)+len(chain.Steps()) > 0 {
				t.Errorf("the report has %v, %v", chain.Report.NotSimulated, chain.Steps())
			}
		})
	}
}
