package scenario

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
)

// parsedKey is all that ParseDocuments depends on.
type parsedKey struct {
	text diag.Text
	src  string
}

// parsed is what ParseDocuments made of a text.
type parsed struct {
	docs  []*Document
	diags []diag.Diagnostic
}

// remembered are the texts that were read last: an edit changes one text, and
// several parts of the program read the same one. Documents take some twenty
// times the space of their text.
var remembered = cache.New[parsedKey, parsed](16, 2<<20, func(k parsedKey) int { return len(k.src) })

// Forget drops the texts that are kept to be read faster the next time.
func Forget() { remembered.Clear() }
