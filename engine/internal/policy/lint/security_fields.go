package lint

import "slices"

// securityFields give access to the node, or other rights than a Pod has by itself.
var securityFields = []string{
	"privileged", "hostNetwork", "hostPID", "hostIPC", "hostPath", "runAsUser", "runAsNonRoot", "capabilities", "allowPrivilegeEscalation", "seccompProfile", "procMount", "readOnlyRootFilesystem", "runAsGroup", "hostPort",
}

// isSecurityField reports whether a field is one of the security context, or that itself.
func isSecurityField(name string) bool {
	return name == "securityContext" || slices.Contains(securityFields, name)
}

// securityField is the first such field that a validation reads; empty for none.
func (p *policy) securityField() string {
	for _, v := range p.validations {
		for _, name := range p.fields(v.read) {
			if slices.Contains(securityFields, name) {
				return name
			}
		}
	}
	return ""
}
