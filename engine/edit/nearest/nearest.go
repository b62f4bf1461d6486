// Package nearest finds the most similar name, by the engine's measure
// for misspelled fields and variables.
package nearest

import "github.com/preadmit/preadmit/engine/internal/text/suggest"

// Of returns the candidate that looks most like got, if one is near: no more than a
// third of the letters differ. A candidate equal to got is none.
func Of(candidates []string, got string) (best string, ok bool) { return suggest.Of(candidates, got) }
