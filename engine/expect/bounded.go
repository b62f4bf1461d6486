package expect

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// What a file may hold, its aliases expanded, as of the documents of a scenario
// (docs/limits.md). An alias may be of what it is in, or of others without end.
const (
	maxValues = 300_000
	maxBytes  = 16 << 20
	maxDepth  = 200
)

// bounded counts what a document holds. It is looked at before anything else follows
// its aliases.
type bounded struct {
	file          string
	values, bytes int
}

func (b *bounded) check(node *yaml.Node, depth int) error {
	wrong := func(what string) error { return fmt.Errorf("%s:%d: %s", b.file, node.Line, what) }
	target := resolve(node)
	b.values++
	b.bytes += len(target.Value)
	switch {
	case depth > maxDepth:
		return wrong(fmt.Sprintf("values are more than %d levels deep, or hold themselves", maxDepth))
	case b.values > maxValues:
		return wrong(fmt.Sprintf("it has more than %d values, its aliases expanded", maxValues))
	case b.bytes > maxBytes:
		return wrong(fmt.Sprintf("it has more than %d bytes, its aliases expanded", maxBytes))
	}
	for _, item := range target.Content {
		if err := b.check(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}
