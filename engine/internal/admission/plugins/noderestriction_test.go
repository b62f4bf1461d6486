//go:build !slim

// The slim engine reads requests for certificates and cannot make any.

package plugins_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// kubelets is a cluster with the node n1, a Pod on it and one elsewhere.
const kubelets = `
{apiVersion: v1, kind: Node, metadata: {name: n1, uid: u-n1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: here, namespace: shop, uid: u-here}, spec: {nodeName: n1, containers: [{name: a, image: a}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: there, namespace: shop, uid: u-there}, spec: {nodeName: n2, containers: [{name: a, image: a}]}}
`

// certificate is a request for one with a common name.
func certificate(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name, Organization: []string{"system:nodes"}}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// TestNodeRestriction asks as the kubelet of n1. The texts are those of
// plugin/pkg/admission/noderestriction of k8s.io/kubernetes.
func TestNodeRestriction(t *testing.T) {
	mirror := func(metadata, owner, spec string) string {
		return `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, ` + metadata + `ownerReferences: [` + owner + `]}, spec: {nodeName: n1, containers: [{name: a, image: a}]` + spec + `}}`
	}
	const (
		annotated = `annotations: {kubernetes.io/config.mirror: x}, `
		own       = `{apiVersion: v1, kind: Node, name: n1, uid: u-n1, controller: true}`
		status    = `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop%s}, spec: {nodeName: %s, containers: [{name: a, image: a}]}, status: {%s}}`
		node      = `{apiVersion: v1, kind: Node, metadata: {name: %s%s}, spec: {%s}}`
		token     = `{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, spec: {audiences: [a], boundObjectRef: {apiVersion: v1, kind: %s, name: %s, uid: "%s"}}}`
		lease     = `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: %s, namespace: %s}}`
		slice     = `{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d.example.com, nodeName: %s, pool: {name: p, generation: 1, resourceSliceCount: 1}}}`
		signing   = `{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: c}, spec: {signerName: %s, request: %s, usages: [client auth]}}`
		claim     = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: shop, resourceVersion: "%s"}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}, status: {%s}}`
		csiNode   = `{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: %s}, spec: {drivers: []}}`
		eviction  = `{apiVersion: policy/v1, kind: Eviction, metadata: {name: %s, namespace: shop}}`
	)
	serving := func(name string) string {
		return fmt.Sprintf(signing, "kubernetes.io/kubelet-serving", certificate(t, name))
	}
	for _, c := range []struct {
		name, request string // operation, group/resource/subresource, name, and a namespace other than shop; - is none
		object, old   string
		version       string
		want          string // part of the refusal; empty if there is none
	}{
		{"a mirror Pod", "CREATE pods p", mirror(annotated, own, ""), "", "", ""},
		{"no mirror", "CREATE pods p", mirror("", own, ""), "", "", `pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods`},
		{"elsewhere", "CREATE pods p", strings.Replace(mirror(annotated, own, ""), "nodeName: n1", "nodeName: n2", 1), "", "", `node "n1" can only create pods with spec.nodeName set to itself`},
		{"two owners", "CREATE pods p", mirror(annotated, own+", "+strings.Replace(strings.Replace(own, "n1", "n2", 1), "controller: true", "controller: false", 1), ""), "", "", `can only create pods with a single owner reference set to itself`},
		{"another owner", "CREATE pods p", mirror(annotated, strings.Replace(own, "name: n1", "name: n2", 1), ""), "", "", `can only create pods with an owner reference set to itself`},
		{"an owner that controls nothing", "CREATE pods p", mirror(annotated, strings.Replace(own, "controller: true", "controller: false", 1), ""), "", "", `can only create pods with a controller owner reference set to itself`},
		{"an owner that blocks", "CREATE pods p", mirror(annotated, strings.Replace(own, "}", ", blockOwnerDeletion: true}", 1), ""), "", "", `must not set blockOwnerDeletion on an owner reference`},
		{"an owner of before", "CREATE pods p", mirror(annotated, strings.Replace(own, "u-n1", "u-old", 1), ""), "", "", `node n1 UID mismatch: expected u-old got u-n1`},
		{"a ConfigMap of a volume", "CREATE pods p", mirror(annotated, own, ", volumes: [{name: v, configMap: {name: c}}]"), "", "", `node "n1" can not create pods that reference configmaps`},
		{"a ConfigMap of the environment", "CREATE pods p", strings.Replace(mirror(annotated, own, ""), "image: a}", "image: a, envFrom: [{configMapRef: {name: c}}]}", 1), "", "", `node "n1" can not create pods that reference configmaps`},
		{"a ConfigMap's key", "CREATE pods p", strings.Replace(mirror(annotated, own, ""), "image: a}", "image: a, env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: k}}}]}", 1), "", "1.33", `node "n1" can not create pods that reference configmaps`},
		{"a Secret for images", "CREATE pods p", mirror(annotated, own, ", imagePullSecrets: [{name: s}]"), "", "", `node "n1" can not create pods that reference secrets`},
		{"a claim", "CREATE pods p", mirror(annotated, own, ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"), "", "", `can not create pods that reference persistentvolumeclaims`},
		{"a volume of a driver", "CREATE pods p", mirror(annotated, own, ", volumes: [{name: v, csi: {driver: d}}]"), "", "", `can not create pods that reference csidrivers (via CSI volumes)`},
		{"which older releases let pass", "CREATE pods p", mirror(annotated, own, ", volumes: [{name: v, csi: {driver: d}}]"), "", "1.33", ""},
		{"an update", "UPDATE pods p", mirror(annotated, own, ""), mirror(annotated, own, ""), "", `unexpected operation "UPDATE", node "n1" can only create and delete mirror pods`},
		{"its own is deleted", "DELETE pods here", "", `{apiVersion: v1, kind: Pod, metadata: {name: here, namespace: shop}, spec: {nodeName: n1, containers: [{name: a, image: a}]}}`, "", ""},
		{"another is deleted", "DELETE pods there", "", `{apiVersion: v1, kind: Pod, metadata: {name: there, namespace: shop}, spec: {nodeName: n2, containers: [{name: a, image: a}]}}`, "", `node "n1" can only delete pods with spec.nodeName set to itself`},

		{"a status", "UPDATE pods/status p", fmt.Sprintf(status, "", "n1", "phase: Running"), fmt.Sprintf(status, "", "n1", "phase: Pending"), "", ""},
		{"a status of elsewhere", "UPDATE pods/status p", fmt.Sprintf(status, "", "n2", ""), fmt.Sprintf(status, "", "n2", ""), "", `can only update pod status for pods with spec.nodeName set to itself`},
		{"labels with a status", "UPDATE pods/status p", fmt.Sprintf(status, ", labels: {a: b}", "n1", ""), fmt.Sprintf(status, "", "n1", ""), "", `node "n1" cannot update labels through pod status`},
		{"claims of a status", "UPDATE pods/status p", fmt.Sprintf(status, "", "n1", "resourceClaimStatuses: [{name: a, resourceClaimName: b}]"), fmt.Sprintf(status, "", "n1", ""), "", `cannot update resource claim statues`},
		{"another subresource", "UPDATE pods/ephemeralcontainers here", fmt.Sprintf(status, "", "n1", ""), fmt.Sprintf(status, "", "n1", ""), "", `unexpected pod subresource "ephemeralcontainers", only 'status' and 'eviction' are allowed`},
		{"its own is evicted", "CREATE pods/eviction here", fmt.Sprintf(eviction, "here"), "", "", ""},
		{"another is evicted", "CREATE pods/eviction there", fmt.Sprintf(eviction, "there"), "", "", `node n1 can only evict pods with spec.nodeName set to itself`},

		{"named by the object alone", "CREATE pods/eviction -", fmt.Sprintf(eviction, "here"), "", "", ""},
		{"another, named by the object", "CREATE pods/eviction -", fmt.Sprintf(eviction, "there"), "", "", `node n1 can only evict pods with spec.nodeName set to itself`},
		{"nobody is named", "CREATE pods/eviction -", strings.Replace(fmt.Sprintf(eviction, "x"), "name: x, ", "", 1), "", "", `could not determine pod from request data`},
		{"an eviction that changes", "UPDATE pods/eviction here", fmt.Sprintf(eviction, "here"), fmt.Sprintf(eviction, "here"), "", `unexpected operation UPDATE`},

		{"itself", "CREATE nodes n1", fmt.Sprintf(node, "n1", ", labels: {kubernetes.io/hostname: n1, kubelet.kubernetes.io/a: b, sub.node.kubernetes.io/a: b, example.com/a: b, a: b}", ""), "", "", ""},
		{"another node", "CREATE nodes n2", fmt.Sprintf(node, "n2", "", ""), "", "", `node "n1" is not allowed to modify node "n2"`},
		{"labels of the project", "CREATE nodes n1", fmt.Sprintf(node, "n1", ", labels: {sub.k8s.io/a: b, kubernetes.io/b: c, sub.node-restriction.kubernetes.io/c: d}", ""), "", "", `is not allowed to set the following labels: kubernetes.io/b, sub.k8s.io/a, sub.node-restriction.kubernetes.io/c`},
		{"a label that changes", "UPDATE nodes n1", fmt.Sprintf(node, "n1", ", labels: {node-restriction.kubernetes.io/a: c, kubernetes.io/same: d}", ""), fmt.Sprintf(node, "n1", ", labels: {node-restriction.kubernetes.io/a: b, kubernetes.io/same: d}", ""), "", `is not allowed to modify labels: node-restriction.kubernetes.io/a`},
		{"a label that goes", "UPDATE nodes n1", fmt.Sprintf(node, "n1", "", ""), fmt.Sprintf(node, "n1", ", labels: {k8s.io/a: b}", ""), "", `is not allowed to modify labels: k8s.io/a`},
		{"taints", "UPDATE nodes n1", fmt.Sprintf(node, "n1", "", "taints: [{key: a, effect: NoSchedule}]"), fmt.Sprintf(node, "n1", "", ""), "", `node "n1" is not allowed to modify taints`},
		{"owners", "UPDATE nodes n1", fmt.Sprintf(node, "n1", ", ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: b}]", ""), fmt.Sprintf(node, "n1", "", ""), "", `node "n1" is not allowed to modify ownerReferences`},
		{"a source of its configuration", "CREATE nodes n1", fmt.Sprintf(node, "n1", "", "configSource: {configMap: {name: a, namespace: b, kubeletConfigKey: c}}"), "", "", `is not allowed to create pods with a non-nil configSource`},
		{"a new source", "UPDATE nodes n1", fmt.Sprintf(node, "n1", "", "configSource: {configMap: {name: a, namespace: b, kubeletConfigKey: c}}"), fmt.Sprintf(node, "n1", "", ""), "", `is not allowed to update configSource to a new non-nil configSource`},

		{"a token for its Pod", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Pod", "here", "u-here"), "", "1.32", ""},
		{"for something else", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Secret", "here", "u-here"), "", "", `node requested token not bound to a pod`},
		{"without a uid", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Pod", "here", ""), "", "", `node requested token with a pod binding without a uid`},
		{"with another uid", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Pod", "here", "u-old"), "", "", `the UID in the bound object reference (u-old) does not match the UID in record`},
		{"for a Pod of elsewhere", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Pod", "there", "u-there"), "", "", `node requested token bound to a pod scheduled on a different node`},

		{"its Lease", "CREATE coordination.k8s.io/leases n1 kube-node-lease", fmt.Sprintf(lease, "n1", "kube-node-lease"), "", "", ""},
		{"another Lease", "CREATE coordination.k8s.io/leases n2 kube-node-lease", fmt.Sprintf(lease, "n2", "kube-node-lease"), "", "", `can only access node lease with the same name as the requesting node`},
		{"a Lease elsewhere", "CREATE coordination.k8s.io/leases n1 shop", fmt.Sprintf(lease, "n1", "shop"), "", "", `can only access leases in the "kube-node-lease" system namespace`},
		{"its slice", "CREATE resource.k8s.io/resourceslices s -", fmt.Sprintf(slice, "n1"), "", "", ""},
		{"another slice", "CREATE resource.k8s.io/resourceslices s -", fmt.Sprintf(slice, "n2"), "", "", `can only create ResourceSlice with the same NodeName as the requesting node`},
		{"another slice goes", "DELETE resource.k8s.io/resourceslices s -", "", fmt.Sprintf(slice, "n2"), "", `can only delete ResourceSlice with the same NodeName as the requesting node`},
		{"its certificate", "CREATE certificates.k8s.io/certificatesigningrequests c -", serving("system:node:n1"), "", "", ""},
		{"another certificate", "CREATE certificates.k8s.io/certificatesigningrequests c -", serving("system:node:n2"), "", "", `can only create a node CSR with CN=system:node:n1`},
		{"as client", "CREATE certificates.k8s.io/certificatesigningrequests c -", strings.Replace(serving("system:node:n2"), "kubelet-serving", "kube-apiserver-client-kubelet", 1), "", "", `can only create a node CSR with CN=system:node:n1`},
		{"of another signer", "CREATE certificates.k8s.io/certificatesigningrequests c -", strings.Replace(serving("system:node:n2"), "kubernetes.io/kubelet-serving", "example.com/a", 1), "", "", ""},
		{"not before 1.31", "CREATE certificates.k8s.io/certificatesigningrequests c -", serving("system:node:n2"), "", "1.30", ""},
		{"a Pod that only the request knows", "DELETE pods gone", "", `{apiVersion: v1, kind: Pod, metadata: {name: gone, namespace: shop}, spec: {nodeName: n1, containers: [{name: a, image: a}]}}`, "", ""},
		{"an unknown Pod is evicted", "CREATE pods/eviction gone", fmt.Sprintf(eviction, "gone"), "", "", `node n1 can only evict pods with spec.nodeName set to itself`},
		{"a status that is new", "CREATE pods/status p", fmt.Sprintf(status, "", "n1", ""), "", "", `unexpected operation "CREATE"`},
		{"a claim for extended resources", "UPDATE pods/status p", fmt.Sprintf(status, "", "n1", "extendedResourceClaimStatus: {resourceClaimName: a, requestMappings: [{containerName: a, resourceName: b, requestName: c}]}"), fmt.Sprintf(status, "", "n1", ""), "", `node "n1" cannot update extended resource claim status`},

		{"the status of a volume claim", "UPDATE persistentvolumeclaims/status c", fmt.Sprintf(claim, "1", "capacity: {storage: 1Gi}, conditions: [{type: Resizing, status: 'True'}], allocatedResources: {storage: 1Gi}, allocatedResourceStatuses: {storage: NodeResizePending}, phase: Bound"), fmt.Sprintf(claim, "2", "phase: Bound"), "", ""},
		{"its phase", "UPDATE persistentvolumeclaims/status c", fmt.Sprintf(claim, "1", "phase: Bound"), fmt.Sprintf(claim, "1", "phase: Pending"), "", `node "n1" is not allowed to update fields other than status.quantity and status.conditions`},
		{"the claim itself", "UPDATE persistentvolumeclaims c", fmt.Sprintf(claim, "1", ""), fmt.Sprintf(claim, "1", ""), "", `may only update PVC status`},
		{"a new claim", "CREATE persistentvolumeclaims c", fmt.Sprintf(claim, "1", ""), "", "", `may only update PVC status`},
		{"a status that is created", "CREATE persistentvolumeclaims/status c", fmt.Sprintf(claim, "1", ""), "", "", `unexpected operation "CREATE"`},
		{"its CSINode", "CREATE storage.k8s.io/csinodes n1 -", fmt.Sprintf(csiNode, "n1"), "", "", ""},
		{"another CSINode", "CREATE storage.k8s.io/csinodes n2 -", fmt.Sprintf(csiNode, "n2"), "", "", `can only access CSINode with the same name as the requesting node`},
		{"another CSINode changes", "UPDATE storage.k8s.io/csinodes n2 -", fmt.Sprintf(csiNode, "n2"), fmt.Sprintf(csiNode, "n2"), "", `can only access CSINode with the same name as the requesting node`},
		{"its CSINode changes", "UPDATE storage.k8s.io/csinodes n1 -", fmt.Sprintf(csiNode, "n1"), fmt.Sprintf(csiNode, "n1"), "", ""},
		{"a Pod that nobody knows", "DELETE pods gone", "", "", "", `pod "gone" not found`},
		{"an account that is new", "CREATE serviceaccounts robot", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop}}`, "", "", ""},
		{"a label without a prefix", "CREATE nodes n1", fmt.Sprintf(node, "n1", ", labels: {kubernetes.io: a}", ""), "", "", ""},
		{"another Lease goes", "DELETE coordination.k8s.io/leases n2 kube-node-lease", "", fmt.Sprintf(lease, "n2", "kube-node-lease"), "", `can only access node lease with the same name as the requesting node`},
		{"its Lease goes", "DELETE coordination.k8s.io/leases n1 kube-node-lease", "", fmt.Sprintf(lease, "n1", "kube-node-lease"), "", ""},
		{"its slice goes", "DELETE resource.k8s.io/resourceslices s -", "", fmt.Sprintf(slice, "n1"), "", ""},
		{"another slice changes", "UPDATE resource.k8s.io/resourceslices s -", fmt.Sprintf(slice, "n2"), fmt.Sprintf(slice, "n2"), "", ""},
		{"a token for an unknown Pod", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Pod", "gone", "u"), "", "", `pod "gone" not found`},
		{"a token for a Pod of another group", "CREATE serviceaccounts/token robot", strings.Replace(fmt.Sprintf(token, "Pod", "here", "u-here"), "apiVersion: v1", "apiVersion: v2", 1), "", "", `node requested token not bound to a pod`},
		{"a token for a Pod without a name", "CREATE serviceaccounts/token robot", fmt.Sprintf(token, "Pod", "''", "u-here"), "", "", `node requested token not bound to a pod`},
		{"an account", "UPDATE serviceaccounts robot", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop}}`, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop}}`, "", ""},
		{"something else than a request for a certificate", "CREATE certificates.k8s.io/certificatesigningrequests c -", fmt.Sprintf(signing, "kubernetes.io/kubelet-serving", "YQ=="), "", "", `unable to parse csr: PEM block type must be CERTIFICATE REQUEST`},
		{"a certificate that changes", "UPDATE certificates.k8s.io/certificatesigningrequests c -", serving("system:node:n2"), serving("system:node:n2"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := asKubelet(t, c.request, c.object, c.old, c.version)
			switch {
			case c.want == "" && !r.Outcome.Allowed, c.want != "" && !strings.Contains(r.Outcome.Message, c.want):
				t.Errorf("%s, want %q: %v", r.Outcome.Message, c.want, r.Diagnostics)
			case !strings.Contains(fmt.Sprint(r.Steps), "NodeRestriction"):
				t.Errorf("the plugin did not run: %v", r.Diagnostics)
			}
		})
	}
}

// asKubelet makes a request as the kubelet of n1.
func asKubelet(t *testing.T, asked, object, old, version string) *report.Report {
	t.Helper()
	request := row{request: asked, object: object, old: old}.review("system:node:n1", "system:nodes")
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: request, Cluster: kubelets, Kubernetes: version,
		Options: scenario.Options{Plugins: scenario.Exactly("NodeRestriction")}}, engine.Options{AdmissionOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUnknownNode: a mirror Pod of a node that the server does not know.
func TestUnknownNode(t *testing.T) {
	asked := row{request: "CREATE pods p", object: `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, annotations: {kubernetes.io/config.mirror: x}, ownerReferences: [{apiVersion: v1, kind: Node, name: n9, uid: u, controller: true}]}, spec: {nodeName: n9, containers: [{name: a, image: a}]}}`}
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: asked.review("system:node:n9", "system:nodes"), Cluster: kubelets,
		Options: scenario.Options{Plugins: scenario.Exactly("NodeRestriction")}}, engine.Options{AdmissionOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Outcome.Message, `node "n9" not found`) {
		t.Errorf("got %s: %v", r.Outcome.Message, r.Diagnostics)
	}
}

// TestMirrorPodReferences: what a mirror Pod may not refer to, and how the releases name it.
func TestMirrorPodReferences(t *testing.T) {
	const pod = `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, annotations: {kubernetes.io/config.mirror: x}, ownerReferences: [{apiVersion: v1, kind: Node, name: n1, uid: u-n1, controller: true}]}, spec: {nodeName: n1, containers: [{name: a, image: a%s}]%s}}`
	volume := func(source string) string { return ", volumes: [{name: v, " + source + "}]" }
	projected := func(source string) string {
		return volume("projected: {sources: [{downwardAPI: {items: []}}, {" + source + "}]}")
	}
	for _, c := range []struct {
		name, container, spec string
		want, older           string // what the refusals end with; empty for none
	}{
		{"nothing", "", "", "", ""},
		{"an empty directory", "", volume("emptyDir: {}"), "", ""},
		{"an account", "", ", serviceAccountName: robot", "serviceaccounts", "a service account"},
		{"a Secret's key", ", env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "", "secrets", "secrets"},
		{"all of a Secret", ", envFrom: [{secretRef: {name: s}}]", "", "secrets", "secrets"},
		{"a ConfigMap", ", envFrom: [{configMapRef: {name: c}}]", "", "configmaps", "configmaps"},
		{"claims for resources", "", ", resourceClaims: [{name: r, resourceClaimName: c}]", "resourceclaims", "resourceclaims"},
		{"a volume of a Secret", "", volume("secret: {secretName: s}"), "secrets", "secrets"},
		{"a Secret without a name", "", volume("secret: {}"), "secrets (via secret volumes)", ""},
		{"a ConfigMap without a name", "", volume("configMap: {}"), "configmaps (via configmap volumes)", ""},
		{"a driver", "", volume("csi: {driver: d}"), "csidrivers (via CSI volumes)", ""},
		{"Gluster", "", volume("glusterfs: {endpoints: e, path: p}"), "endpoints (via glusterFS volumes)", ""},
		{"a claim", "", volume("persistentVolumeClaim: {claimName: c}"), "persistentvolumeclaims", "persistentvolumeclaims"},
		{"a claim of its own", "", volume("ephemeral: {volumeClaimTemplate: {spec: {}}}"), "persistentvolumeclaims (via ephemeral volumes)", ""},
		{"a share with a Secret", "", volume("azureFile: {secretName: s, shareName: a}"), "secrets", "secrets"},
		{"a share", "", volume("azureFile: {shareName: a}"), "secrets (via azureFile volumes)", ""},
		{"a projected ConfigMap", "", projected("configMap: {name: c}"), "configmaps", "configmaps"},
		{"without a name", "", projected("configMap: {}"), "configmaps (via projected volumes)", ""},
		{"a projected Secret", "", projected("secret: {name: s}"), "secrets", "secrets"},
		{"a projected Secret without a name", "", projected("secret: {}"), "secrets (via projected volumes)", ""},
		{"a projected token", "", projected("serviceAccountToken: {path: a}"), "serviceaccounts (via projected volumes)", ""},
		{"a bundle", "", projected("clusterTrustBundle: {name: a, path: b}"), "clustertrustbundles", "clustertrustbundles"},
		{"a certificate", "", projected("podCertificate: {signerName: a.b/c, keyType: ED25519}"), "podcertificates", ""},
	} {
		for version, want := range map[string]string{"1.37": c.want, "1.33": c.older} {
			r := asKubelet(t, "CREATE pods p", fmt.Sprintf(pod, c.container, c.spec), "", version)
			_, got, _ := strings.Cut(r.Outcome.Message, `node "n1" can not create pods that reference `)
			if got != want || r.Outcome.Allowed != (want == "") {
				t.Errorf("%s, %s: %q, want %q: %v", c.name, version, r.Outcome.Message, want, r.Diagnostics)
			}
		}
	}
}

// TestNodeOwnerReferences: 1.30 has no release in which a node may not change its owners.
func TestNodeOwnerReferences(t *testing.T) {
	const node = `{apiVersion: v1, kind: Node, metadata: {name: n1, uid: u-n1%s}}`
	for version, want := range map[string]string{
		"1.30": "",
		"1.31": `nodes "n1" is forbidden: node "n1" is not allowed to modify ownerReferences`,
		"1.37": `nodes "n1" is forbidden: node "n1" is not allowed to modify ownerReferences`,
	} {
		r := asKubelet(t, "UPDATE nodes n1", fmt.Sprintf(node, ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: b}]"), fmt.Sprintf(node, ""), version)
		if r.Outcome.Message != want || r.Outcome.Allowed != (want == "") {
			t.Errorf("%s: %q, want %q: %v", version, r.Outcome.Message, want, r.Diagnostics)
		}
	}
}

// TestRestrictionIsOff: what the plugin would answer to a node is said where it is off.
func TestRestrictionIsOff(t *testing.T) {
	for label, want := range map[string]string{
		"app.kubernetes.io/component": "is not allowed to modify labels: app.kubernetes.io/component",
		"example.com/component":       "",
	} {
		node := "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: a, resourceVersion: '1', labels: {%s}}}"
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: "operation: UPDATE\nresource: {version: v1, resource: nodes}\nkind: {version: v1, kind: Node}\nname: n1\nuserInfo: {username: 'system:node:n1', groups: ['system:nodes']}\nobject: " +
			fmt.Sprintf(node, label+": db") + "\noldObject: " + fmt.Sprintf(node, "") + "\n"}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(r.NotSimulated, "\n")
		if !r.Outcome.Allowed || !strings.Contains(said, want) || (want == "") != (said == "") {
			t.Errorf("%s: %t %s", label, r.Outcome.Allowed, said)
		}
	}
}
