package main

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// program runs preadmit as its own process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env, c.Stderr = append(os.Environ(), asCommand+"=1"), os.Stderr
	return c
}

// TestAgentsOverHTTP drives preadmit mcp --addr with the SDK's client, using tools and resources.
func TestAgentsOverHTTP(t *testing.T) {
	c := program(t, "mcp", "--addr", "127.0.0.1:0")
	c.Stderr = nil
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("%q %v", line, err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	var tools []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name)
	}
	if want := []string{"check", "evaluate", "explain_denial", "find_request", "fix"}; !slices.Equal(slices.Sorted(slices.Values(tools)), want) {
		t.Errorf("the tools are %v", tools)
	}
	read := 0
	for resource, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resource.URI})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].Text == "" {
			t.Errorf("%s: %v", resource.URI, err)
		}
		read++
	}
	if read < 130 { // the examples and the pages
		t.Errorf("%d resources", read)
	}
}

// TestAgents drives preadmit mcp over standard streams with the SDK's client.
func TestAgents(t *testing.T) {
	policies, err := os.ReadFile("../../examples/first-look/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: program(t, "mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "check", Arguments: map[string]any{"policies": string(policies)}})
	if err != nil {
		t.Fatal(err)
	}
	if said := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(said, "accepts it") {
		t.Error(said)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
