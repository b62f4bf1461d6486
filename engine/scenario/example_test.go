package scenario_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// A link carries the whole scenario after the #, which browsers do not send to servers.
func ExampleEncodeLink() {
	link, err := scenario.EncodeLink(scenario.Scenario{Title: "A pod", Request: "{apiVersion: v1, kind: Pod, metadata: {name: web}}"})
	if err != nil {
		log.Fatal(err)
	}
	back, err := scenario.DecodeLink("https://example.org/" + link)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(link, "#1/"), back.Title)
	// Output: true A pod
}
