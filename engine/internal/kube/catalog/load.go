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
	"strconv"
	"strings"
	"sync"
)

// The oldest and the newest minor version that the catalog covers.
const (
	oldestMinor = 30
	newestMinor = 37
)

//go:embed data/types.txt
var typesText string

//go:embed data/resources.txt
var resourcesText string

// Versions lists the minor versions of the catalog, oldest first.
func Versions() []string {
	var out []string
	for n := oldestMinor; n <= newestMinor; n++ {
		out = append(out, "1."+strconv.Itoa(n))
	}
	return out
}

// Catalog is what an API server of one minor version serves. It is safe for
// concurrent use.
type Catalog struct {
	*builtin
	crds customKinds
}

// builtin is the part of a catalog that depends on the version only; views with
// and without CRDs share it.
type builtin struct {
	minor     string
	number    int // 37 of 1.37
	resources resourceTable

	ruleSets ruleSets

	mu      sync.Mutex
	types   map[string]*Type // by catalog name, filled on demand
	mergers map[string]Merger
}

var (
	loadedMu sync.Mutex
	loaded   = map[string]*Catalog{}
)

// For returns the catalog of the built-in kinds of a minor version, such as
// "1.37". Types are read when they are first asked for, so the call is cheap;
// the result is shared.
func For(minor string) (*Catalog, error) {
	loadedMu.Lock()
	defer loadedMu.Unlock()
	if c := loaded[minor]; c != nil {
		return c, nil
	}
	number, err := strconv.Atoi(strings.TrimPrefix(minor, "1."))
	if err != nil || !strings.HasPrefix(minor, "1.") || number < oldestMinor || number > newestMinor {
		return nil, fmt.Errorf("no catalog of Kubernetes %q: the versions are 1.%d to 1.%d", minor, oldestMinor, newestMinor)
	}
	b := &builtin{minor: minor, number: number, types: map[string]*Type{}, mergers: map[string]Merger{}}
	if b.resources, err = parseResources(number); err != nil {
		return nil, err
	}
	c := &Catalog{builtin: b}
	loaded[minor] = c
	return c, nil
}

// Minor is the version of the catalog, such as "1.37".
func (c *Catalog) Minor() string { return c.minor }

// typeBlock is one block of types.txt: where its lines lie.
type typeBlock struct {
	heads []string
	body  string
}

// blocks indexes types.txt by type name, once for all versions.
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

// bodyLength is the number of leading bytes of text that are whole lines
// beginning with a tab.
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

// cutRange splits the range of versions from a line of the generated files and
// reports whether it has the given minor number.
func cutRange(line string, number int) (text string, in bool, err error) {
	i := strings.LastIndex(line, " @")
	if i < 0 {
		return line, true, nil
	}
	for _, part := range strings.Split(line[i+2:], ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, last := oldestMinor, newestMinor
		if from != "" {
			if first, err = strconv.Atoi(from); err != nil {
				return "", false, fmt.Errorf("range of versions in %q: %w", line, err)
			}
		}
		if to != "" {
			if last, err = strconv.Atoi(to); err != nil {
				return "", false, fmt.Errorf("range of versions in %q: %w", line, err)
			}
		}
		if first <= number && number <= last {
			return line[:i], true, nil
		}
	}
	return line[:i], false, nil
}
