package agents_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/agents"
	"github.com/preadmit/preadmit/engine"
)

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replica-limit}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
    message: at most 5 replicas
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replica-limit}
spec: {policyName: replica-limit, validationActions: [Deny]}
`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 8
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'example.com/web:1'}]}
`

const denial = `The deployments "web" is invalid: : ValidatingAdmissionPolicy 'replica-limit' with binding 'replica-limit' denied request: at most 5 replicas`

// connected is a session with the SDK's client.
func connected(t *testing.T, to mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func server(t *testing.T) *agents.Server {
	t.Helper()
	s, err := agents.New("test", engine.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inMemory returns a session over pipes in this process.
func inMemory(t *testing.T) *mcp.ClientSession {
	t.Helper()
	reader, toServer, fromServer, writer := pipes(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	s := server(t)
	go func() { done <- s.Answer(ctx, reader, writer) }()
	session := connected(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	t.Cleanup(func() {
		_ = session.Close() // the server stops at the end of its input
		if err := <-done; err != nil {
			t.Error(err)
		}
		cancel()
	})
	return session
}

func pipes(t *testing.T) (serverIn, clientOut, clientIn, serverOut *os.File) {
	t.Helper()
	serverIn, clientOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	clientIn, serverOut, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return serverIn, clientOut, clientIn, serverOut
}

// call returns a call's text and structured content.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any) (string, map[string]any, bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	structured, _ := r.StructuredContent.(map[string]any)
	return r.Content[0].(*mcp.TextContent).Text, structured, r.IsError
}

// TestTools calls each tool as an agent does.
func TestTools(t *testing.T) {
	session := inMemory(t)
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		says      []string       // parts of the text
		has       map[string]any // fields of the structured content
		fails     bool
	}{
		"denied": {"evaluate", map[string]any{"policies": policy, "request": deployment}, []string{"DENIED  422", "object.spec.replicas <= 5"},
			map[string]any{"state": "denied", "allowed": false, "code": 422.0, "kubernetes": "1.37", "decidedBy": "ValidatingAdmissionPolicy replica-limit, binding replica-limit"}, false},
		"admitted in an older release": {"evaluate", map[string]any{"policies": policy, "request": strings.Replace(deployment, "8", "3", 1), "kubernetes": "1.31"}, []string{"ADMITTED"},
			map[string]any{"state": "admitted", "allowed": true, "kubernetes": "1.31"}, false},
		"values of all parts": {"evaluate", map[string]any{"policies": policy, "request": deployment, "explain": true}, []string{"8        false"}, nil, false},
		"an expression":       {"evaluate", map[string]any{"request": deployment, "expression": "object.spec.replicas * 2"}, []string{"16"}, map[string]any{"expression": map[string]any{"result": 16.0, "type": "int", "cost": 4.0}}, false},
		"no request":          {"evaluate", map[string]any{"policies": policy}, []string{"give a request"}, nil, true},
		"unknown release":     {"evaluate", map[string]any{"request": deployment, "kubernetes": "1.12"}, []string{"1.30"}, nil, true},
		"accepted":            {"check", map[string]any{"policies": policy}, []string{"Kubernetes 1.37 accepts it"}, map[string]any{"accepted": true, "problems": []any{}}, false},
		"refused":             {"check", map[string]any{"policies": strings.Replace(policy, "spec.replicas", "spec.replica", 1) + strings.Replace(policy, "matchConstraints", "matchConstraint", 1)}, []string{"does not accept it", "policies:20:3"}, map[string]any{"accepted": false}, false},
		"too dear": {"check", map[string]any{"policies": strings.Replace(policy, "object.spec.replicas <= 5", "object.spec.template.spec.containers.all(c, object.spec.template.spec.containers.exists(d, d.image == c.image))", 1)},
			[]string{"has no useful bound; the limit is 1,000,000"}, nil, false},
		"repaired":       {"fix", map[string]any{"policies": strings.Replace(policy, "matchConstraints", "matchConstraint", 1)}, []string{"+  matchConstraints:"}, map[string]any{"policies": policy, "problems": []any{}}, false},
		"no repair":      {"fix", map[string]any{"policies": policy}, []string{"No problem"}, map[string]any{"applied": []any{}}, false},
		"denied request": {"find_request", map[string]any{"policies": policy, "answer": "denied"}, []string{"kind: Deployment", "replicas: 6"}, map[string]any{"found": true}, false},
		"a selector": {"find_request", map[string]any{"policies": strings.Replace(policy, "[Deny]", "[Deny], matchResources: {namespaceSelector: {matchLabels: {env: prod}}}", 1), "answer": "denied"},
			[]string{"The cluster needs this Namespace", "env: prod", "replicas: 6"}, map[string]any{"found": true}, false},
		"newly denied": {"find_request", map[string]any{"policies": strings.Replace(policy, "<= 5", "<= 3", 1), "oldPolicies": policy, "answer": "newly-denied"}, []string{"replicas: "}, map[string]any{"found": true}, false},
		"same answers": {"find_request", map[string]any{"policies": policy, "oldPolicies": policy, "answer": "different"}, []string{"This does not prove that none exists"}, map[string]any{"found": false}, false},
		"no old ones":  {"find_request", map[string]any{"policies": policy, "answer": "different"}, []string{"use oldPolicies, and they need it"}, nil, true},
		"no policy":    {"find_request", map[string]any{"policies": "a: [", "answer": "denied"}, []string{"call check"}, nil, true},
		"denial":       {"explain_denial", map[string]any{"message": denial}, []string{`ValidatingAdmissionPolicy "replica-limit"`, "kubectl get validatingadmissionpolicybinding replica-limit -o yaml"}, nil, false},
		"same denial":  {"explain_denial", map[string]any{"message": denial, "policies": policy, "request": deployment}, []string{"get the same answer", "8        false"}, map[string]any{"same": true}, false},
		"other answer": {"explain_denial", map[string]any{"message": denial, "policies": policy, "request": strings.Replace(deployment, "8", "3", 1)}, []string{"The given texts are admitted"}, nil, false},
		"no denial":    {"explain_denial", map[string]any{"message": "hello"}, []string{"not an API server's answer"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			said, structured, failed := call(t, session, c.tool, c.arguments)
			if failed != c.fails {
				t.Errorf("an error: %v", failed)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("no %q in\n%s", part, said)
				}
			}
			for field, want := range c.has {
				if got, _ := json.Marshal(structured[field]); string(got) != string(must(json.Marshal(want))) {
					t.Errorf("%s is %s, not %v", field, got, want)
				}
			}
		})
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// TestLongAnswer: a reply too long for a model is cut at a line end.
func TestLongAnswer(t *testing.T) {
	var many strings.Builder
	for range 300 {
		many.WriteString(strings.ReplaceAll(policy, "replica-limit", "p"+strings.Repeat("x", many.Len()%50)) + "---\n")
	}
	said, _, _ := call(t, inMemory(t), "check", map[string]any{"policies": many.String()})
	if len(said) > 25<<10 || !strings.Contains(said, "more lines. Give fewer policies") {
		t.Errorf("%d bytes: %s", len(said), said[max(0, len(said)-200):])
	}
}

// TestResources reads the lists, an example and a page.
func TestResources(t *testing.T) {
	session := inMemory(t)
	seen := map[string]bool{}
	for r, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		seen[r.URI] = r.Title != "" && r.Description != ""
	}
	for uri, part := range map[string]string{
		"preadmit://examples": "(preadmit://examples/first-look)", "preadmit://examples/first-look": "-- policies.yaml --", "preadmit://docs/cel": "# ", "preadmit://docs/diagnostics": "unknown-field",
	} {
		if !seen[uri] {
			t.Errorf("%s is not listed with a title and a description", uri)
		}
		r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Contents[0].Text; !strings.Contains(got, part) || strings.HasPrefix(got, "---") {
			t.Errorf("%s: %.200s", uri, got)
		}
	}
}

// TestHTTP calls a tool over streamable HTTP. Requests from other sites' pages are rejected.
func TestHTTP(t *testing.T) {
	web := httptest.NewServer(server(t).Handler())
	t.Cleanup(web.Close)
	session := connected(t, &mcp.StreamableClientTransport{Endpoint: web.URL})
	t.Cleanup(func() { _ = session.Close() })
	if said, _, _ := call(t, session, "evaluate", map[string]any{"policies": policy, "request": deployment}); !strings.HasPrefix(said, "DENIED") {
		t.Error(said)
	}
	foreign := httptest.NewRequest("POST", web.URL, strings.NewReader("{}"))
	foreign.Header.Set("Origin", "https://example.com")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	answer := httptest.NewRecorder()
	server(t).Handler().ServeHTTP(answer, foreign)
	if answer.Code != 403 {
		t.Errorf("a foreign page gets %d", answer.Code)
	}
}
