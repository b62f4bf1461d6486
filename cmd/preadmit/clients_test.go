package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// program is preadmit as a process of its own.
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

// TestAgents drives preadmit mcp over its standard streams with the SDK's client.
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
