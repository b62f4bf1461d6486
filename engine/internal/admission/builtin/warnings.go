package builtin

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// template is the path of the template of Pods in objects of a kind; "" where there is none.
func template(kind string) string {
	switch kind {
	case "Deployment", "ReplicaSet", "ReplicationController", "Job", "DaemonSet", "StatefulSet":
		return "spec.template"
	case "CronJob":
		return "spec.jobTemplate.spec.template"
	case "PodTemplate":
		return "template"
	}
	return ""
}

// warn gives the warnings of the server's own code for a kind about a valid object: those
// about names, annotations, volumes and labels of nodes (WarningsOnCreate and
// WarningsOnUpdate of its strategy, pkg/api in k8s.io/kubernetes). It has others, too.
func warn(c *run.Chain, change bool) {
	a := &c.Attributes
	metadata := untyped.Sub(a.Object, "metadata")
	annotations := untyped.Sub(metadata, "annotations")
	switch kind := a.Kind.Kind; {
	case !slices.Contains(groups, a.Kind.Group):
	case kind == "PersistentVolumeClaim", kind == "PersistentVolume":
		if _, there := annotations["volume.beta.kubernetes.io/storage-class"]; there {
			c.Warn(`metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead`)
		}
		if kind == "PersistentVolume" {
			spec := untyped.Sub(a.Object, "spec")
			if spec["persistentVolumeReclaimPolicy"] == "Recycle" {
				c.Warn("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
			}
			warnOfVolume(c, "spec", spec)
		}
	case kind == "Service":
		warnOfService(c, a.Object)
	case kind == "Ingress" && !change:
		if _, there := annotations["kubernetes.io/ingress.class"]; there && untyped.Sub(a.Object, "spec")["ingressClassName"] == nil {
			c.Warn(`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`)
		}
	case kind == "Pod" && !change:
		warnOfName(c, "the Pod's hostname")
		warnOfPod(c, "", a.Object)
	case template(kind) != "":
		if !change && kind != "DaemonSet" && kind != "StatefulSet" && kind != "PodTemplate" {
			warnOfName(c, "Pod names and hostnames")
		}
		if at := template(kind); !change || metadata["generation"] != untyped.Sub(a.OldObject, "metadata")["generation"] {
			warnOfPod(c, at+".", untyped.Sub(a.Object, strings.Split(at, ".")...))
		}
	}
}

func warnOfName(c *run.Chain, use string) {
	name, _ := untyped.Sub(c.Attributes.Object, "metadata")["name"].(string)
	if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
		c.Warn(fmt.Sprintf("metadata.name: this is used in %s, which can result in surprising behavior; a DNS label is recommended: %v", use, wrong))
	}
}

// retired are volumes that are no more: the field, its name in the warning, and the releases in
// which they were deprecated and stopped to work.
const retired = "cephfs cephfs 28 31|flocker flocker 22 25|glusterfs glusterfs 25 26|photonPersistentDisk photonPersistentDisk 11 16|" +
	"quobyte quobyte 22 25|rbd rbd 28 31|scaleIO scaleIO 16 22|storageos storageOS 22 25"

// warnOfVolume warns about a volume at a path; that of a PersistentVolume is its spec, where
// the server overlooks two.
func warnOfVolume(c *run.Chain, at string, volume map[string]any) {
	for _, line := range strings.Split(retired, "|") {
		if f := strings.Fields(line); volume[f[0]] != nil && (at != "spec" || f[0] != "flocker" && f[0] != "quobyte") {
			c.Warn(at + "." + f[1] + ": deprecated in v1." + f[2] + ", non-functional in v1." + f[3] + "+")
		}
	}
	if volume["gitRepo"] != nil {
		text := at + ".gitRepo: deprecated in v1.11"
		if c.Version.Has(version.GitRepoVolumesOff) {
			text += ", and disabled by default in v1.33+"
		}
		c.Warn(text)
	}
}

// replaced are labels of nodes that have other names now (deprecatedNodeLabels).
const replaced = `beta.kubernetes.io/arch: deprecated since v1.14; use "kubernetes.io/arch" instead
beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.io/os" instead
failure-domain.beta.kubernetes.io/region: deprecated since v1.17; use "topology.kubernetes.io/region" instead
failure-domain.beta.kubernetes.io/zone: deprecated since v1.17; use "topology.kubernetes.io/zone" instead
beta.kubernetes.io/instance-type: deprecated since v1.17; use "node.kubernetes.io/instance-type" instead
app.kubernetes.io/created-by: deprecated since v1.9
scheduler.alpha.kubernetes.io/preferAvoidPods: deprecated since v1.22; use Taints and Tolerations instead
node-role.kubernetes.io/master: use "node-role.kubernetes.io/control-plane" instead`

// warnOfPod warns about a Pod, or about a template at a path.
func warnOfPod(c *run.Chain, at string, pod map[string]any) {
	spec, annotations := untyped.Sub(pod, "spec"), untyped.Sub(pod, "metadata", "annotations")
	selector := untyped.Sub(spec, "nodeSelector")
	for _, line := range strings.Split(replaced, "\n") {
		key, text, _ := strings.Cut(line, ": ")
		if _, there := selector[key]; there {
			c.Warn(at + "spec.nodeSelector[" + key + "]: " + text)
		}
	}
	for i, volume := range untyped.Items(spec["volumes"]) {
		warnOfVolume(c, fmt.Sprintf("%sspec.volumes[%d]", at, i), volume)
	}
	if _, there := annotations["scheduler.alpha.kubernetes.io/critical-pod"]; there {
		c.Warn(at + `metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead`)
	}
	annotated := func(key string, of map[string]any) {
		if _, there := annotations[key]; there && untyped.Sub(of, "securityContext")["seccompProfile"] == nil {
			c.Warn(fmt.Sprintf(`%smetadata.annotations[%s]: non-functional in v1.27+; use the "seccompProfile" field instead`, at, key))
		}
	}
	annotated("seccomp.security.alpha.kubernetes.io/pod", spec)
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range untyped.Items(spec[list]) {
			name, _ := container["name"].(string)
			annotated("container.seccomp.security.alpha.kubernetes.io/"+name, container)
			profiled := untyped.Sub(spec, "securityContext")["appArmorProfile"] != nil || untyped.Sub(container, "securityContext")["appArmorProfile"] != nil
			if key := "container.apparmor.security.beta.kubernetes.io/" + name; at != "" && annotations[key] != nil && !profiled {
				c.Warn(fmt.Sprintf(`%smetadata.annotations[%s]: deprecated since v1.30; use the "appArmorProfile" field instead`, at, key))
			}
		}
	}
}
