package registry

import "k8s.io/apimachinery/pkg/runtime/schema"

// ResetFields are the fields that the strategy of a resource with the subresource status resets, or that of
// the subresource (GetResetFields of its rest.ResetFieldsStrategy). An applied configuration with such a
// field does not come to own it. builtin says that no CustomResourceDefinition defines the resource. A test
// of package storage compares.
func ResetFields(resource schema.GroupResource, subResource string, builtin bool) []string {
	signing := resource == schema.GroupResource{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}
	switch {
	case subResource == "" && signing:
		return []string{"spec", "status"}
	case subResource == "":
		return []string{"status"}
	case subResource == "approval":
		return []string{"spec", "status.certificate"}
	case subResource != "status":
		return nil
	case !builtin || metadataReset[resource]:
		return []string{"metadata", "spec"}
	case signing:
		return []string{"spec", "status.conditions"}
	case resource == schema.GroupResource{Group: "apps", Resource: "deployments"}:
		return []string{"metadata.labels", "spec"}
	case resource == schema.GroupResource{Resource: "pods"}:
		return []string{"metadata.deletionTimestamp", "metadata.ownerReferences", "spec"}
	}
	return []string{"spec"}
}

// metadataReset are the built-in resources whose status is written without metadata.
var metadataReset = map[schema.GroupResource]bool{
	{Group: "apiregistration.k8s.io", Resource: "apiservices"}:                       true,
	{Group: "storage.k8s.io", Resource: "csinodes"}:                                  true,
	{Group: "storage.k8s.io", Resource: "volumeattachments"}:                         true,
	{Group: "resource.k8s.io", Resource: "devicetaintrules"}:                         true,
	{Group: "resource.k8s.io", Resource: "resourceclaims"}:                           true,
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}:                 true,
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "prioritylevelconfigurations"}: true,
	{Group: "networking.k8s.io", Resource: "servicecidrs"}:                           true,
	{Group: "storagemigration.k8s.io", Resource: "storageversionmigrations"}:         true,
}
