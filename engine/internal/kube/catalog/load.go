// Package catalog knows the kinds that a Kubernetes API server serves: their
// types field by field, resources and subresources, how objects are decoded,
// defaulted and merged. Built-in kinds come from generated data, one view per
// minor version 1.30 to 1.37; kinds of CustomResourceDefinitions are added to a
// view with [Catalog.WithCRDs].
//
// Objects are in unstructured form throughout: map[string]any with int64,
// float64, string, bool, nil, []any. No function changes an object it is given.
package catalog

import (
	_ "embed" // the generated data
	"fmt"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine/internal/version"
)

//go:embed data/types.txt
var typesText string

//go:embed data/resources.txt
var resourcesText string

// Catalog is what an API server of one minor version serves. It is safe for
// concurrent use.
type Catalog struct {
	*builtin
	crds customKinds
	// refused are resources from definitions that the server rejects.
	refused []Resource
}

// builtin is the part of a catalog that only depends on the version. Catalogs with and without CRDs
// share it.
type builtin struct {
	version   version.Version
	resources resourceTable

	ruleSets ruleSets

	mu      sync.Mutex
	types   map[string]*Type // by catalog name, filled on demand
	mergers map[string]Merger
	// statuses caches results of NewStatus, by kind.
	statuses sync.Map
	settled  settledLists
}

var (
	loadedMu sync.Mutex
	loaded   = map[version.Version]*Catalog{}
)

// For returns the catalog of a version's built-in kinds. It is shared and reads types on first use,
// so the call is cheap. It returns an error for unsupported versions.
func For(v version.Version) (*Catalog, error) {
	loadedMu.Lock()
	defer loadedMu.Unlock()
	if c := loaded[v]; c != nil {
		return c, nil
	}
	if !v.Known() {
		return nil, fmt.Errorf("there is no catalog of Kubernetes %s", v)
	}
	resources, err := parseResources(v)
	if err != nil {
		return nil, err
	}
	c := &Catalog{builtin: &builtin{version: v, resources: resources, types: map[string]*Type{}, mergers: map[string]Merger{}}}
	loaded[v] = c
	return c, nil
}

// Version returns the catalog's Kubernetes version.
func (c *Catalog) Version() version.Version { return c.version }

// typeBlock is the range of one block in types.txt.
type typeBlock struct {
	heads []string
	body  string
}

// blocks indexes types.txt by type name, for all versions.
var blocks = sync.OnceValue(func() map[string]typeBlock {
	out := make(map[string]typeBlock, 1500)
	for rest := typesText; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if strings.HasPrefix(line, "#") {
			continue
		}
		id, head, _ := strings.Cut(line, " ")
		block := out[id]
		block.heads = append(block.heads, head)
		block.body = rest[:bodyLength(rest)]
		rest = rest[len(block.body):]
		out[id] = block
	}
	return out
})

// bodyLength returns the number of leading bytes in text that are whole lines starting with a tab.
func bodyLength(text string) int {
	n := 0
	for n < len(text) && text[n] == '\t' {
		end := strings.IndexByte(text[n:], '\n')
		if end < 0 {
			return len(text)
		}
		n += end + 1
	}
	return n
}

// cutRange splits the version range from a line of the generated files and reports whether it
// includes a version.
func cutRange(line string, v version.Version) (text string, in bool, err error) {
	i := strings.LastIndex(line, " @")
	if i < 0 {
		return line, true, nil
	}
	if in, err = v.In(line[i+2:]); err != nil {
		return "", false, fmt.Errorf("line %q: %w", line, err)
	}
	return line[:i], in, nil
}
