package request

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Foreign is another policy engine's kind. The API server at most stores it and never evaluates it.
type Foreign struct {
	// Engine is the engine's name.
	Engine string
	// Advice says what to do with the object, in sentences.
	Advice string
}

// Summary says that the server does not evaluate the object.
func (f Foreign) Summary(kind string) string {
	return kind + " is a kind of " + f.Engine + ", which the API server does not evaluate"
}

// What to do with other engines' policies.
const (
	writeNative   = "Write its rule as a ValidatingAdmissionPolicy or a MutatingAdmissionPolicy to evaluate it here."
	pasteWebhook  = "The engine enforces it through a webhook: paste its webhook configuration to see which requests it receives."
	nativeInside  = "If spec.targets[].code has the engine K8sNativeValidation, its CEL validations fit a ValidatingAdmissionPolicy: copy them, and write params for variables.params and object for variables.anyObject."
	notAdmission  = "It controls traffic or scans, not admission."
	podSecurity   = "It was removed in Kubernetes 1.25. Pod Security replaces it: label the Namespace with pod-security.kubernetes.io/enforce."
	constraintOf  = "Its rule is in the ConstraintTemplate of the same kind. " + writeNative
	imageWebhook  = "It verifies images through a webhook. " + pasteWebhook
	otherObjects  = "It creates or deletes other objects, which no admission policy does."
	exceptionOnly = "It exempts objects from that engine's policies. Here, exempt them in the binding's matchResources or a match condition."
)

// foreignKinds are other engines' kinds, by the end of their group and by kind; "*" is every other
// kind in the group.
var foreignKinds = []struct{ group, kind, engine, advice string }{
	{"policies.kyverno.io", "PolicyException", "Kyverno", exceptionOnly},
	{"policies.kyverno.io", "ImageValidatingPolicy", "Kyverno", imageWebhook},
	{"policies.kyverno.io", "NamespacedImageValidatingPolicy", "Kyverno", imageWebhook},
	{"policies.kyverno.io", "GeneratingPolicy", "Kyverno", otherObjects},
	{"policies.kyverno.io", "NamespacedGeneratingPolicy", "Kyverno", otherObjects},
	{"policies.kyverno.io", "DeletingPolicy", "Kyverno", otherObjects},
	{"policies.kyverno.io", "NamespacedDeletingPolicy", "Kyverno", otherObjects},
	{"policies.kyverno.io", "*", "Kyverno", writeNative + " " + pasteWebhook},
	{"kyverno.io", "PolicyException", "Kyverno", exceptionOnly},
	{"kyverno.io", "ClusterPolicy", "Kyverno", writeNative + " " + pasteWebhook},
	{"kyverno.io", "Policy", "Kyverno", writeNative + " " + pasteWebhook},
	{"kyverno.io", "CleanupPolicy", "Kyverno", otherObjects},
	{"kyverno.io", "ClusterCleanupPolicy", "Kyverno", otherObjects},
	{"kyverno.io", "*", "Kyverno", "It configures Kyverno. " + pasteWebhook},
	{"templates.gatekeeper.sh", "ConstraintTemplate", "Gatekeeper", nativeInside + " " + writeNative},
	{"constraints.gatekeeper.sh", "*", "Gatekeeper", constraintOf},
	{"mutations.gatekeeper.sh", "*", "Gatekeeper", "Write it as a MutatingAdmissionPolicy to evaluate it here."},
	{"gatekeeper.sh", "*", "Gatekeeper", "It configures Gatekeeper. " + pasteWebhook},
	{"policies.kubewarden.io", "PolicyServer", "Kubewarden", "It configures Kubewarden. " + pasteWebhook},
	{"policies.kubewarden.io", "*", "Kubewarden", "Its rule is a WebAssembly module. " + writeNative},
	{"policy", "PodSecurityPolicy", "Kubernetes before 1.25", podSecurity},
	{"extensions", "PodSecurityPolicy", "Kubernetes before 1.25", podSecurity},
	{"kubescape.io", "ControlConfiguration", "Kubescape", "It holds params of Kubescape's ValidatingAdmissionPolicies. Add its CustomResourceDefinition to evaluate them."},
	{"kubescape.io", "*", "Kubescape", notAdmission},
	{"spdx.softwarecomposition.kubescape.io", "*", "Kubescape", notAdmission},
	{"security.istio.io", "*", "Istio", notAdmission},
	{"cilium.io", "*", "Cilium", notAdmission},
	{"crd.projectcalico.org", "*", "Calico", notAdmission},
	{"projectcalico.org", "*", "Calico", notAdmission},
	{"policy.linkerd.io", "*", "Linkerd", notAdmission},
	{"policy.sigstore.dev", "*", "Sigstore's policy controller", imageWebhook},
	{"config.ratify.deislabs.io", "*", "Ratify", imageWebhook},
	{"aquasecurity.github.io", "*", "Trivy", notAdmission},
	{"polaris.fairwinds.com", "*", "Polaris", writeNative},
	{"nirmata.io", "*", "Nirmata", writeNative},
	{"capsule.clastix.io", "*", "Capsule", pasteWebhook},
}

// ForeignKind describes another policy engine's kind. It returns false for all other kinds.
func ForeignKind(gvk schema.GroupVersionKind) (Foreign, bool) {
	for _, f := range foreignKinds {
		if (gvk.Group == f.group || strings.HasSuffix(gvk.Group, "."+f.group)) && (f.kind == "*" || f.kind == gvk.Kind) {
			return Foreign{Engine: f.engine, Advice: f.advice}, true
		}
	}
	return Foreign{}, false
}

// ownGroup reports whether a group belongs to Kubernetes or looks like a misspelled Kubernetes
// group: it has no dot, or the usual suffix.
func ownGroup(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") || strings.HasSuffix(group, ".kubernetes.io")
}
