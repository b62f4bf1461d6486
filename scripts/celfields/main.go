// Command celfields writes the list of CEL fields for the page's editors,
// web/lang-cel/src/fields.ts, from the engine's list. Run it from the top folder: go run
// ./scripts/celfields
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/engine/edit/completion"
)

// file is the generated file, relative to the top folder.
var file = filepath.Join("web", "lang-cel", "src", "fields.ts")

func main() {
	if err := os.WriteFile(file, []byte(source()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "celfields:", err)
		os.Exit(1)
	}
}

// source returns the generated file, in Prettier's format.
func source() string {
	var b strings.Builder
	b.WriteString(`// Written by "go run ./scripts/celfields" from engine/internal/cel/model. Do not edit.

/** A field of the Kubernetes API that holds CEL. */
export interface CelField {
  group: string;
  kinds: readonly string[];
  /** From the top of a document; "[]" is an item of a list, "**" any number of fields. */
  path: string;
}

/** All fields that hold CEL. */
export const celFields: readonly CelField[] = [
`)
	for _, f := range completion.Fields() {
		kinds := make([]string, len(f.Kinds))
		for i, kind := range f.Kinds {
			kinds[i] = fmt.Sprintf("%q", kind)
		}
		fmt.Fprintf(&b, "  {\n    group: %q,\n    kinds: [%s],\n    path: %q,\n  },\n", f.Group, strings.Join(kinds, ", "), f.Path)
	}
	b.WriteString("];\n")
	return b.String()
}
