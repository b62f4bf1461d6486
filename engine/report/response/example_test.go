package response_test

import (
	"encoding/json"
	"fmt"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/response"
)

var denied = report.Report{
	Request: &report.Request{Operation: "CREATE", Kind: "/v1, Kind=Pod", Resource: "/v1, Resource=pods", Name: "web"},
	Outcome: report.Outcome{Code: 403, Reason: "Forbidden", Message: `pods "web" is forbidden: no`, Warnings: []string{"be careful"}},
}

// Review is the response of a webhook with the same policies.
func ExampleReview() {
	review, err := response.Review(&denied)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.MarshalIndent(review["response"], "", "  ")
	fmt.Println(string(text), err)
	// Output:
	// {
	//   "allowed": false,
	//   "status": {
	//     "code": 403,
	//     "message": "pods \"web\" is forbidden: no",
	//     "reason": "Forbidden",
	//     "status": "Failure"
	//   },
	//   "uid": "00000000-0000-0000-0000-000000000000",
	//   "warnings": [
	//     "be careful"
	//   ]
	// } <nil>
}

func ExampleKubectl() {
	fmt.Print(response.Kubectl(&denied))
	// Output:
	// Warning: be careful
	// Error from server (Forbidden): error when creating "request.yaml": pods "web" is forbidden: no
}
