// Package bridge serves the page: it decodes one call, runs the engine and encodes the reply. It is
// plain Go, so that calls can be tested without a browser. wasm/main.go only passes the strings.
//
// Its types are the contract with the page: go run ./scripts/protocol generates web/app/protocol.ts
// from them.
package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// Protocol is the version of the calls. The worker rejects a module with another version
// (web/app/protocol.ts).
const Protocol = 3

// MaxRequest limits a call's size, in bytes, because links come from strangers.
const MaxRequest = 8 << 20

// reply is the encoded reply. Exactly one field is set.
type reply struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Call serves one call. It always returns JSON; an invalid call returns an error in the reply. A
// scenario's long texts may be passed separately, as alternating names and texts, so that they are
// not parsed as JSON.
func Call(ctx context.Context, request string, texts ...string) string {
	size := len(request)
	for _, text := range texts {
		size += len(text)
	}
	if size > MaxRequest {
		return encode(reply{Error: fmt.Sprintf("the scenario is larger than %d MiB", MaxRequest>>20)})
	}
	d := json.NewDecoder(strings.NewReader(request))
	name, err := begin(d)
	if err != nil {
		return encode(reply{Error: "the call cannot be read: " + err.Error()})
	}
	i := slices.IndexFunc(Methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return encode(reply{Error: fmt.Sprintf("there is no method %q", name)})
	}
	result, err := Methods[i].answer(ctx, d, texts)
	if err != nil {
		return encode(reply{Error: err.Error()})
	}
	return encode(reply{Result: result})
}

// begin reads a call, {"method": NAME, "params": PARAMS}, up to its parameters. It scans a call of
// megabytes only once.
func begin(d *json.Decoder) (method string, err error) {
	for _, want := range []json.Token{json.Delim('{'), "method", nil, "params"} {
		got, err := d.Token()
		if err != nil {
			return "", err
		}
		if name, ok := got.(string); want == nil && ok {
			method = name
		} else if got != want {
			return "", fmt.Errorf("it has %v where {\"method\": …, \"params\": …} is expected, in this order", got)
		}
	}
	return method, nil
}

// Failure is the reply for a panic outside of the engine, which reports its own as diagnostics. The
// page shows it instead of the result.
func Failure(reason any) string {
	return encode(reply{Error: fmt.Sprintf("internal error, please report it at %s: %v", codes.ReportAddress, reason)})
}

// encode writes a reply as JSON without escaping HTML: the page reads it with JSON.parse and never
// as part of a page.
func encode(r reply) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		b.Reset()
		_ = encoder.Encode(reply{Error: "the reply cannot be encoded: " + err.Error()}) // a struct of strings can always be encoded
	}
	return b.String()
}
