package catalog

import (
	"encoding/base64"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// valueFunction is a rule that data cannot express. It changes the value in place.
type valueFunction func(v map[string]any)

// valueFunctions are the functions that the rules call.
var valueFunctions = map[string]valueFunction{
	"allocation-multipliers":     allocationMultipliers,
	"claim-template-kinds":       claimTemplateKinds,
	"crd-names":                  crdNames,
	"empty-volume":               emptyVolume,
	"failure-policy-conditions":  failurePolicyConditions,
	"grace-period":               gracePeriod,
	"host-ports":                 hostPorts,
	"hpa-annotations":            dropHPAAnnotations,
	"init-container-annotations": initContainerAnnotations,
	"limit-range":                limitRange,
	"load-balancer-ip-mode":      loadBalancerIPMode,
	"name-label":                 nameLabel,
	"pod-cidrs":                  podCIDRs,
	"pod-ips":                    podIPs,
	"pod-level-resources":        podLevelResources,
	"requests-from-limits":       requestsFromLimits,
	"rollback-to":                rollbackTo,
	"round-up-to-milli":          roundUpToMilli,
	"scale-down-policies":        scaleDownPolicies,
	"scale-up-policies":          scaleUpPolicies,
	"service-ports":              servicePorts,
	"session-affinity":           sessionAffinity,
	"string-data":                stringData,
	"template-generation":        templateGeneration,
}

// at walks nested maps; nil if something is missing on the way.
func at(v map[string]any, path ...string) any {
	var value any = v
	for _, name := range path {
		m, _ := value.(map[string]any)
		value = m[name]
	}
	return value
}

// mapAt is at for maps. Reading a nil map is safe.
func mapAt(v map[string]any, path ...string) map[string]any {
	m, _ := at(v, path...).(map[string]any)
	return m
}

// itemsAt lists a list's maps. Changing them changes the object.
func itemsAt(v map[string]any, path ...string) []map[string]any {
	list, _ := at(v, path...).([]any)
	var out []map[string]any
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// textAt is at for strings.
func textAt(v map[string]any, path ...string) string {
	s, _ := at(v, path...).(string)
	return s
}

// makeMap returns the map under a key and creates it if missing.
func makeMap(v map[string]any, key string) map[string]any {
	m, ok := v[key].(map[string]any)
	if !ok {
		m = map[string]any{}
		v[key] = m
	}
	return m
}

// emptyVolume turns a volume without a source into an emptyDir.
func emptyVolume(volume map[string]any) {
	for name, source := range volume {
		if name != "name" && source != nil {
			return
		}
	}
	volume["emptyDir"] = map[string]any{}
}

// nameLabel labels a namespace with its name.
func nameLabel(namespace map[string]any) {
	if name := textAt(namespace, "metadata", "name"); name != "" {
		metadata := makeMap(namespace, "metadata")
		makeMap(metadata, "labels")["kubernetes.io/metadata.name"] = name
	}
}

// sessionAffinity keeps spec.sessionAffinityConfig consistent with the affinity.
func sessionAffinity(service map[string]any) {
	spec := mapAt(service, "spec")
	switch textAt(spec, "sessionAffinity") {
	case "None":
		delete(spec, "sessionAffinityConfig")
	case "ClientIP":
		if at(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") == nil {
			spec["sessionAffinityConfig"] = map[string]any{"clientIP": map[string]any{"timeoutSeconds": int64(10800)}}
		}
	}
}

func servicePorts(service map[string]any) {
	for _, port := range itemsAt(service, "spec", "ports") {
		if textAt(port, "protocol") == "" {
			port["protocol"] = "TCP"
		}
		if target := port["targetPort"]; target == nil || target == int64(0) || target == "" {
			port["targetPort"] = port["port"]
		}
	}
}

func loadBalancerIPMode(service map[string]any) {
	if textAt(service, "spec", "type") != "LoadBalancer" {
		return
	}
	for _, ingress := range itemsAt(service, "status", "loadBalancer", "ingress") {
		if textAt(ingress, "ip") != "" && ingress["ipMode"] == nil {
			ingress["ipMode"] = "VIP"
		}
	}
}

// limitRange fills in the implied limits for containers.
func limitRange(item map[string]any) {
	if textAt(item, "type") != "Container" {
		return
	}
	for _, step := range []struct{ from, to string }{{"max", "default"}, {"default", "defaultRequest"}, {"min", "defaultRequest"}} {
		copyMissing(mapAt(item, step.from), item, step.to)
	}
}

// copyMissing adds from's entries to the map under a key, unless it has them.
func copyMissing(from, v map[string]any, key string) {
	for name, value := range from {
		to := makeMap(v, key)
		if _, exists := to[name]; !exists {
			to[name] = value
		}
	}
}

// roundUpToMilli rounds quantities up to thousandths.
func roundUpToMilli(list map[string]any) {
	for name, value := range list {
		text, _ := value.(string)
		q, err := resource.ParseQuantity(text)
		if err == nil && !q.RoundUp(resource.Milli) {
			list[name] = q.ToUnstructured()
		}
	}
}

func scaleUpPolicies(hpa map[string]any) {
	scalingPolicies(hpa, "scaleUp",
		map[string]any{"type": "Pods", "value": int64(4), "periodSeconds": int64(15)},
		map[string]any{"type": "Percent", "value": int64(100), "periodSeconds": int64(15)})
}

func scaleDownPolicies(hpa map[string]any) {
	scalingPolicies(hpa, "scaleDown", map[string]any{"type": "Percent", "value": int64(100), "periodSeconds": int64(15)})
}

func scalingPolicies(hpa map[string]any, direction string, policies ...any) {
	rules := mapAt(hpa, "spec", "behavior", direction)
	if rules != nil && rules["policies"] == nil {
		rules["policies"] = policies
	}
}

// crdNames derives a custom kind's omitted names, and the storage version.
func crdNames(crd map[string]any) {
	spec := mapAt(crd, "spec")
	if spec == nil {
		return
	}
	names := makeMap(spec, "names")
	kind := textAt(names, "kind")
	if textAt(names, "singular") == "" {
		names["singular"] = strings.ToLower(kind)
	}
	if textAt(names, "listKind") == "" && kind != "" {
		names["listKind"] = kind + "List"
	}
	status := makeMap(crd, "status")
	if stored, _ := status["storedVersions"].([]any); len(stored) > 0 {
		return
	}
	for _, version := range itemsAt(spec, "versions") {
		if version["storage"] == true {
			status["storedVersions"] = []any{version["name"]}
			return
		}
	}
}

// failurePolicyConditions sets defaults in a Job's conditions. Before 1.34, a CronJob's template
// did not get them.
func failurePolicyConditions(job map[string]any) {
	for _, rule := range itemsAt(job, "spec", "podFailurePolicy", "rules") {
		for _, condition := range itemsAt(rule, "onPodConditions") {
			if textAt(condition, "status") == "" {
				condition["status"] = "True"
			}
		}
	}
}

func allocationMultipliers(device map[string]any) {
	for _, mapping := range mapAt(device, "nodeAllocatableResourceMappings") {
		if m, ok := mapping.(map[string]any); ok && m["allocationMultiplier"] == nil {
			m["allocationMultiplier"] = "1"
		}
	}
}

// The functions below are conversions: see data/conversion.txt.

// stringData moves a Secret's stringData into data.
func stringData(secret map[string]any) {
	for key, value := range mapAt(secret, "stringData") {
		text, _ := value.(string)
		makeMap(secret, "data")[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(secret, "stringData")
}

// templateGeneration shows the internal DaemonSet's extra field as an annotation.
func templateGeneration(daemonSet map[string]any) {
	annotations := makeMap(makeMap(daemonSet, "metadata"), "annotations")
	if _, exists := annotations[daemonSetGeneration]; !exists {
		annotations[daemonSetGeneration] = "0"
	}
	writeNumber(annotations, daemonSetGeneration)
}

// rollbackTo shows the internal Deployment's extra field as an annotation.
func rollbackTo(deployment map[string]any) {
	annotations := mapAt(deployment, "metadata", "annotations")
	if annotations[deploymentRollback] == "" {
		delete(annotations, deploymentRollback)
	}
	writeNumber(annotations, deploymentRollback)
}

// writeNumber rewrites the number in an annotation as the server does: 007 becomes 7.
func writeNumber(annotations map[string]any, name string) {
	text, _ := annotations[name].(string)
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		annotations[name] = strconv.FormatInt(number, 10)
	}
}

func claimTemplateKinds(statefulSet map[string]any) {
	for _, claim := range itemsAt(statefulSet, "spec", "volumeClaimTemplates") {
		claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
	}
}

// initContainerAnnotations drops annotations from the time before init containers had fields.
func initContainerAnnotations(v map[string]any) {
	annotations := mapAt(v, "metadata", "annotations")
	for _, stage := range []string{"alpha", "beta"} {
		delete(annotations, "pod."+stage+".kubernetes.io/init-containers")
		delete(annotations, "pod."+stage+".kubernetes.io/init-container-statuses")
	}
}

// podIPs keeps podIP and podIPs consistent; podIP wins.
func podIPs(status map[string]any) {
	ip, list := textAt(status, "podIP"), itemsAt(status, "podIPs")
	switch {
	case ip == "" && len(list) > 0:
		status["podIP"] = textAt(list[0], "ip")
	case ip != "" && (len(list) == 0 || textAt(list[0], "ip") != ip):
		status["podIPs"] = []any{map[string]any{"ip": ip}}
	}
}

// podCIDRs keeps podCIDR and podCIDRs consistent; podCIDR wins.
func podCIDRs(spec map[string]any) {
	cidr := textAt(spec, "podCIDR")
	list, _ := spec["podCIDRs"].([]any)
	switch {
	case cidr == "" && len(list) > 0:
		spec["podCIDR"] = list[0]
	case cidr != "" && (len(list) == 0 || list[0] != cidr):
		spec["podCIDRs"] = []any{cidr}
	}
}

// dropHPAAnnotations drops the annotations for what autoscaling/v1 has no fields for.
func dropHPAAnnotations(hpa map[string]any) {
	annotations := mapAt(hpa, "metadata", "annotations")
	for _, name := range hpaAnnotations {
		delete(annotations, name)
	}
}

// gracePeriod replaces a pod's negative grace period.
func gracePeriod(pod map[string]any) {
	spec := mapAt(pod, "spec")
	if seconds, ok := spec["terminationGracePeriodSeconds"].(int64); ok && seconds < 0 {
		spec["terminationGracePeriodSeconds"] = int64(1)
	}
}

// containersOf lists a pod's containers and init containers.
func containersOf(pod map[string]any) []map[string]any {
	return append(itemsAt(pod, "spec", "containers"), itemsAt(pod, "spec", "initContainers")...)
}

// hostPorts sets the host port of each port for a pod in the host's network.
func hostPorts(pod map[string]any) {
	if at(pod, "spec", "hostNetwork") != true {
		return
	}
	for _, container := range containersOf(pod) {
		for _, port := range itemsAt(container, "ports") {
			if port["hostPort"] == nil || port["hostPort"] == int64(0) {
				port["hostPort"] = port["containerPort"]
			}
		}
	}
}

// requestsFromLimits sets missing requests to the limits.
func requestsFromLimits(pod map[string]any) {
	for _, container := range containersOf(pod) {
		if limits := mapAt(container, "resources", "limits"); len(limits) > 0 {
			resources := mapAt(container, "resources")
			copyMissing(runtime.DeepCopyJSON(limits), resources, "requests")
		}
	}
}
