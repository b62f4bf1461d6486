package storage

import "testing"

func TestUnboundable(t *testing.T) {
	for target, want := range map[string]string{
		"{kind: Node, name: n1}":     "",
		"{name: n1}":                 "",
		"{kind: Node}":               "target.name: Required value",
		"{kind: Pod, name: n1}":      `target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"`,
		"{kind: Pod}":                `[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]`,
		"{kind: Node, name: 'N 1'}":  `target.name: Invalid value: "N 1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		"{kind: Thing, name: 'N 1'}": `target.kind: Unsupported value: "Thing": supported values: "Node", "<empty>"`,
	} {
		got := ""
		if status := unboundable(decoded(t, "{target: "+target+"}")); status != nil {
			got = status.ErrStatus.Message
			if status.ErrStatus.Code != 500 {
				t.Errorf("%s: code %d", target, status.ErrStatus.Code)
			}
		}
		if got != want {
			t.Errorf("%s: %s", target, got)
		}
	}
}
