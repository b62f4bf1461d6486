package workload

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// The annotations of a CustomResourceDefinition that say how its controller makes Pods.
const (
	// TemplateAnnotation has the paths of Pod templates in the objects, separated by commas.
	TemplateAnnotation = "preadmit.dev/pod-template"
	// AccountAnnotation has the ServiceAccount that creates the Pods, as namespace/name. Without it the
	// Pods come from a ReplicaSet, as most operators make one.
	AccountAnnotation = "preadmit.dev/pod-account"
)

// OfCustom returns the Pods of the templates in a custom resource whose definition has annotations. It
// is nil where those name none; missing are the paths that the object does not have.
func OfCustom(object map[string]any, annotations map[string]string) (made []Made, missing []string) {
	for path := range strings.SplitSeq(annotations[TemplateAnnotation], ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		value, _ := fieldpath.Parse(path).Get(object)
		template, ok := value.(map[string]any)
		if !ok {
			missing = append(missing, path)
			continue
		}
		m := Made{Object: pod(object, template), Account: replicaSets}
		if namespace, name, ok := strings.Cut(annotations[AccountAnnotation], "/"); ok {
			m.Namespace, m.Account = namespace, name
		}
		made = append(made, m)
	}
	return made, missing
}
