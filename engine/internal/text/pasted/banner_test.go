package pasted

import "testing"

func TestBanner(t *testing.T) {
	for line, want := range map[string]bool{
		"install.go:225: 2026-11-26 [debug] Original chart version": true,
		"WARNING: Kubernetes configuration file is group-readable":  true,
		"I1126 08:30:21.000001   77 main.go:12] started":            true,
		"apiVersion: v1": false,
		"":               false,
		`{"kind":"ConfigMap","apiVersion":"v1","data":{"log":"main.go:12: out of memory"}}`: false,
		`["main.go:12: out of memory"]`: false,
	} {
		if got := Banner(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
