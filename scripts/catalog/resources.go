package main

import (
	"bytes"
	"fmt"
	"strings"
)

// This file holds what the Go source does not say: resources without a generated client, irregular
// plurals, and subresources. It was collected from kube-apiserver's storage maps
// (pkg/registry/*/rest) and is checked against recorded responses of a real server.

// noClient are served kinds without a genclient marker; the value is their scope.
var noClient = map[string]string{
	"core/v1.Binding": "Namespaced",
}

// notResources are kinds with a genclient marker but without a path: they are only served as
// subresources.
var notResources = map[string]bool{
	"policy/v1.Eviction": true, "policy/v1beta1.Eviction": true,
	"authentication/v1.TokenRequest": true,
}

// optionKinds are kinds that are only the object of a CONNECT request or a subresource.
var optionKinds = map[string]bool{
	"core/v1.PodExecOptions": true, "core/v1.PodAttachOptions": true, "core/v1.PodPortForwardOptions": true,
	"core/v1.PodProxyOptions": true, "core/v1.ServiceProxyOptions": true, "core/v1.NodeProxyOptions": true,
	"core/v1.PodLogOptions": true, "policy/v1.Eviction": true, "authentication/v1.TokenRequest": true,
	"autoscaling/v1.Scale": true, "admission/v1.AdmissionReview": true, "admission/v1beta1.AdmissionReview": true,
}

// plurals are irregular resource names (see plural).
var plurals = map[string]string{
	"Endpoints":               "endpoints",
	"ResourceClaimParameters": "resourceclaimparameters",
	"ResourceClassParameters": "resourceclassparameters",
}

// subresources lists subresources by group and resource: name, or name=kind if the kind is not the
// resource's own, with a range of releases if it was added later.
var subresources = map[string][]string{
	"/pods": {
		"attach=core/v1.PodAttachOptions", "binding=core/v1.Binding", "ephemeralcontainers",
		"eviction=policy/v1.Eviction", "exec=core/v1.PodExecOptions", "log",
		"portforward=core/v1.PodPortForwardOptions", "proxy=core/v1.PodProxyOptions", "resize@33-", "status",
	},
	"/replicationcontrollers": {"scale=autoscaling/v1.Scale", "status"},
	"/serviceaccounts":        {"token=authentication/v1.TokenRequest"},
	"/services":               {"proxy=core/v1.ServiceProxyOptions", "status"},
	"/nodes":                  {"proxy=core/v1.NodeProxyOptions", "status"},
	"/namespaces":             {"finalize", "status"},
	"/persistentvolumes":      {"status"},
	"/persistentvolumeclaims": {"status"},
	"/resourcequotas":         {"status"},
	"apps/deployments":        {"scale=autoscaling/v1.Scale", "status"},
	"apps/replicasets":        {"scale=autoscaling/v1.Scale", "status"},
	"apps/statefulsets":       {"scale=autoscaling/v1.Scale", "status"},
	"apps/daemonsets":         {"status"},

	"autoscaling/horizontalpodautoscalers":                     {"status"},
	"batch/cronjobs":                                           {"status"},
	"batch/jobs":                                               {"status"},
	"certificates.k8s.io/certificatesigningrequests":           {"approval", "status"},
	"certificates.k8s.io/podcertificaterequests":               {"status"},
	"flowcontrol.apiserver.k8s.io/flowschemas":                 {"status"},
	"flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {"status"},
	"networking.k8s.io/ingresses":                              {"status"},
	"networking.k8s.io/servicecidrs":                           {"status"},
	"policy/poddisruptionbudgets":                              {"status"},
	"storage.k8s.io/volumeattachments":                         {"status"},
	"storagemigration.k8s.io/storageversionmigrations":         {"status"},
	"internal.apiserver.k8s.io/storageversions":                {"status"},
	"resource.k8s.io/resourceclaims":                           {"status"},
	"resource.k8s.io/devicetaintrules":                         {"status"},
	"resource.k8s.io/resourcepoolstatusrequests":               {"status"},
	"resource.k8s.io/podschedulingcontexts":                    {"status"},
	"scheduling.k8s.io/podgroups":                              {"status"},
	"admissionregistration.k8s.io/validatingadmissionpolicies": {"status"},
	"apiextensions.k8s.io/customresourcedefinitions":           {"status"},
	"apiregistration.k8s.io/apiservices":                       {"status"},
}

// neverServed are alpha kinds in k8s.io/api for which the catalog's servers have no storage.
var neverServed = map[string]bool{
	"rbac/v1alpha1.Role": true, "rbac/v1alpha1.RoleBinding": true,
	"rbac/v1alpha1.ClusterRole": true, "rbac/v1alpha1.ClusterRoleBinding": true,
	"node/v1alpha1.RuntimeClass": true, "scheduling/v1alpha1.PriorityClass": true,
	"storage/v1alpha1.CSIStorageCapacity": true, "storage/v1alpha1.VolumeAttachment": true,
}

// betaServed are the beta group versions that were served by default, with their last such release.
// New beta versions are off by default since 1.24 (KEP-3136); these are older.
var betaServed = map[string]int{"flowcontrol.apiserver.k8s.io/v1beta3": 31}

// wanted reports whether a kind belongs in the catalog: a resource in this release, or a
// subresource's object. Lists are not admitted as objects.
func (r *release) wanted(kind kindDecl) bool {
	id := kind.pkg + "." + kind.name
	return optionKinds[id] || r.isResource(kind)
}

func (r *release) isResource(kind kindDecl) bool {
	id := kind.pkg + "." + kind.name
	decl := r.types[id]
	if decl == nil || notResources[id] || strings.HasSuffix(kind.name, "List") {
		return false
	}
	if neverServed[id] || r.removed(kind, decl) {
		return false
	}
	return decl.above.has("genclient") || noClient[id] != ""
}

// removed reports whether a beta kind was removed before this release. Missing lifecycle marks
// follow the deprecation policy: deprecated three releases after the introduction, removed three
// releases later.
func (r *release) removed(kind kindDecl, decl *typeDecl) bool {
	number := func(mark string) (int, bool) {
		var n int
		_, err := fmt.Sscanf(decl.above.first("k8s:prerelease-lifecycle-gen:"+mark), "1.%d", &n)
		return n, err == nil
	}
	if !strings.Contains(kind.pkg, "beta") {
		return false
	}
	removed, marked := number("removed")
	if !marked && kind.group == "admissionregistration.k8s.io" {
		return false // old policies are supported although not served
	}
	if !marked {
		deprecated, marked := number("deprecated")
		if !marked {
			introduced, _ := number("introduced")
			deprecated = introduced + 3
		}
		removed = deprecated + 3
	}
	return removed <= r.number
}

// writeResources renders resources.txt.
func writeResources(all []*release) []byte {
	var lines []mergedLine
	for _, rel := range all {
		var own []string
		for _, kind := range rel.sortedKinds() {
			if rel.isResource(kind) {
				own = append(own, rel.resourceLine(kind))
			} else if rel.wanted(kind) {
				own = append(own, fmt.Sprintf("%s %s -", groupVersion(kind), kind.pkg+"."+kind.name))
			}
		}
		for _, id := range extraRoots {
			own = append(own, fmt.Sprintf("%s %s -", id[:strings.LastIndexByte(id, '.')], id))
		}
		lines = merge(lines, own, rel.number)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Generated by scripts/catalog. Do not edit. The form is described in README.md.\n")
	for _, line := range lines {
		fmt.Fprintf(&b, "%s%s\n", line.text, rangeSuffix(line.in, allOf(all)))
	}
	return b.Bytes()
}

func (r *release) sortedKinds() []kindDecl {
	byKey := map[string]kindDecl{}
	for _, kind := range r.kinds {
		byKey[kind.group+"\x00"+kind.pkg+"\x00"+kind.name] = kind
	}
	var out []kindDecl
	for _, key := range sortedKeys(byKey) {
		out = append(out, byKey[key])
	}
	return out
}

func groupVersion(kind kindDecl) string {
	version := kind.pkg[strings.LastIndexByte(kind.pkg, '/')+1:]
	if kind.group == "" {
		return version
	}
	return kind.group + "/" + version
}

// resourceLine renders one resource: group/version, type, plural, scope, whether it is served by
// default, subresources.
func (r *release) resourceLine(kind kindDecl) string {
	id := kind.pkg + "." + kind.name
	scope := "Namespaced"
	if r.types[id].above.has("genclient:nonNamespaced") {
		scope = "Cluster"
	}
	served := "on"
	version := kind.pkg[strings.LastIndexByte(kind.pkg, '/')+1:]
	if strings.ContainsAny(version, "ab") && r.number > betaServed[groupVersion(kind)] {
		served = "off"
	}
	name := plural(kind.name)
	line := fmt.Sprintf("%s %s %s %s %s", groupVersion(kind), id, name, scope, served)
	for _, sub := range subresources[kind.group+"/"+name] {
		text, since, found := strings.Cut(sub, "@")
		var from int
		if found {
			fmt.Sscanf(since, "%d", &from)
		}
		if r.number >= from {
			line += " " + text
		}
	}
	return line
}

// plural derives a kind's resource name as the client generator does.
func plural(kind string) string {
	if p, ok := plurals[kind]; ok {
		return p
	}
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.ContainsAny(name[len(name)-2:len(name)-1], "aeiou"):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}
