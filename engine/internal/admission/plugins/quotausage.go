package plugins

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// counter counts what an object takes of quotas.
type counter struct {
	*request
	old      map[string]any
	resource schema.GroupResource
}

func (r *request) counter() counter {
	return counter{r, r.Attributes.OldObject, r.Attributes.Resource.GroupResource()}
}

const countPrefix, requestsPrefix, limitsPrefix, hugePages = "count/", "requests.", "limits.", "hugepages-"

// aliases are the older names of counts.
var aliases = map[schema.GroupResource]string{
	{Resource: "configmaps"}: "configmaps", {Resource: "resourcequotas"}: "resourcequotas",
	{Resource: "replicationcontrollers"}: "replicationcontrollers", {Resource: "secrets"}: "secrets",
}

// podNames are what a quota counts of Pods by fixed names.
var podNames = []string{
	"count/pods", "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage",
	"limits.cpu", "limits.memory", "limits.ephemeral-storage", "pods",
}

var serviceNames = []string{"count/services", "services", "services.nodeports", "services.loadbalancers"}

// claimNames are what a quota counts of claims, also for one class each.
var claimNames = []string{"persistentvolumeclaims", "requests.storage"}

const classSuffix, devicesSuffix = ".storageclass.storage.k8s.io/", ".deviceclass.resource.k8s.io/devices"

// handles reports whether the request can change what is counted.
func (c counter) handles() bool {
	a := &c.Attributes
	create, update := a.Operation == "CREATE", a.Operation == "UPDATE"
	switch c.resource {
	case pods:
		if c.Version.Has(version.ResizesCounted) && a.SubResource == "resize" {
			return update
		}
		moved := update && c.Version.Has(version.ScopeChangesCounted) && terminating(c.object) != terminating(c.old)
		return a.SubResource == "" && (create || moved)
	case services:
		return a.SubResource == ""
	case claims:
		return a.SubResource == "" || a.SubResource == "status" && update && c.Version.Has(version.ClaimStatusCounted)
	}
	return a.SubResource == "" && (create || c.resource == deviceClaims)
}

// countName is the name by which a quota counts objects of any kind.
func (c counter) countName() string {
	if c.resource.Group == "" {
		return countPrefix + c.resource.Resource
	}
	return countPrefix + c.resource.Resource + "." + c.resource.Group
}

// restricted are the names of a quota that are about the resource.
func (c counter) restricted(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		switch c.resource {
		case pods:
			return !countsPods(name)
		case services:
			return !slices.Contains(serviceNames, name)
		case claims:
			byClass := func(n string) bool { return name == n || strings.HasSuffix(name, classSuffix+n) }
			return name != c.countName() && !slices.ContainsFunc(claimNames, byClass)
		}
		devices := c.resource == deviceClaims && (strings.HasSuffix(name, devicesSuffix) || c.classOf(name))
		return name != c.countName() && (aliases[c.resource] == "" || name != aliases[c.resource]) && !devices
	})
}

// classOf reports whether a name of a quota is that of the extended resource of a
// DeviceClass: the one that each has, or the one that it names (MatchingResources of
// claimEvaluator).
func (c counter) classOf(name string) bool {
	extended, requested := strings.CutPrefix(name, requestsPrefix)
	if !requested || !c.Version.Has(version.DevicesRequested) {
		return false
	}
	return slices.ContainsFunc(c.Cluster.List(deviceClassKind, "", labels.Everything()), func(o cluster.Object) bool {
		return extended == deviceClass+o.Name || extended == extendedName(o) && !native(extended)
	})
}

var deviceClassKind = schema.GroupKind{Group: deviceClaims.Group, Kind: "DeviceClass"}

// extendedName is the extended resource that a DeviceClass names.
func extendedName(class cluster.Object) string {
	return text(untyped.Sub(class.Value, "spec"), "extendedResourceName")
}

func countsPods(name string) bool {
	requested, isRequest := strings.CutPrefix(name, requestsPrefix)
	switch {
	case slices.Contains(podNames, name), strings.HasPrefix(name, hugePages), isRequest && strings.HasPrefix(requested, hugePages):
		return true
	}
	return isRequest && (!native(name) || strings.HasPrefix(requested, deviceClass))
}

// deviceClass begins the resources that stand for a class of devices.
const deviceClass = "deviceclass.resource.kubernetes.io/"

// native reports whether a resource is one of Kubernetes' own.
func native(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

// inScopes reports whether an object is in all scopes of a quota. Only Pods have
// scopes, and claims that of their VolumeAttributesClass.
func (c counter) inScopes(scopes []serverconfig.Scope, object map[string]any) bool {
	return !slices.ContainsFunc(scopes, func(s serverconfig.Scope) bool { return !c.inScope(s, object) })
}

func (c counter) inScope(s serverconfig.Scope, object map[string]any) bool {
	spec := untyped.Sub(object, "spec")
	switch {
	case c.resource == claims && s.ScopeName == "VolumeAttributesClass" && c.Version.Has(version.AttributesClasses):
		return matches(s, text(spec, "volumeAttributesClassName"))
	case c.resource != pods:
		return false
	}
	switch s.ScopeName {
	case "Terminating":
		return terminating(object)
	case "NotTerminating":
		return !terminating(object)
	case "BestEffort":
		return podresources.QOS(spec, c.Version) == podresources.BestEffort
	case "NotBestEffort":
		return podresources.QOS(spec, c.Version) != podresources.BestEffort
	case "PriorityClass":
		return matches(s, text(spec, "priorityClassName"))
	case "CrossNamespacePodAffinity":
		return crossesNamespaces(untyped.Sub(spec, "affinity"))
	}
	return false
}

// matches compares a class with a scope; "" is none.
func matches(s serverconfig.Scope, class string) bool {
	switch s.Operator {
	case "Exists":
		return class != ""
	case "DoesNotExist":
		return class == ""
	case "In":
		return class != "" && slices.Contains(s.Values, class)
	case "NotIn":
		return class == "" || !slices.Contains(s.Values, class)
	}
	return false
}

func terminating(pod map[string]any) bool {
	seconds, ok := untyped.Sub(pod, "spec")["activeDeadlineSeconds"].(int64)
	return ok && seconds >= 0
}

func crossesNamespaces(affinity map[string]any) bool {
	crosses := func(term map[string]any) bool {
		return len(list(term, "namespaces")) > 0 || term["namespaceSelector"] != nil
	}
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		terms := untyped.Sub(affinity, kind)
		if slices.ContainsFunc(untyped.Items(terms["requiredDuringSchedulingIgnoredDuringExecution"]), crosses) {
			return true
		}
		for _, weighted := range untyped.Items(terms["preferredDuringSchedulingIgnoredDuringExecution"]) {
			if crosses(untyped.Sub(weighted, "podAffinityTerm")) {
				return true
			}
		}
	}
	return false
}

// constraints rejects a Pod whose containers do not say what a quota counts:
// for cpu and memory the server insists.
func (c counter) constraints(restricted []string) error {
	if c.resource != pods {
		return nil
	}
	if whole := untyped.Sub(c.spec(), "resources"); whole["requests"] != nil || whole["limits"] != nil {
		if _, known := podresources.PodLevel(c.spec(), "requests", c.Version); known {
			return nil
		}
	}
	var problems []string
	main, init := podresources.Containers(c.spec())
	for _, name := range restricted { // in order
		if of := strings.TrimPrefix(strings.TrimPrefix(name, requestsPrefix), limitsPrefix); of != "cpu" && of != "memory" {
			continue
		}
		missing := map[string]bool{}
		for _, container := range slices.Concat(main, init) {
			if _, ok := computed(podresources.Container(container, "requests"), podresources.Container(container, "limits"))[name]; !ok {
				missing[text(container, "name")] = true
			}
		}
		if len(missing) > 0 {
			problems = append(problems, fmt.Sprintf("%s for: %s", name, strings.Join(sorted(missing), ",")))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("must specify %s", strings.Join(problems, "; "))
	}
	return nil
}

// computed are requests and limits under the names of quotas.
func computed(requests, limits podresources.List) used {
	out := used{"pods": one()}
	for _, name := range []string{"cpu", "memory", "ephemeral-storage"} {
		if amount, ok := requests[name]; ok {
			out[name], out[requestsPrefix+name] = amount, amount
		}
		if amount, ok := limits[name]; ok {
			out[limitsPrefix+name] = amount
		}
	}
	for name, amount := range requests {
		switch {
		case strings.HasPrefix(name, hugePages):
			out[name], out[requestsPrefix+name] = amount, amount
		case !native(name) && !strings.HasPrefix(name, requestsPrefix), strings.HasPrefix(name, deviceClass):
			out[requestsPrefix+name] = amount
		}
	}
	return out
}

func one() resource.Quantity { return *resource.NewQuantity(1, resource.DecimalSI) }

func (c counter) usage(object map[string]any) used {
	switch c.resource {
	case pods:
		return c.podUsage(object)
	case services:
		return serviceUsage(untyped.Sub(object, "spec"))
	case claims:
		return c.claimUsage(object)
	}
	out := used{c.countName(): one()}
	if alias := aliases[c.resource]; alias != "" {
		out[alias] = one()
	}
	if c.resource == deviceClaims {
		c.addDevices(out, object)
	}
	return out
}

// devices are the devices of one class that a claim asks for.
type devices struct {
	DeviceClassName string `json:"deviceClassName"`
	AllocationMode  string `json:"allocationMode"`
	Count           int64  `json:"count"`
}

// addDevices adds what a claim may get of each class of devices: of alternatives the most.
func (c counter) addDevices(out used, claim map[string]any) {
	var read struct {
		Spec struct {
			Devices struct {
				Requests []struct {
					Exactly        devices   `json:"exactly"`
					FirstAvailable []devices `json:"firstAvailable"`
				} `json:"requests"`
			} `json:"devices"`
		} `json:"spec"`
	}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(claim, &read) != nil {
		return
	}
	for _, asked := range read.Spec.Devices.Requests {
		most := map[string]int64{}
		for _, d := range append(asked.FirstAvailable, asked.Exactly) {
			if d.AllocationMode == "All" {
				d.Count = 32 // the most that a claim gets
			}
			most[d.DeviceClassName] = max(most[d.DeviceClassName], d.Count)
		}
		for class, count := range most {
			sum := out[class+devicesSuffix]
			sum.Add(*resource.NewQuantity(count, resource.DecimalSI))
			out[class+devicesSuffix] = sum
			if c.Version.Has(version.DevicesRequested) {
				out[requestsPrefix+deviceClass+class] = sum
				if o, _ := c.Cluster.Get(deviceClassKind, "", class); extendedName(o) != "" {
					out[requestsPrefix+extendedName(o)] = sum
				}
			}
		}
	}
}

func (c counter) podUsage(pod map[string]any) used {
	out := used{"count/pods": one()}
	if phase := text(untyped.Sub(pod, "status"), "phase"); phase == "Failed" || phase == "Succeeded" {
		return out
	}
	spec := untyped.Sub(pod, "spec")
	requests, limits := podresources.Sum(spec, "requests", c.Version), podresources.Sum(spec, "limits", c.Version)
	overhead := podresources.Of(spec["overhead"])
	requests.Add(overhead)
	for name, amount := range overhead {
		if limit, ok := limits[name]; ok && !limit.IsZero() {
			limits.Add(podresources.List{name: amount})
		}
	}
	for name, amount := range computed(requests, limits) {
		out[name] = amount
	}
	return out
}

func serviceUsage(spec map[string]any) used {
	ports := untyped.Items(spec["ports"])
	count := func(n int) resource.Quantity { return *resource.NewQuantity(int64(n), resource.DecimalSI) }
	out := used{"count/services": one(), "services": one(), "services.loadbalancers": count(0), "services.nodeports": count(0)}
	switch text(spec, "type") {
	case "NodePort":
		out["services.nodeports"] = count(len(ports))
	case "LoadBalancer":
		out["services.loadbalancers"], out["services.nodeports"] = one(), count(len(ports))
		if spec["allocateLoadBalancerNodePorts"] == false {
			named := 0
			for _, p := range ports {
				if number, ok := p["nodePort"].(int64); ok && number != 0 {
					named++
				}
			}
			out["services.nodeports"] = count(named)
		}
	}
	return out
}

func (c counter) claimUsage(claim map[string]any) used {
	out := used{"persistentvolumeclaims": one(), "count/persistentvolumeclaims": one()}
	class := classOfClaim(claim)
	if class != "" {
		out[class+classSuffix+"persistentvolumeclaims"] = one()
	}
	size, ok := podresources.Of(untyped.Sub(claim, "spec", "resources")["requests"])["storage"]
	if !ok {
		return out
	}
	size.RoundUp(0)
	if allocated, ok := podresources.Of(untyped.Sub(claim, "status")["allocatedResources"])["storage"]; ok && c.Version.Has(version.AllocatedStorageCounts) && allocated.Cmp(size) > 0 {
		size = allocated
		size.RoundUp(0)
	}
	out["requests.storage"] = size
	if class != "" {
		out[class+classSuffix+"requests.storage"] = size
	}
	return out
}
