package main

import (
	_ "github.com/preadmit/preadmit/engine"
	_ "github.com/preadmit/preadmit/render/text"
	_ "github.com/spf13/cobra"
	_ "k8s.io/apimachinery/pkg/util/jsonmergepatch"
	_ "k8s.io/apimachinery/pkg/util/strategicpatch"
	_ "k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/client-go/dynamic/dynamicinformer"
	_ "k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/client-go/dynamic/fake"
	_ "sigs.k8s.io/yaml"
)

func main() {}
