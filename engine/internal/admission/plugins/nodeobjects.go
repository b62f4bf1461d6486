package plugins

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// This file has what NodeRestriction says of other objects than Nodes and the
// Pods themselves.

// referenced is the resource that a mirror Pod refers to, empty if none.
func (r *request) referenced() string {
	spec := r.spec()
	switch {
	case text(spec, "serviceAccountName") != "":
		return "serviceaccounts"
	case len(list(spec, "imagePullSecrets")) > 0 || namesSecret(spec):
		return "secrets"
	case namesConfigMap(spec):
		return "configmaps"
	case len(list(spec, "resourceClaims")) > 0:
		return "resourceclaims"
	}
	for _, v := range untyped.Items(spec["volumes"]) {
		for _, source := range volumeReferences {
			if v[source.field] != nil {
				return source.words
			}
		}
		for _, s := range untyped.Items(untyped.Sub(v, "projected")["sources"]) {
			for _, source := range projectedReferences {
				if s[source.field] != nil {
					return source.words
				}
			}
		}
	}
	return ""
}

type reference struct{ field, words string }

var (
	volumeReferences = []reference{
		{"configMap", "configmaps (via configmap volumes)"}, {"secret", "secrets (via secret volumes)"},
		{"csi", "csidrivers (via CSI volumes)"}, {"glusterfs", "endpoints (via glusterFS volumes)"},
		{"persistentVolumeClaim", "persistentvolumeclaims"}, {"ephemeral", "persistentvolumeclaims (via ephemeral volumes)"},
		{"azureFile", "secrets (via azureFile volumes)"},
	}
	projectedReferences = []reference{
		{"configMap", "configmaps (via projected volumes)"}, {"secret", "secrets (via projected volumes)"},
		{"serviceAccountToken", "serviceaccounts (via projected volumes)"}, {"clusterTrustBundle", "clustertrustbundles"},
		{"podCertificate", "podcertificates"},
	}
)

// namesConfigMap looks for a reference to a ConfigMap in containers and volumes.
func namesConfigMap(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if namesConfigMap(item) {
				return true
			}
		}
	case map[string]any:
		for field, value := range v {
			reference, _ := value.(map[string]any)
			if (field == "configMapRef" || field == "configMapKeyRef" || field == "configMap") && text(reference, "name") != "" || namesConfigMap(value) {
				return true
			}
		}
	}
	return false
}

// olderReference is the rejection of the releases that look for fewer references.
func (r *request) olderReference(node string) error {
	spec := r.spec()
	switch {
	case text(spec, "serviceAccountName") != "":
		return fmt.Errorf("node %q can not create pods that reference a service account", node)
	case namesSecret(spec):
		return fmt.Errorf("node %q can not create pods that reference secrets", node)
	case namesConfigMap(spec):
		return fmt.Errorf("node %q can not create pods that reference configmaps", node)
	}
	for _, v := range untyped.Items(spec["volumes"]) {
		for _, s := range untyped.Items(untyped.Sub(v, "projected")["sources"]) {
			if s["clusterTrustBundle"] != nil {
				return fmt.Errorf("node %q can not create pods that reference clustertrustbundles", node)
			}
		}
	}
	for _, v := range untyped.Items(spec["volumes"]) {
		if v["persistentVolumeClaim"] != nil {
			return fmt.Errorf("node %q can not create pods that reference persistentvolumeclaims", node)
		}
	}
	if len(list(spec, "resourceClaims")) > 0 && r.Version.Has(version.MirrorPodClaims) {
		return fmt.Errorf("node %q can not create pods that reference resourceclaims", node)
	}
	return nil
}

func (r *request) restrictClaim(node string) error {
	a := &r.Attributes
	if a.SubResource != "status" {
		return errors.New("may only update PVC status")
	}
	if a.Operation != "UPDATE" {
		return fmt.Errorf("unexpected operation %q", a.Operation)
	}
	if !reflect.DeepEqual(withoutUsage(r.object), withoutUsage(a.OldObject)) {
		r.NotSimulated("NodeRestriction rejects the update of the claim's status with a list of the differences; only its beginning is shown here.")
		return fmt.Errorf("node %q is not allowed to update fields other than status.quantity and status.conditions", node)
	}
	return nil
}

// withoutUsage is a claim without what a kubelet may write.
func withoutUsage(claim map[string]any) map[string]any {
	claim = runtime.DeepCopyJSON(claim)
	for _, field := range []string{"resourceVersion", "managedFields"} {
		delete(untyped.Child(claim, "metadata"), field)
	}
	for _, field := range []string{"capacity", "conditions", "allocatedResourceStatuses", "allocatedResources"} {
		delete(untyped.Child(claim, "status"), field)
	}
	return claim
}

func (r *request) restrictToken(node string) error {
	a := &r.Attributes
	if a.Operation != "CREATE" || a.SubResource != "token" {
		return nil
	}
	bound := untyped.Sub(r.object, "spec", "boundObjectRef")
	if text(bound, "apiVersion") != "v1" || text(bound, "kind") != "Pod" || text(bound, "name") == "" {
		return errors.New("node requested token not bound to a pod")
	}
	if text(bound, "uid") == "" {
		return errors.New("node requested token with a pod binding without a uid")
	}
	pod, err := r.pod(text(bound, "name"))
	if err != nil {
		return err
	}
	if text(bound, "uid") != untyped.At[string](pod, "metadata", "uid") {
		return fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", text(bound, "uid"))
	}
	if text(untyped.Sub(pod, "spec"), "nodeName") != node {
		return errors.New("node requested token bound to a pod scheduled on a different node")
	}
	if r.Version.Has(version.TokenAudiences) {
		r.NotSimulated("NodeRestriction also compares the audience of the token with the volumes of the Pod; that is not checked here.")
	}
	return nil
}

func (r *request) restrictLease(node string) error {
	if r.Attributes.Namespace != leaseNamespace {
		return fmt.Errorf("can only access leases in the %q system namespace", leaseNamespace)
	}
	if r.ownName() != node {
		return errors.New("can only access node lease with the same name as the requesting node")
	}
	return nil
}

func (r *request) restrictSlice(node string) error {
	switch r.Attributes.Operation {
	case "CREATE":
		if text(untyped.Sub(r.object, "spec"), "nodeName") != node {
			return errors.New("can only create ResourceSlice with the same NodeName as the requesting node")
		}
	case "DELETE":
		if text(r.oldSpec(), "nodeName") != node {
			return errors.New("can only delete ResourceSlice with the same NodeName as the requesting node")
		}
	}
	return nil
}

func (r *request) restrictCertificate(node string) error {
	signer := text(untyped.Sub(r.object, "spec"), "signerName")
	if !r.Version.Has(version.KubeletCertificateNames) || r.Attributes.Operation != "CREATE" || signer != "kubernetes.io/kubelet-serving" && signer != "kubernetes.io/kube-apiserver-client-kubelet" {
		return nil
	}
	asked, err := parseRequest(text(untyped.Sub(r.object, "spec"), "request"))
	if err != nil {
		return fmt.Errorf("unable to parse csr: %w", err)
	}
	if asked.Subject.CommonName != nodeUserPrefix+node {
		return fmt.Errorf("can only create a node CSR with CN=%s%s", nodeUserPrefix, node)
	}
	return nil
}
