package storage

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kube-aggregator/pkg/registry/apiservice"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
	"k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/coordination/leasecandidate"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
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
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
	"k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration"
)

// strategy is what the API server does to objects of a kind before it stores them.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// kind has a resource's strategies: the object's own, and those of subresources that are written as
// the whole object.
type kind struct {
	object       strategy
	subresources map[string]rest.RESTUpdateStrategy
}

func status(s rest.RESTUpdateStrategy) map[string]rest.RESTUpdateStrategy {
	return map[string]rest.RESTUpdateStrategy{"status": s}
}

func statusAndScale(s rest.RESTUpdateStrategy) map[string]rest.RESTUpdateStrategy {
	return map[string]rest.RESTUpdateStrategy{"status": s, "scale": scale}
}

// apiServices needs its kind in the scheme of the others. The server has a scheme of its own for it.
var apiServices = func() rest.CreateUpdateResetFieldsStrategy {
	install.Install(legacyscheme.Scheme)
	return apiservice.NewStrategy(legacyscheme.Scheme)
}()

var claims = resourceclaim.NewStrategy(namespaces{}, everybody{})

// everybody may bind claims and report on devices: the engine decides about roles
type everybody struct{}

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (everybody) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

// kinds are the resources whose strategies need nothing of a cluster except the namespace's labels,
// by group and resource. The engine has the strategies for policies and webhook configurations.
var kinds = map[schema.GroupResource]kind{
	{Resource: "configmaps"}:             {object: configmap.Strategy},
	{Resource: "endpoints"}:              {object: endpoint.Strategy},
	{Resource: "events"}:                 {object: event.Strategy},
	{Resource: "limitranges"}:            {object: limitrange.Strategy},
	{Resource: "namespaces"}:             {namespace.Strategy, map[string]rest.RESTUpdateStrategy{"status": namespace.StatusStrategy, "finalize": namespace.FinalizeStrategy}},
	{Resource: "nodes"}:                  {node.Strategy, status(node.StatusStrategy)},
	{Resource: "persistentvolumes"}:      {persistentvolume.Strategy, status(persistentvolume.StatusStrategy)},
	{Resource: "persistentvolumeclaims"}: {persistentvolumeclaim.Strategy, status(persistentvolumeclaim.StatusStrategy)},
	{Resource: "pods"}: {pod.Strategy, map[string]rest.RESTUpdateStrategy{
		"status": pod.StatusStrategy, "ephemeralcontainers": pod.EphemeralContainersStrategy, "resize": pod.ResizeStrategy}},
	{Resource: "podtemplates"}:           {object: podtemplate.Strategy},
	{Resource: "replicationcontrollers"}: {replicationcontroller.Strategy, statusAndScale(replicationcontroller.StatusStrategy)},
	{Resource: "resourcequotas"}:         {resourcequota.Strategy, status(resourcequota.StatusStrategy)},
	{Resource: "secrets"}:                {object: secret.Strategy},
	{Resource: "services"}:               {service.Strategy, status(service.StatusStrategy)},
	{Resource: "serviceaccounts"}:        {object: serviceaccount.Strategy},

	{Group: apiregistration.GroupName, Resource: "apiservices"}: {apiServices, status(apiservice.NewStatusStrategy(legacyscheme.Scheme))},

	{Group: "apps", Resource: "controllerrevisions"}: {object: controllerrevision.Strategy},
	{Group: "apps", Resource: "daemonsets"}:          {daemonset.Strategy, status(daemonset.StatusStrategy)},
	{Group: "apps", Resource: "deployments"}:         {deployment.Strategy, statusAndScale(deployment.StatusStrategy)},
	{Group: "apps", Resource: "replicasets"}:         {replicaset.Strategy, statusAndScale(replicaset.StatusStrategy)},
	{Group: "apps", Resource: "statefulsets"}:        {statefulset.Strategy, statusAndScale(statefulset.StatusStrategy)},

	{Group: "autoscaling", Resource: "horizontalpodautoscalers"}: {horizontalpodautoscaler.Strategy, status(horizontalpodautoscaler.StatusStrategy)},

	{Group: "batch", Resource: "cronjobs"}: {cronjob.Strategy, status(cronjob.StatusStrategy)},
	{Group: "batch", Resource: "jobs"}:     {job.Strategy, status(job.StatusStrategy)},

	{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}: {certificates.Strategy, map[string]rest.RESTUpdateStrategy{
		"status": certificates.StatusStrategy, "approval": certificates.ApprovalStrategy}},
	{Group: "certificates.k8s.io", Resource: "clustertrustbundles"}:    {object: clustertrustbundle.Strategy},
	{Group: "certificates.k8s.io", Resource: "podcertificaterequests"}: {object: podcertificaterequest.NewStrategy()},

	{Group: "coordination.k8s.io", Resource: "leases"}:          {object: lease.Strategy},
	{Group: "coordination.k8s.io", Resource: "leasecandidates"}: {object: leasecandidate.Strategy},

	{Group: "discovery.k8s.io", Resource: "endpointslices"}: {object: endpointslice.Strategy},

	{Group: "events.k8s.io", Resource: "events"}: {object: event.Strategy},

	{Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}:                 {flowschema.Strategy, status(flowschema.StatusStrategy)},
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "prioritylevelconfigurations"}: {prioritylevelconfiguration.Strategy, status(prioritylevelconfiguration.StatusStrategy)},

	{Group: "networking.k8s.io", Resource: "ingresses"}:       {ingress.Strategy, status(ingress.StatusStrategy)},
	{Group: "networking.k8s.io", Resource: "ingressclasses"}:  {object: ingressclass.Strategy},
	{Group: "networking.k8s.io", Resource: "ipaddresses"}:     {object: ipaddress.Strategy},
	{Group: "networking.k8s.io", Resource: "networkpolicies"}: {object: networkpolicy.Strategy},
	{Group: "networking.k8s.io", Resource: "servicecidrs"}:    {servicecidr.Strategy, status(servicecidr.StatusStrategy)},

	{Group: "node.k8s.io", Resource: "runtimeclasses"}: {object: runtimeclass.Strategy},

	{Group: "policy", Resource: "poddisruptionbudgets"}: {poddisruptionbudget.Strategy, status(poddisruptionbudget.StatusStrategy)},

	{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}:        {object: clusterrole.Strategy},
	{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"}: {object: clusterrolebinding.Strategy},
	{Group: "rbac.authorization.k8s.io", Resource: "roles"}:               {object: role.Strategy},
	{Group: "rbac.authorization.k8s.io", Resource: "rolebindings"}:        {object: rolebinding.Strategy},

	{Group: "resource.k8s.io", Resource: "deviceclasses"}:          {object: deviceclass.Strategy},
	{Group: "resource.k8s.io", Resource: "devicetaintrules"}:       {devicetaintrule.Strategy, status(devicetaintrule.StatusStrategy)},
	{Group: "resource.k8s.io", Resource: "resourceclaims"}:         {claims, status(resourceclaim.NewStatusStrategy(claims))},
	{Group: "resource.k8s.io", Resource: "resourceclaimtemplates"}: {object: resourceclaimtemplate.NewStrategy(namespaces{})},
	{Group: "resource.k8s.io", Resource: "resourceslices"}:         {object: resourceslice.Strategy},

	{Group: "scheduling.k8s.io", Resource: "priorityclasses"}: {object: priorityclass.Strategy},

	{Group: "storage.k8s.io", Resource: "csidrivers"}:              {object: csidriver.Strategy},
	{Group: "storage.k8s.io", Resource: "csinodes"}:                {csinode.Strategy, status(csinode.StatusStrategy)},
	{Group: "storage.k8s.io", Resource: "csistoragecapacities"}:    {object: csistoragecapacity.Strategy},
	{Group: "storage.k8s.io", Resource: "storageclasses"}:          {object: storageclass.Strategy},
	{Group: "storage.k8s.io", Resource: "volumeattachments"}:       {volumeattachment.Strategy, status(volumeattachment.StatusStrategy)},
	{Group: "storage.k8s.io", Resource: "volumeattributesclasses"}: {object: volumeattributesclass.Strategy},

	{Group: "storagemigration.k8s.io", Resource: "storageversionmigrations"}: {storagemigration.Strategy, status(storagemigration.StatusStrategy)},
}
