package registry

import (
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Has reports whether package storage has code for a resource, or for a subresource of it that is
// written as the whole object. It is for programs in which that package is not, or not yet.
func Has(resource schema.GroupResource, subResource string) bool {
	for _, line := range resources[resource.Group] {
		names := strings.Fields(line)
		if names[0] == resource.Resource {
			return subResource == "" || slices.Contains(names[1:], subResource)
		}
	}
	return false
}

// Resources are those that Has knows.
func Resources() iter.Seq[schema.GroupResource] {
	return func(yield func(schema.GroupResource) bool) {
		for group, lines := range resources {
			for _, line := range lines {
				name, _, _ := strings.Cut(line, " ")
				if !yield(schema.GroupResource{Group: group, Resource: name}) {
					return
				}
			}
		}
	}
}

// resources are those of package storage, by group: a resource, and its subresources. A test there
// compares.
var resources = map[string][]string{
	"":                             {"configmaps", "endpoints", "events", "limitranges", "namespaces status finalize", "nodes status", "persistentvolumes status", "persistentvolumeclaims status", "pods status ephemeralcontainers resize", "podtemplates", "replicationcontrollers status scale", "resourcequotas status", "secrets", "services status", "serviceaccounts"},
	"apiregistration.k8s.io":       {"apiservices status"},
	"apps":                         {"controllerrevisions", "daemonsets status", "deployments status scale", "replicasets status scale", "statefulsets status scale"},
	"authentication.k8s.io":        {"tokenreviews", "selfsubjectreviews"},
	"authorization.k8s.io":         {"subjectaccessreviews", "selfsubjectaccessreviews", "localsubjectaccessreviews", "selfsubjectrulesreviews"},
	"autoscaling":                  {"horizontalpodautoscalers status"},
	"batch":                        {"cronjobs status", "jobs status"},
	"certificates.k8s.io":          {"certificatesigningrequests status approval", "clustertrustbundles", "podcertificaterequests"},
	"coordination.k8s.io":          {"leases", "leasecandidates"},
	"discovery.k8s.io":             {"endpointslices"},
	"events.k8s.io":                {"events"},
	"flowcontrol.apiserver.k8s.io": {"flowschemas status", "prioritylevelconfigurations status"},
	"networking.k8s.io":            {"ingresses status", "ingressclasses", "ipaddresses", "networkpolicies", "servicecidrs status"},
	"node.k8s.io":                  {"runtimeclasses"},
	"policy":                       {"poddisruptionbudgets status"},
	"rbac.authorization.k8s.io":    {"clusterroles", "clusterrolebindings", "roles", "rolebindings"},
	"resource.k8s.io":              {"deviceclasses", "devicetaintrules status", "resourceclaims status", "resourceclaimtemplates", "resourceslices"},
	"scheduling.k8s.io":            {"priorityclasses"},
	"storage.k8s.io":               {"csidrivers", "csinodes status", "csistoragecapacities", "storageclasses", "volumeattachments status", "volumeattributesclasses"},
	"storagemigration.k8s.io":      {"storageversionmigrations status"},
}
