package plugins

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// The taints of a node that is not ready or cannot be reached.
const (
	taintNotReady    = "node.kubernetes.io/not-ready"
	taintUnreachable = "node.kubernetes.io/unreachable"
)

// tolerationSeconds is how long a Pod stays on a node that is not ready: the
// server's default of --default-not-ready-toleration-seconds and
// --default-unreachable-toleration-seconds.
const tolerationSeconds = 300

// defaultTolerations lets every Pod stay for some minutes on a node that fails.
var defaultTolerations = plugin{
	name:       "DefaultTolerationSeconds",
	operations: []string{"CREATE", "UPDATE"},
	resources:  []schema.GroupResource{pods},
	admit: func(r *request) error {
		spec := r.spec()
		given := untyped.Items(spec["tolerations"])
		for _, key := range []string{taintNotReady, taintUnreachable} {
			if tolerates(given, key) {
				continue
			}
			spec["tolerations"] = append(list(spec, "tolerations"), map[string]any{
				"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(tolerationSeconds),
			})
			r.reason = fmt.Sprintf("the Pod has no toleration of its own for the taint, so it gets one for %d seconds", tolerationSeconds)
		}
		return nil
	},
}

// tolerates says whether a toleration concerns a NoExecute taint, whatever its
// operator and value.
func tolerates(tolerations []map[string]any, taint string) bool {
	for _, t := range tolerations {
		key, effect := text(t, "key"), text(t, "effect")
		if (key == taint || key == "") && (effect == "NoExecute" || effect == "") {
			return true
		}
	}
	return false
}
