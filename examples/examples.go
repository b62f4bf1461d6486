// Package examples holds the scenarios of the gallery, for programs that hand them out.
package examples

import "embed"

// Scenarios has a folder for each example, without what is expected of it.
//
//go:embed */policies.yaml */request.yaml */cluster.yaml */scenario.yaml */expression.cel
var Scenarios embed.FS
