package bridge

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"strconv"

	"github.com/preadmit/preadmit/engine/diag"
)

// Prints identify parts of a reply to evaluate by their content. The page sends those of the parts
// that it has.
type Prints struct {
	// Problems is that of the diagnostics and their list as HTML.
	Problems string `json:"problems,omitempty"`
	// Documents is that of the list of documents as HTML.
	Documents string `json:"documents,omitempty"`
}

// printsOf returns the prints of a reply's parts.
func printsOf(list []diag.Diagnostic, documents string) (Prints, error) {
	problems := fnv.New64a()
	if err := json.NewEncoder(problems).Encode(list); err != nil {
		return Prints{}, err
	}
	rows := fnv.New64a()
	_, _ = io.WriteString(rows, documents) // never fails
	return Prints{strconv.FormatUint(problems.Sum64(), 36), strconv.FormatUint(rows.Sum64(), 36)}, nil
}
