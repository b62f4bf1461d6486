package storage

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
)

func TestTokenExpiration(t *testing.T) {
	const invalid = `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: `
	for spec, want := range map[string]string{
		"{}":                              "",
		"{expirationSeconds: 600}":        "",
		"{expirationSeconds: 4294967296}": "",
		"{expirationSeconds: 0}":          invalid + "0: may not specify a duration less than 10 minutes",
		"{expirationSeconds: 599}":        invalid + "599: may not specify a duration less than 10 minutes",
		"{expirationSeconds: 4294967297}": invalid + "4294967297: may not specify a duration larger than 2^32 seconds",
	} {
		s := storing(t, false, cluster.Object{}, "")
		s.Attributes.Kind = kindOf("authentication.k8s.io/v1/TokenRequest")
		if got := message(s.tokenRequest(decoded(t, "{spec: "+spec+"}"))); got != want {
			t.Errorf("%s: %s", spec, got)
		}
	}
}

// TestTokenAccount: whose token it is, and what it is bound to.
func TestTokenAccount(t *testing.T) {
	account := cluster.Object{GVK: accountKind.WithVersion("v1"), Namespace: "n", Name: "p"}
	pod := cluster.Object{GVK: podKind.WithVersion("v1"), Namespace: "n", Name: "web"}
	const another = "cannot bind token for serviceaccount \"p\" to pod running with different serviceaccount name."
	for name, c := range map[string]struct {
		of            cluster.Object
		stored, token string
		complete      bool
		want          string
	}{
		"an account":       {of: account, stored: "metadata: {uid: a}", token: "metadata: {name: p, uid: a}", complete: true},
		"none":             {complete: true, token: "spec: {}", want: `serviceaccounts "p" not found`},
		"one that may be":  {token: "spec: {}"},
		"another name":     {token: "metadata: {name: q}", want: `TokenRequest.authentication.k8s.io "p" is invalid: metadata.name: Invalid value: "q": must match the service account name if specified`},
		"another uid":      {of: account, stored: "metadata: {uid: a}", token: "metadata: {uid: b}", want: `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "p": the UID in the token request (b) does not match the UID of the service account (a)`},
		"a Pod":            {of: pod, stored: "spec: {serviceAccountName: p}", token: "spec: {boundObjectRef: {apiVersion: v1, kind: Pod, name: web}}"},
		"another's Pod":    {of: pod, stored: "spec: {}", token: "spec: {boundObjectRef: {apiVersion: v1, kind: Pod, name: web}}", want: another},
		"another Pod":      {of: pod, stored: "{metadata: {uid: a}, spec: {serviceAccountName: p}}", token: "spec: {boundObjectRef: {apiVersion: v1, kind: Pod, name: web, uid: b}}", want: `Operation cannot be fulfilled on Pod "web": the UID in the bound object reference (b) does not match the UID in record. The object might have been deleted and then recreated`},
		"no Pod":           {of: account, stored: "spec: {}", complete: true, token: "spec: {boundObjectRef: {apiVersion: v1, kind: Pod, name: web}}", want: `pods "web" not found`},
		"a kind of no use": {token: "spec: {boundObjectRef: {apiVersion: v1, kind: ConfigMap, name: web}}", want: "cannot bind token to object of type /v1, Kind=ConfigMap"},
	} {
		s := storing(t, c.complete, c.of, c.stored)
		s.Attributes.Operation, s.Attributes.SubResource, s.Attributes.Kind = "CREATE", "token", kindOf("authentication.k8s.io/v1/TokenRequest")
		s.Attributes.Object = decoded(t, c.token)
		status := s.tokenRequest(s.Attributes.Object)
		if status == nil {
			status = s.BindToken()
		}
		if got := message(status); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
