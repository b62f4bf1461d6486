package versions_test

import (
	"context"
	"fmt"
	"log"

	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/scenario"
)

// One scenario is evaluated on every release. Here a function of CEL comes with 1.33.
func ExampleRun() {
	reports, err := versions.Run(context.Background(), scenario.Scenario{
		Request:    "{apiVersion: v1, kind: Pod, metadata: {name: web}}",
		Expression: "semver('1.2.3').major()",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range reports {
		fmt.Println(r.Kubernetes, r.Expression.Error == "")
	}
	// Output:
	// 1.30 false
	// 1.31 false
	// 1.32 false
	// 1.33 true
	// 1.34 true
	// 1.35 true
	// 1.36 true
	// 1.37 true
}
