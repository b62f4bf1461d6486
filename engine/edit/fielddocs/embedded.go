//go:build !js || languageserver

package fielddocs

import (
	_ "embed"
	"sync"
)

//go:embed docs.txt
var text string

// Embedded are the sentences of this version of the program. The page's engine, which fetches
// them, does not have it.
var Embedded = sync.OnceValue(func() Docs { return Parse(text) })

// Sentence describes a type, or a field of it: a completion.Docs.
func (d Docs) Sentence(typeID, field string) string {
	if field == "" {
		return d.Type(typeID)
	}
	return d.Field(typeID, field)
}
