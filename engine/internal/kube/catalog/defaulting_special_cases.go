package catalog

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
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

// emptyVolume turns a volume without a source into an emptyDir.
func emptyVolume(volume map[string]any) {
	for name, source := range volume {
		if name != "name" && source != nil {
			return
		}
	}
	volume["emptyDir"] = map[string]any{}
}

func nameLabel(namespace map[string]any) {
	if name := untyped.At[string](namespace, "metadata", "name"); name != "" {
		metadata := untyped.Child(namespace, "metadata")
		untyped.Child(metadata, "labels")["kubernetes.io/metadata.name"] = name
	}
}

// sessionAffinity keeps spec.sessionAffinityConfig consistent with the affinity.
func sessionAffinity(service map[string]any) {
	spec := untyped.Sub(service, "spec")
	switch untyped.At[string](spec, "sessionAffinity") {
	case "None":
		delete(spec, "sessionAffinityConfig")
	case "ClientIP":
		if untyped.At[any](spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") == nil {
			spec["sessionAffinityConfig"] = map[string]any{"clientIP": map[string]any{"timeoutSeconds": int64(10800)}}
		}
	}
}

func servicePorts(service map[string]any) {
	for _, port := range untyped.Items(service, "spec", "ports") {
		if untyped.At[string](port, "protocol") == "" {
			port["protocol"] = "TCP"
		}
		if target := port["targetPort"]; target == nil || target == int64(0) || target == "" {
			port["targetPort"] = port["port"]
		}
	}
}

func loadBalancerIPMode(service map[string]any) {
	if untyped.At[string](service, "spec", "type") != "LoadBalancer" {
		return
	}
	for _, ingress := range untyped.Items(service, "status", "loadBalancer", "ingress") {
		if untyped.At[string](ingress, "ip") != "" && ingress["ipMode"] == nil {
			ingress["ipMode"] = "VIP"
		}
	}
}

// limitRange fills in the implied limits for containers.
func limitRange(item map[string]any) {
	if untyped.At[string](item, "type") != "Container" {
		return
	}
	for _, step := range []struct{ from, to string }{{"max", "default"}, {"default", "defaultRequest"}, {"min", "defaultRequest"}} {
		copyMissing(untyped.Sub(item, step.from), item, step.to)
	}
}

// copyMissing adds from's entries to the map under a key, unless it has them.
func copyMissing(from, v map[string]any, key string) {
	for name, value := range from {
		to := untyped.Child(v, key)
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
	rules := untyped.Sub(hpa, "spec", "behavior", direction)
	if rules != nil && rules["policies"] == nil {
		rules["policies"] = policies
	}
}

// crdNames derives a custom kind's omitted names, and the storage version.
func crdNames(crd map[string]any) {
	spec := untyped.Sub(crd, "spec")
	if spec == nil {
		return
	}
	names := untyped.Child(spec, "names")
	kind := untyped.At[string](names, "kind")
	if untyped.At[string](names, "singular") == "" {
		names["singular"] = strings.ToLower(kind)
	}
	if untyped.At[string](names, "listKind") == "" && kind != "" {
		names["listKind"] = kind + "List"
	}
	status := untyped.Child(crd, "status")
	if stored, _ := status["storedVersions"].([]any); len(stored) > 0 {
		return
	}
	for _, version := range untyped.Items(spec, "versions") {
		if version["storage"] == true {
			status["storedVersions"] = []any{version["name"]}
			return
		}
	}
}

// failurePolicyConditions sets defaults in a Job's conditions. Before 1.34, a CronJob's template
// did not get them.
func failurePolicyConditions(job map[string]any) {
	for _, rule := range untyped.Items(job, "spec", "podFailurePolicy", "rules") {
		for _, condition := range untyped.Items(rule, "onPodConditions") {
			if untyped.At[string](condition, "status") == "" {
				condition["status"] = "True"
			}
		}
	}
}

func allocationMultipliers(device map[string]any) {
	for _, mapping := range untyped.Sub(device, "nodeAllocatableResourceMappings") {
		if m, ok := mapping.(map[string]any); ok && m["allocationMultiplier"] == nil {
			m["allocationMultiplier"] = "1"
		}
	}
}

// The functions below are conversions: see data/conversion.txt.

// stringData moves a Secret's stringData into data.
func stringData(secret map[string]any) {
	for key, value := range untyped.Sub(secret, "stringData") {
		text, _ := value.(string)
		untyped.Child(secret, "data")[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(secret, "stringData")
}

// templateGeneration shows the internal DaemonSet's extra field as an annotation.
func templateGeneration(daemonSet map[string]any) {
	annotations := untyped.Child(untyped.Child(daemonSet, "metadata"), "annotations")
	if _, exists := annotations[daemonSetGeneration]; !exists {
		annotations[daemonSetGeneration] = "0"
	}
	writeNumber(annotations, daemonSetGeneration)
}

// rollbackTo shows the internal Deployment's extra field as an annotation.
func rollbackTo(deployment map[string]any) {
	annotations := untyped.Sub(deployment, "metadata", "annotations")
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
	for _, claim := range untyped.Items(statefulSet, "spec", "volumeClaimTemplates") {
		claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
	}
}

// initContainerAnnotations drops annotations from the time before init containers had fields.
func initContainerAnnotations(v map[string]any) {
	annotations := untyped.Sub(v, "metadata", "annotations")
	for _, stage := range []string{"alpha", "beta"} {
		delete(annotations, "pod."+stage+".kubernetes.io/init-containers")
		delete(annotations, "pod."+stage+".kubernetes.io/init-container-statuses")
	}
}

// podIPs keeps podIP and podIPs consistent; podIP wins.
func podIPs(status map[string]any) {
	ip, list := untyped.At[string](status, "podIP"), untyped.Items(status, "podIPs")
	switch {
	case ip == "" && len(list) > 0:
		status["podIP"] = untyped.At[string](list[0], "ip")
	case ip != "" && (len(list) == 0 || untyped.At[string](list[0], "ip") != ip):
		status["podIPs"] = []any{map[string]any{"ip": ip}}
	}
}

// podCIDRs keeps podCIDR and podCIDRs consistent; podCIDR wins.
func podCIDRs(spec map[string]any) {
	cidr := untyped.At[string](spec, "podCIDR")
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
	annotations := untyped.Sub(hpa, "metadata", "annotations")
	for _, name := range hpaAnnotations {
		delete(annotations, name)
	}
}

// gracePeriod replaces a pod's negative grace period.
func gracePeriod(pod map[string]any) {
	spec := untyped.Sub(pod, "spec")
	if seconds, ok := spec["terminationGracePeriodSeconds"].(int64); ok && seconds < 0 {
		spec["terminationGracePeriodSeconds"] = int64(1)
	}
}

// containersOf lists a pod's containers and init containers.
func containersOf(pod map[string]any) []map[string]any {
	return append(untyped.Items(pod, "spec", "containers"), untyped.Items(pod, "spec", "initContainers")...)
}

// hostPorts sets the host port of each port for a pod in the host's network.
func hostPorts(pod map[string]any) {
	if untyped.At[any](pod, "spec", "hostNetwork") != true {
		return
	}
	for _, container := range containersOf(pod) {
		for _, port := range untyped.Items(container, "ports") {
			if port["hostPort"] == nil || port["hostPort"] == int64(0) {
				port["hostPort"] = port["containerPort"]
			}
		}
	}
}

// requestsFromLimits sets missing requests to the limits.
func requestsFromLimits(pod map[string]any) {
	for _, container := range containersOf(pod) {
		if limits := untyped.Sub(container, "resources", "limits"); len(limits) > 0 {
			resources := untyped.Sub(container, "resources")
			copyMissing(runtime.DeepCopyJSON(limits), resources, "requests")
		}
	}
}
