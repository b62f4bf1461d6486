// Command protocol writes web/app/protocol.ts, the types of the calls between the
// page and the engine, from the Go types of web/bridge. Run it from the top
// folder: go run ./scripts/protocol
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/bridge"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "protocol:", err)
		os.Exit(1)
	}
}

// file is where the page has its types.
func file(root string) string { return filepath.Join(root, "web", "app", "protocol.ts") }

func run(root string) error {
	text, err := generate(root)
	if err != nil {
		return err
	}
	return os.WriteFile(file(root), []byte(text), 0o644)
}

// generate gives the module: two constants, the calls, and every type that they
// mention.
func generate(root string) (string, error) {
	w := newWriter(root)
	var calls strings.Builder
	for _, m := range bridge.Methods {
		params, err := w.name(m.Params)
		if err != nil {
			return "", fmt.Errorf("%s: %w", m.Name, err)
		}
		result, err := w.name(m.Result)
		if err != nil {
			return "", fmt.Errorf("%s: %w", m.Name, err)
		}
		fmt.Fprintf(&calls, "  %q: { params: %s; result: %s };\n", m.Name, params, result)
	}
	types, err := w.types()
	if err != nil {
		return "", err
	}
	versions := scenario.Versions()
	slices.Reverse(versions)
	return fmt.Sprintf(`// Written from the Go types of web/bridge: go run ./scripts/protocol
// Do not edit it.

/** Version of the calls. The worker refuses a module that speaks another. */
export const PROTOCOL = %d;

/** The Kubernetes versions that this build simulates, newest first. */
export const VERSIONS: readonly string[] = ["%s"];

/** What each call takes and gives. */
export interface Calls {
%s}

%s`, bridge.Protocol, strings.Join(versions, `", "`), calls.String(), types), nil
}
