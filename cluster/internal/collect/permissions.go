package collect

import _ "embed"

// permissions is also a file that can be applied.
//
//go:embed role.yaml
var permissions string

// Permissions is a ClusterRole with everything that this program reads besides the requested
// objects.
func Permissions() string { return permissions }
