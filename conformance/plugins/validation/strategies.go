package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

// strategy is what the server creates and updates objects of a kind with.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// strategies are those of the kinds that are asked about.
var strategies = map[schema.GroupKind]strategy{
	{Kind: "Pod"}:                   pod.Strategy,
	{Kind: "PodTemplate"}:           podtemplate.Strategy,
	{Kind: "ReplicationController"}: replicationcontroller.Strategy,
	{Kind: "Service"}:               service.Strategy,
	{Kind: "ConfigMap"}:             configmap.Strategy,
	{Kind: "Secret"}:                secret.Strategy,
	{Kind: "Namespace"}:             namespace.Strategy,
	{Kind: "Node"}:                  node.Strategy,
	{Kind: "PersistentVolume"}:      persistentvolume.Strategy,
	{Kind: "PersistentVolumeClaim"}: persistentvolumeclaim.Strategy,
	{Kind: "ServiceAccount"}:        serviceaccount.Strategy,
	{Kind: "ResourceQuota"}:         resourcequota.Strategy,
	{Kind: "LimitRange"}:            limitrange.Strategy,

	{Group: "apps", Kind: "Deployment"}:  deployment.Strategy,
	{Group: "apps", Kind: "DaemonSet"}:   daemonset.Strategy,
	{Group: "apps", Kind: "StatefulSet"}: statefulset.Strategy,
	{Group: "apps", Kind: "ReplicaSet"}:  replicaset.Strategy,

	{Group: "batch", Kind: "Job"}:     job.Strategy,
	{Group: "batch", Kind: "CronJob"}: cronjob.Strategy,

	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:                     horizontalpodautoscaler.Strategy,
	{Group: "policy", Kind: "PodDisruptionBudget"}:                              poddisruptionbudget.Strategy,
	{Group: "networking.k8s.io", Kind: "Ingress"}:                               ingress.Strategy,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:                          ingressclass.Strategy,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:                         networkpolicy.Strategy,
	{Group: "networking.k8s.io", Kind: "IPAddress"}:                             ipaddress.Strategy,
	{Group: "networking.k8s.io", Kind: "ServiceCIDR"}:                           servicecidr.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                          role.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:                   clusterrole.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:                   rolebinding.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:            clusterrolebinding.Strategy,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                             storageclass.Strategy,
	{Group: "storage.k8s.io", Kind: "CSIDriver"}:                                csidriver.Strategy,
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:                         volumeattachment.Strategy,
	{Group: "storage.k8s.io", Kind: "CSINode"}:                                  csinode.Strategy,
	{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"}:                       csistoragecapacity.Strategy,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}:                    volumeattributesclass.Strategy,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:                         priorityclass.Strategy,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                                runtimeclass.Strategy,
	{Group: "coordination.k8s.io", Kind: "Lease"}:                               lease.Strategy,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:                          endpointslice.Strategy,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:                 flowschema.Strategy,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"}: prioritylevelconfiguration.Strategy,
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:           certificates.Strategy,
}
