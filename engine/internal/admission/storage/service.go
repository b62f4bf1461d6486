package storage

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// This file gives Services their addresses and ports, as the server does before
// the validating phase, also in a dry run. Which they are is chance: the values
// here are placeholders from the ranges that the server has by default
// (--service-cluster-ip-range, --service-node-port-range).

// placeholders are the values that stand for those of the server. There are two
// of each, so that a run with the second shows what depends on the first.
type placeholders struct {
	ipv4, ipv6 string
	port       int64
}

var allocations = [2]placeholders{{"10.0.0.100", "fd00::100", 30100}, {"10.0.0.220", "fd00::220", 32220}}

// allocator gives one Service its values.
type allocator struct {
	*Storage
	next int64 // the number of ports given
}

func (a *allocator) values() placeholders { return allocations[a.Variant] }

// port is the next free port.
func (a *allocator) port(pointer string) int64 {
	a.note(pointer)
	a.next++
	return a.values().port + a.next - 1
}

func (a *allocator) address(family, pointer string) string {
	a.note(pointer)
	if family == "IPv6" {
		return a.values().ipv6
	}
	return a.values().ipv4
}

func (e *Storage) note(pointer string) {
	if !slices.Contains(e.Placeholders, pointer) {
		e.Placeholders = append(e.Placeholders, pointer)
	}
}

// allocate is the creation of a Service.
func allocate(e *Storage, service map[string]any) {
	spec := untyped.Child(service, "spec")
	if ip := text(spec["clusterIP"]); ip != "" && spec["clusterIPs"] == nil {
		spec["clusterIPs"] = []any{ip}
	}
	if contradicts(spec) {
		return
	}
	a := &allocator{Storage: e}
	a.families(spec)
	a.addresses(spec)
	a.ports(spec)
}

// contradicts reports whether clusterIPs has something else than addresses, or is there without
// clusterIP. The server rejects such a Service before it allocates anything (initIPFamilyFields).
func contradicts(spec map[string]any) bool {
	ips, _ := spec["clusterIPs"].([]any)
	return len(ips) > 0 && text(spec["clusterIP"]) == "" || slices.ContainsFunc(ips, func(ip any) bool {
		return text(ip) != "None" && len(validation.IsValidIPForLegacyField(nil, text(ip), false, nil)) > 0
	})
}

const externalName = "ExternalName"

// families fills in which kinds of addresses a Service has. A cluster that has
// only one kind would refuse a Service that asks for both; which kinds there are is not
// known here, so it gets what it asks for.
func (a *allocator) families(spec map[string]any) {
	if spec["type"] == externalName {
		return
	}
	selector, _ := spec["selector"].(map[string]any)
	open := spec["clusterIP"] == "None" && len(selector) == 0
	if spec["ipFamilyPolicy"] == nil {
		spec["ipFamilyPolicy"] = "SingleStack"
		if open {
			spec["ipFamilyPolicy"] = "RequireDualStack"
		}
	}
	list, _ := spec["ipFamilies"].([]any)
	ips, _ := spec["clusterIPs"].([]any)
	for i, ip := range ips { // None counts as one of the default family
		if i >= len(list) {
			list = append(list, familyOf(text(ip)))
		}
	}
	if len(list) == 0 {
		list = []any{"IPv4"}
	}
	dual := spec["ipFamilyPolicy"] == "RequireDualStack" || open && spec["ipFamilyPolicy"] != "SingleStack"
	if dual && len(list) == 1 {
		list = append(list, other(text(list[0])))
	}
	spec["ipFamilies"] = list
}

func familyOf(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil && ip.Is6() && !ip.Is4In6() {
		return "IPv6"
	}
	return "IPv4"
}

func other(family string) string {
	if family == "IPv4" {
		return "IPv6"
	}
	return "IPv4"
}

// addresses allocates those that are not given.
func (a *allocator) addresses(spec map[string]any) {
	ips, _ := spec["clusterIPs"].([]any)
	if spec["type"] == externalName || len(ips) > 0 && ips[0] == "None" {
		return
	}
	families, _ := spec["ipFamilies"].([]any) // at least one
	for i, family := range families {
		if i >= len(ips) {
			ips = append(ips, "")
		}
		if text(ips[i]) == "" {
			ips[i] = a.address(text(family), fmt.Sprintf("/spec/clusterIPs/%d", i))
		}
	}
	spec["clusterIPs"] = ips
	if text(spec["clusterIP"]) == "" {
		a.note("/spec/clusterIP")
		spec["clusterIP"] = ips[0]
	}
}

// ports allocates node ports, one for each port number, and the port of health
// checks.
func (a *allocator) ports(spec map[string]any) {
	if allocates(spec) {
		given := map[any]any{} // node port by port
		list := untyped.Items(spec["ports"])
		for i, port := range list {
			switch {
			case set(port["nodePort"]):
			case given[port["port"]] != nil:
				port["nodePort"] = given[port["port"]]
			default:
				port["nodePort"] = a.requested(list[i:], port["port"], i)
			}
			if given[port["port"]] == nil {
				given[port["port"]] = port["nodePort"]
			}
		}
	}
	if healthChecked(spec) && !set(spec["healthCheckNodePort"]) {
		spec["healthCheckNodePort"] = a.port("/spec/healthCheckNodePort")
	}
}

// requested is the node port that a later entry for the same port asks for, or a
// free one.
func (a *allocator) requested(list []map[string]any, number any, index int) any {
	for _, port := range list {
		if port["port"] == number && set(port["nodePort"]) {
			return port["nodePort"]
		}
	}
	return a.port(fmt.Sprintf("/spec/ports/%d/nodePort", index))
}

// allocates reports whether a Service of a type with node ports gets those that
// it does not name.
func allocates(spec map[string]any) bool {
	return spec["type"] == "NodePort" || spec["type"] == "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] != false
}

func healthChecked(spec map[string]any) bool {
	return spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

// set reports whether a number is there and not 0.
func set(v any) bool { return v != nil && v != int64(0) }

// keepAllocated is the update of a Service: what it does not name stays, what its
// new type has no use for goes, what it newly needs is allocated.
func keepAllocated(e *Storage, service, old map[string]any) {
	spec := untyped.Child(service, "spec")
	before, _ := old["spec"].(map[string]any)
	hadIP, hasIP := before["type"] != externalName, spec["type"] != externalName
	if hadIP && hasIP {
		keep(spec, before, "clusterIP", "clusterIPs", "ipFamilyPolicy", "ipFamilies")
		single := spec["ipFamilyPolicy"] == "SingleStack"
		for _, name := range []string{"clusterIPs", "ipFamilies"} {
			if list, _ := spec[name].([]any); single && len(list) > 0 && reflect.DeepEqual(list, before[name]) {
				spec[name] = list[:1]
			}
		}
	}
	if ip := text(spec["clusterIP"]); ip != "" && ip != text(before["clusterIP"]) && reflect.DeepEqual(spec["clusterIPs"], before["clusterIPs"]) {
		spec["clusterIPs"] = []any{ip} // as an old client means it (normalizeClusterIPs)
	}
	if allocates(before) && allocates(spec) {
		keepPorts(spec, before)
	}
	if healthChecked(spec) && !set(spec["healthCheckNodePort"]) {
		spec["healthCheckNodePort"] = before["healthCheckNodePort"] // none, if it was not checked
	}
	dropUnneeded(spec, before)
	if contradicts(spec) {
		return
	}
	a := &allocator{Storage: e}
	a.families(spec)
	if ips, _ := before["clusterIPs"].([]any); !(len(ips) > 0 && ips[0] == "None") {
		a.addresses(spec)
	}
	a.ports(spec)
}

// keep takes over what is not given.
func keep(spec, before map[string]any, fields ...string) {
	for _, name := range fields {
		list, isList := spec[name].([]any)
		if v := spec[name]; v == nil || v == "" || isList && len(list) == 0 {
			if value, ok := before[name]; ok {
				spec[name] = runtime.DeepCopyJSONValue(value)
			}
		}
	}
}

// keepPorts takes over the node ports of ports with the same name, unless
// another port uses them.
func keepPorts(spec, before map[string]any) {
	used, named := map[any]bool{}, map[string]any{}
	for _, port := range untyped.Items(before["ports"]) {
		named[text(port["name"])] = port["nodePort"]
		for _, now := range untyped.Items(spec["ports"]) {
			used[port["nodePort"]] = used[port["nodePort"]] || now["nodePort"] == port["nodePort"]
		}
	}
	for _, port := range untyped.Items(spec["ports"]) {
		if value := named[text(port["name"])]; !set(port["nodePort"]) && set(value) && !used[value] {
			port["nodePort"] = value
		}
	}
}

// dropUnneeded removes what a former type needed and the new one does not, as
// long as the client did not change it as well.
func dropUnneeded(spec, before map[string]any) {
	if before["type"] != externalName && spec["type"] == externalName {
		drop(spec, before, "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
	}
	portsOf := func(spec map[string]any) (out []any) {
		for _, port := range untyped.Items(spec["ports"]) {
			out = append(out, port["nodePort"])
		}
		return out
	}
	if allocates(before) && !allocates(spec) && reflect.DeepEqual(portsOf(spec), portsOf(before)) {
		for _, port := range untyped.Items(spec["ports"]) {
			delete(port, "nodePort")
		}
	}
	if healthChecked(before) && !healthChecked(spec) {
		drop(spec, before, "healthCheckNodePort")
	}
	if before["type"] == "LoadBalancer" && spec["type"] != "LoadBalancer" {
		drop(spec, before, "allocateLoadBalancerNodePorts", "loadBalancerClass")
	}
	if external(before) && !external(spec) {
		drop(spec, before, "externalTrafficPolicy")
	}
}

// external reports whether a Service can be reached from outside.
func external(spec map[string]any) bool {
	ips, _ := spec["externalIPs"].([]any)
	return spec["type"] == "LoadBalancer" || spec["type"] == "NodePort" || spec["type"] == "ClusterIP" && len(ips) > 0
}

func drop(spec, before map[string]any, fields ...string) {
	for _, name := range fields {
		if reflect.DeepEqual(spec[name], before[name]) {
			delete(spec, name)
		}
	}
}
