package workload

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// The annotations of a CustomResourceDefinition that say how its controller creates Pods.
const (
	// TemplateAnnotation lists the paths of Pod templates in the objects, separated by commas.
	TemplateAnnotation = "preadmit.dev/pod-template"
	// AccountAnnotation is the ServiceAccount that creates the Pods, as namespace/name. Without it
	// a ReplicaSet creates them, as for most operators.
	AccountAnnotation = "preadmit.dev/pod-account"
)

// OfCustom returns the Pods from a custom resource's templates, by its definition's annotations. It
// is nil without annotations. missing lists the paths that the object lacks.
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
