package install_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimits goes to the edge of what the server accepts and one past it. The
// numbers are the server's (semantics §11), not those of our constants.
func TestLimits(t *testing.T) {
	conditions := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("{name: c%d, expression: 'true'}", i))
		}
		return "matchConditions: [" + strings.Join(list, ", ") + "]"
	}
	annotations := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{key: a%d, valueExpression: "'x'"}`, i))
		}
		return "auditAnnotations: [" + strings.Join(list, ", ") + "]"
	}
	value := func(n int) string {
		return fmt.Sprintf(`auditAnnotations: [{key: a, valueExpression: "  '%s'  "}]`, strings.Repeat("x", n-2))
	}
	timeout := func(n int) string { return fmt.Sprintf("timeoutSeconds: %d", n) }
	port := func(n int) string {
		return fmt.Sprintf("clientConfig: {service: {name: check, namespace: default, port: %d}}", n)
	}
	for _, c := range []struct {
		what, kind string
		last       int // what the server still accepts
		step       int // to the first that it refuses
		change     func(int) string
		message    string
	}{
		{"match conditions of a policy", vap, 64, 1, conditions, "must have at most 64 items"},
		{"match conditions of a mutating policy", mapp, 64, 1, conditions, "must have at most 64 items"},
		{"match conditions of a webhook", vwc, 64, 1, conditions, "must have at most 64 items"},
		{"audit annotations", vap, 20, 1, annotations, "must not have more than 20 auditAnnotations"},
		{"bytes of an audit annotation's expression, blanks around it aside", vap, 5120, 1, value, "must not exceed 5120 bytes in length"},
		{"seconds of a webhook's timeout", vwc, 30, 1, timeout, "the timeout value must be between 1 and 30 seconds"},
		{"the shortest timeout", mwc, 1, -1, timeout, "the timeout value must be between 1 and 30 seconds"},
		{"the last port", vwc, 65535, 1, port, "port is not valid"},
		{"the first port", vwc, 1, -1, port, "port is not valid"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := installText(t, document(t, c.kind, "{name: p.example.com}", c.change(c.last)), "1.36").Answers; len(got) > 0 {
				t.Errorf("%d is refused: %s", c.last, got[0].Message)
			}
			got := installText(t, document(t, c.kind, "{name: p.example.com}", c.change(c.last+c.step)), "1.36").Answers
			if len(got) != 1 || !strings.Contains(got[0].Message, c.message) {
				t.Errorf("%d: got %+v, want the message %q", c.last+c.step, got, c.message)
			}
		})
	}
}

// TestGeneratedNames: the server keeps 58 characters of generateName.
func TestGeneratedNames(t *testing.T) {
	for length, kept := range map[int]int{57: 57, 58: 58, 59: 58} {
		base := strings.Repeat("n", length)
		got := installText(t, document(t, vap, "{generateName: "+base+"}", ""), "1.36").ValidatingPolicies
		if want := base[:kept] + "xxxxx"; len(got) != 1 || got[0].Object.Name != want {
			t.Errorf("%d characters: got %+v, want the name %s", length, got, want)
		}
	}
}
