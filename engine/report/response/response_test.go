package response

import (
	"encoding/base64"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

func TestKubectl(t *testing.T) {
	deployment := report.Request{Operation: "CREATE", Kind: "apps/v1, Kind=Deployment", Resource: "apps/v1, Resource=deployments", Name: "web"}
	pod := report.Request{Operation: "CREATE", Kind: "/v1, Kind=Pod", Resource: "/v1, Resource=pods", Name: "web", DryRun: true}
	deletion := report.Request{Operation: "DELETE", Kind: "/v1, Kind=Pod", Resource: "/v1, Resource=pods", Name: "web"}
	tests := []struct {
		name string
		r    report.Report
		want string
	}{
		{"created", report.Report{Request: &deployment, Outcome: report.Outcome{Allowed: true, Code: 201}},
			"deployment.apps/web created\n"},
		{"dry run with a warning", report.Report{Request: &pod, Outcome: report.Outcome{Allowed: true, Warnings: []string{"be careful"}}},
			"Warning: be careful\npod/web created (server dry run)\n"},
		{"deleted", report.Report{Request: &deletion, Outcome: report.Outcome{Allowed: true}},
			"pod \"web\" deleted\n"},
		{"one cause", report.Report{Request: &deployment, Outcome: report.Outcome{Code: 422, Reason: "Invalid", Message: "whole", Causes: []string{"denied request: too many"}}},
			"The deployments \"web\" is invalid: : denied request: too many\n"},
		{"two causes", report.Report{Request: &deployment, Outcome: report.Outcome{Code: 422, Reason: "Invalid", Message: "whole", Causes: []string{"a", "b"}}},
			"The deployments \"web\" is invalid: \n* : a\n* : b\n"},
		{"forbidden", report.Report{Request: &pod, Outcome: report.Outcome{Code: 403, Reason: "Forbidden", Message: "pods \"web\" is forbidden: no"}},
			"Error from server (Forbidden): error when creating \"request.yaml\": pods \"web\" is forbidden: no\n"},
		{"no reason", report.Report{Request: &pod, Outcome: report.Outcome{Code: 400, Message: "admission webhook \"w\" denied the request: no"}},
			"Error from server: error when creating \"request.yaml\": admission webhook \"w\" denied the request: no\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Kubectl(&tt.r); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestReviewCarriesThePatch(t *testing.T) {
	r := report.Report{Outcome: report.Outcome{
		Allowed: true, Mutated: true,
		Patch:    []report.PatchOperation{{Op: "add", Path: "/metadata/labels", Value: map[string]any{"a": "b"}}},
		Warnings: []string{"w"},
	}}
	review, err := Review(&r)
	if err != nil {
		t.Fatal(err)
	}
	response := review["response"].(map[string]any)
	raw, err := base64.StdEncoding.DecodeString(response["patch"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`; string(raw) != want {
		t.Errorf("patch = %s, want %s", raw, want)
	}
	if response["patchType"] != "JSONPatch" || response["allowed"] != true {
		t.Errorf("response = %v", response)
	}
}

func TestReviewOfADenialHasNoPatch(t *testing.T) {
	r := report.Report{Outcome: report.Outcome{
		Code: 422, Reason: "Invalid", Message: "no",
		Patch: []report.PatchOperation{{Op: "remove", Path: "/spec"}},
	}}
	review, err := Review(&r)
	if err != nil {
		t.Fatal(err)
	}
	response := review["response"].(map[string]any)
	if _, ok := response["patch"]; ok {
		t.Error("a denied request must not carry a patch")
	}
	if status := response["status"].(map[string]any); status["message"] != "no" || status["code"] != int64(422) {
		t.Errorf("status = %v", status)
	}
}
