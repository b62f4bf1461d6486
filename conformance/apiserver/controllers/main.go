// Command controllers is a whole kube-controller-manager, made of its own packages. It takes the
// flags of kube-controller-manager.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	os.Exit(cli.Run(app.NewControllerManagerCommand()))
}
