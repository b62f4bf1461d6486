package builtin

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// warnOfService warns about a Service, new or changed (GetWarningsForService in
// pkg/api/service of k8s.io/kubernetes).
func warnOfService(c *run.Chain, service map[string]any) {
	spec, annotations := untyped.Sub(service, "spec"), untyped.Sub(service, "metadata", "annotations")
	if _, there := annotations["service.kubernetes.io/topology-aware-hints"]; there {
		c.Warn("annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead")
	}
	clusterIP, _ := spec["clusterIP"].(string)
	external := spec["type"] == "ExternalName"
	headless := spec["type"] == "ClusterIP" && clusterIP == "None"
	externalIPs, _ := spec["externalIPs"].([]any)
	balancer, _ := spec["loadBalancerIP"].(string)
	if clusterIP != "" && !headless {
		warnOfAddresses(c, "clusterIPs", spec["clusterIPs"])
	}
	if headless && c.Version.Has(version.HeadlessServicesWarned) {
		if balancer != "" {
			c.Warn("spec.loadBalancerIP is ignored for headless services")
		}
		if len(externalIPs) > 0 {
			c.Warn("spec.externalIPs is ignored for headless services")
		}
		if spec["sessionAffinity"] != "None" {
			c.Warn("spec.SessionAffinity is ignored for headless services")
		}
	}
	warnOfAddresses(c, "externalIPs", spec["externalIPs"])
	if len(externalIPs) > 0 && !headless && !external && c.Version.Has(version.ExternalIPsWarned) {
		c.Warn("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	warnOfAddress(c, field.NewPath("spec", "loadBalancerIP"), balancer)
	ranges, _ := spec["loadBalancerSourceRanges"].([]any)
	for i, each := range ranges {
		text, _ := each.(string)
		if _, _, err := netutils.ParseCIDRSloppy(text); err == nil {
			warnAll(c, validation.GetWarningsForCIDR(field.NewPath("spec", "loadBalancerSourceRanges").Index(i), text))
		}
	}
	name, _ := spec["externalName"].(string)
	switch {
	case external && len(externalIPs) > 0:
		c.Warn(`spec.externalIPs is ignored when spec.type is "ExternalName"`)
	case !external && name != "":
		c.Warn(`spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if spec["trafficDistribution"] == "PreferClose" && c.Version.Has(version.CloseTrafficWarned) {
		c.Warn(fmt.Sprintf("spec.trafficDistribution: %q is deprecated; use %q", "PreferClose", "PreferSameZone"))
	}
}

// warnOfAddresses warns about the addresses in a list of the spec.
func warnOfAddresses(c *run.Chain, name string, list any) {
	addresses, _ := list.([]any)
	for i, each := range addresses {
		text, _ := each.(string)
		warnOfAddress(c, field.NewPath("spec", name).Index(i), text)
	}
}

// warnOfAddress warns about an address. One that is none is refused by other code of the server,
// and the library would log it.
func warnOfAddress(c *run.Chain, path *field.Path, address string) {
	if netutils.ParseIPSloppy(address) != nil {
		warnAll(c, validation.GetWarningsForIP(path, address))
	}
}

func warnAll(c *run.Chain, warnings []string) {
	for _, w := range warnings {
		c.Warn(w)
	}
}
