// Command controllers is a whole kube-controller-manager, built from its own packages. It has
// kube-controller-manager's flags.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	os.Exit(cli.Run(app.NewControllerManagerCommand()))
}
