// Command strategies answers requests for objects of built-in kinds with the strategies of a
// release's registry, which prepare and validate (k8s.io/kubernetes/pkg/registry). It reads one
// request per line from standard input and writes one answer per line. Nothing but the strategy
// runs. storage/testdata/releases.jsonl holds its answers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
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
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
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
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

// kinds are the strategies, by kind, or by kind and subresource.
var kinds = map[string]rest.RESTUpdateStrategy{
	"ConfigMap": configmap.Strategy, "Endpoints": endpoint.Strategy, "LimitRange": limitrange.Strategy, "Namespace": namespace.Strategy,
	"Node": node.Strategy, "PersistentVolume": persistentvolume.Strategy, "PersistentVolumeClaim": persistentvolumeclaim.Strategy,
	"PersistentVolumeClaim/status": persistentvolumeclaim.StatusStrategy,
	"Pod":                          pod.Strategy, "Pod/status": pod.StatusStrategy, "Pod/ephemeralcontainers": pod.EphemeralContainersStrategy,
	"PodTemplate": podtemplate.Strategy, "ReplicationController": replicationcontroller.Strategy, "ResourceQuota": resourcequota.Strategy,
	"Secret": secret.Strategy, "Service": service.Strategy, "Service/status": service.StatusStrategy, "ServiceAccount": serviceaccount.Strategy,
	"ControllerRevision": controllerrevision.Strategy, "DaemonSet": daemonset.Strategy, "Deployment": deployment.Strategy,
	"ReplicaSet": replicaset.Strategy, "StatefulSet": statefulset.Strategy, "HorizontalPodAutoscaler": horizontalpodautoscaler.Strategy,
	"CronJob": cronjob.Strategy, "Job": job.Strategy, "Job/status": job.StatusStrategy, "CertificateSigningRequest": certificates.Strategy,
	"Lease": lease.Strategy, "EndpointSlice": endpointslice.Strategy, "Ingress": ingress.Strategy, "IngressClass": ingressclass.Strategy,
	"NetworkPolicy": networkpolicy.Strategy, "RuntimeClass": runtimeclass.Strategy, "PodDisruptionBudget": poddisruptionbudget.Strategy,
	"ClusterRole": clusterrole.Strategy, "ClusterRoleBinding": clusterrolebinding.Strategy, "Role": role.Strategy, "RoleBinding": rolebinding.Strategy,
	"PriorityClass": priorityclass.Strategy, "CSIDriver": csidriver.Strategy, "StorageClass": storageclass.Strategy, "VolumeAttachment": volumeattachment.Strategy,
}

// request is what a strategy decides about. Without an old object it is a creation.
type request struct {
	Name        string          `json:"name"`
	SubResource string          `json:"subResource,omitempty"`
	Object      json.RawMessage `json:"object"`
	OldObject   json.RawMessage `json:"oldObject,omitempty"`
}

// answer is empty for an object that the strategy accepts.
type answer struct {
	Message  string   `json:"message,omitempty"`
	Causes   []string `json:"causes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Error    string   `json:"error,omitempty"` // the request could not be given to a strategy
}

func main() {
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		var q request
		err := json.Unmarshal(in.Bytes(), &q)
		var a answer
		if err == nil {
			a, err = ask(q)
		}
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := out.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, "strategies:", err)
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "strategies:", err)
		os.Exit(1)
	}
}

// ask gives a request to its strategy, as the server's store does.
func ask(q request) (a answer, err error) {
	object, kind, err := decode(q.Object)
	if err != nil {
		return a, err
	}
	name := kind.Kind
	if q.SubResource != "" {
		name += "/" + q.SubResource
	}
	strategy, known := kinds[name]
	if !known {
		return a, fmt.Errorf("no strategy for %s", name)
	}
	warnings := &recorder{}
	ctx := warning.WithWarningRecorder(requestContext(kind, object, q), warnings)
	if q.OldObject == nil {
		create, ok := strategy.(rest.RESTCreateStrategy)
		if !ok {
			return a, fmt.Errorf("%s cannot be created", name)
		}
		is, accessErr := meta.Accessor(object)
		if accessErr != nil {
			return a, accessErr
		}
		rest.FillObjectMetaSystemFields(is)
		err = rest.BeforeCreate(create, ctx, object)
	} else {
		old, _, decodeErr := decode(q.OldObject)
		if decodeErr != nil {
			return a, decodeErr
		}
		if err := stored(object, old); err != nil {
			return a, err
		}
		err = rest.BeforeUpdate(strategy, ctx, object, old)
	}
	a.Warnings = warnings.texts
	var status *apierrors.StatusError
	if err != nil && !errors.As(err, &status) {
		return a, err
	}
	if status != nil {
		a.Message = status.ErrStatus.Message
		for _, cause := range status.ErrStatus.Details.Causes {
			a.Causes = append(a.Causes, cause.Field+"|"+cause.Message)
		}
	}
	return a, nil
}

func decode(raw []byte) (runtime.Object, schema.GroupVersionKind, error) {
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return nil, schema.GroupVersionKind{}, err
	}
	legacyscheme.Scheme.Default(object)
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	return internal, *kind, err
}

// stored gives both objects of an update what stored ones have.
func stored(object, old runtime.Object) error {
	is, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	was, err := meta.Accessor(old)
	if err != nil {
		return err
	}
	if was.SetUID(is.GetUID()); is.GetUID() == "" {
		was.SetUID("00000000-0000-0000-0000-000000000000")
	}
	was.SetResourceVersion("1")
	is.SetResourceVersion("1")
	return nil
}

func requestContext(kind schema.GroupVersionKind, object runtime.Object, q request) context.Context {
	info := &genericrequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIPrefix: "apis", APIGroup: kind.Group, APIVersion: kind.Version, Subresource: q.SubResource}
	if q.OldObject != nil {
		info.Verb = "update"
	}
	if accessor, err := meta.Accessor(object); err == nil {
		info.Namespace, info.Name = accessor.GetNamespace(), accessor.GetName()
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	info.Resource = plural.Resource
	return genericrequest.WithRequestInfo(genericrequest.WithNamespace(context.Background(), info.Namespace), info)
}

// recorder implements warning.Recorder.
type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }
