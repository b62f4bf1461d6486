package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// securityFields give access to the node, or other rights than a Pod has by itself.
var securityFields = []string{
	"privileged", "hostNetwork", "hostPID", "hostIPC", "hostPath", "runAsUser", "runAsNonRoot", "capabilities", "allowPrivilegeEscalation", "seccompProfile", "procMount", "readOnlyRootFilesystem", "runAsGroup",
}

// readsSecurity reports whether a part reads the security context.
func readsSecurity(n *values.Node) bool {
	return (n.Kind == values.Select && (n.Name == "securityContext" || slices.Contains(securityFields, n.Name))) || slices.ContainsFunc(n.Children, readsSecurity)
}
