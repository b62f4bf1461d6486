package text_test

import (
	"context"
	"log"
	"os"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// A Printer writes a report as the command line does.
func ExamplePrinter_Report() {
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Request:    "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {color: blue}}",
		Expression: "object.data.color",
		Options:    scenario.Options{Plugins: scenario.Exactly()},
	}, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := (text.Printer{}).Report(os.Stdout, r); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ADMITTED, NO POLICIES  201
	//   no policies or webhooks: only the server's built-in checks ran
	//   Not checked: API validation of the ConfigMap (the program runs without package storage, which has the server's code for it).
	//
	// Request  CREATE v1 configmaps shop/web, Kubernetes 1.37
	//          by jane (system:authenticated)
	//          The text is an object, so the operation is CREATE.
	//          The user is assumed: jane, in the group system:authenticated.
	//          The resource is v1 configmaps, derived from the kind v1 ConfigMap.
	//
	// Policies and webhooks
	//   none: the scenario has no policies or webhooks
	//
	// Expression
	//     "blue"  cost 3  object.data.color
	//
	// Not simulated
	//   - The scenario's cluster has no Namespace shop; it is assumed to exist, with no label but kubernetes.io/metadata.name.
}
