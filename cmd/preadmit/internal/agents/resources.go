package agents

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/preadmit/preadmit/docs"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/examples"
)

// The resources' addresses.
const (
	exampleAddress = "preadmit://examples"
	docsAddress    = "preadmit://docs/"
)

// addResources adds the examples, their list, and the documentation's pages.
func (s *Server) addResources() error {
	index, err := s.addExamples()
	if err != nil {
		return err
	}
	s.mcp.AddResource(&mcp.Resource{URI: exampleAddress, Name: "examples", Title: "Examples", Description: "A list of all examples, each with policies and a request that shows their effect.", MIMEType: "text/markdown", Size: int64(len(index))},
		static(exampleAddress, "text/markdown", index))
	pages, err := fs.Glob(docs.Pages, "*.md")
	if err != nil {
		return err
	}
	for _, file := range pages {
		page, err := docs.Pages.ReadFile(file)
		if err != nil {
			return err
		}
		head, body, err := docs.Cut(page)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name := strings.TrimSuffix(file, ".md")
		s.mcp.AddResource(&mcp.Resource{URI: docsAddress + name, Name: name, Title: head.Title, Description: head.Summary, MIMEType: "text/markdown", Size: int64(len(body))},
			static(docsAddress+name, "text/markdown", string(body)))
	}
	return nil
}

// addExamples adds the examples and returns their list.
func (s *Server) addExamples() (index string, err error) {
	folders, err := fs.ReadDir(examples.Scenarios, ".")
	if err != nil {
		return "", err
	}
	var list strings.Builder
	list.WriteString("# Examples\n\n")
	for _, folder := range folders {
		sub, err := fs.Sub(examples.Scenarios, folder.Name())
		if err != nil {
			return "", err
		}
		read, err := scenario.FromFS(sub)
		if err != nil {
			return "", fmt.Errorf("%s: %w", folder.Name(), err)
		}
		archive, err := read.Scenario.Txtar()
		if err != nil {
			return "", fmt.Errorf("%s: %w", folder.Name(), err)
		}
		address := exampleAddress + "/" + folder.Name()
		fmt.Fprintf(&list, "- [%s](%s): %s\n", read.Scenario.Title, address, strings.Join(strings.Fields(read.Scenario.Description), " "))
		s.mcp.AddResource(&mcp.Resource{URI: address, Name: folder.Name(), Title: read.Scenario.Title, Description: read.Scenario.Description, MIMEType: "text/plain", Size: int64(len(archive))},
			static(address, "text/plain", string(archive)))
	}
	return list.String(), nil
}

// static returns a handler with a fixed text.
func static(address, mime, content string) mcp.ResourceHandler {
	return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: address, MIMEType: mime, Text: content}}}, nil
	}
}
