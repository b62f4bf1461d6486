package storage

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/version"
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
		s := Storage{Chain: &run.Chain{Version: version.Default()}, Now: now}
		s.Attributes.Kind = kindOf("authentication.k8s.io/v1/TokenRequest")
		if got := message(s.tokenRequest(decoded(t, "{spec: "+spec+"}"))); got != want {
			t.Errorf("%s: %s", spec, got)
		}
	}
}
