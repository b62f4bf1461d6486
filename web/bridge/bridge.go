// Package bridge answers the calls of the page: it decodes one call, asks the
// engine and encodes the reply. It is plain Go, so that the calls can be tested
// without a browser; wasm/main.go only carries the strings across.
package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// Protocol is the version of the calls. The worker refuses a module that
// speaks another (web/app/protocol.ts).
const Protocol = 1

// MaxRequest bounds a call, in bytes. Links come from strangers.
const MaxRequest = 8 << 20

// call is what arrives.
type call struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// reply is what goes back; exactly one of the fields is set.
type reply struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// methods are the calls that the page can make.
var methods = map[string]func(context.Context, json.RawMessage) (any, error){
	"evaluate":     evaluate,
	"files":        files,
	"versions":     versionRows,
	"open":         open,
	"request/form": requestForm,
	"complete":     complete,
	"hover":        hover,
	"fieldDocs":    fieldDocs,
	"propose":      proposePolicies,
	"limits":       searchLimits,
}

// Call answers one call. It always returns JSON; a mistake in the call is an
// error in the reply.
func Call(ctx context.Context, request string) string {
	if len(request) > MaxRequest {
		return encode(reply{Error: fmt.Sprintf("the scenario is larger than %d MiB", MaxRequest>>20)})
	}
	var c call
	if err := json.Unmarshal([]byte(request), &c); err != nil {
		return encode(reply{Error: "the call is not JSON: " + err.Error()})
	}
	method, ok := methods[c.Method]
	if !ok {
		return encode(reply{Error: fmt.Sprintf("there is no method %q", c.Method)})
	}
	result, err := method(ctx, c.Params)
	if err != nil {
		return encode(reply{Error: err.Error()})
	}
	return encode(reply{Result: result})
}

// Failure is the reply for a call that panicked.
func Failure(reason any) string {
	return encode(reply{Error: fmt.Sprintf("internal error, please report it: %v", reason)})
}

func encode(r reply) string {
	raw, err := json.Marshal(r)
	if err != nil {
		raw, _ = json.Marshal(reply{Error: "the reply cannot be encoded: " + err.Error()}) // a struct of strings always can
	}
	return string(raw)
}

// Evaluated is the reply to evaluate.
type Evaluated struct {
	Report *report.Report `json:"report"`
	HTML   html.Rendered  `json:"html"`
	YAML   Objects        `json:"yaml"`
	// Broken names the text that cannot be parsed, if there is one. The page
	// then keeps the last result.
	Broken diag.Text `json:"broken,omitempty"`
}

// Objects are objects of a result as YAML.
type Objects struct {
	// Edit is the object to start from when somebody edits the result by hand.
	Edit string `json:"edit"`
}

func evaluate(ctx context.Context, params json.RawMessage) (any, error) {
	var s scenario.Scenario
	if err := json.Unmarshal(params, &s); err != nil {
		return nil, fmt.Errorf("the scenario: %w", err)
	}
	r, err := engine.Evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	rendered, err := html.View{Report: r, Texts: Texts(s)}.Render(ctx)
	if err != nil {
		return nil, err
	}
	if r.Diagnostics == nil {
		r.Diagnostics = []diag.Diagnostic{} // the page expects lists, not null
	}
	if r.Steps == nil {
		r.Steps = []report.Step{}
	}
	out := Evaluated{Report: r, HTML: rendered, Broken: broken(r)}
	if _, after, ok := html.Whole(r); ok {
		out.YAML.Edit = html.YAML(after)
	} else if r.Input != nil {
		out.YAML.Edit = html.YAML(r.Input)
	}
	return out, nil
}

// Texts are the texts of a scenario by the names that spans use.
func Texts(s scenario.Scenario) map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   s.Policies,
		diag.Request:    s.Request,
		diag.Cluster:    s.Cluster,
		diag.Expression: s.Expression,
	}
}

// broken is the text with a syntax error, which makes the whole result
// meaningless while somebody is in the middle of a line.
func broken(r *report.Report) diag.Text {
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error && strings.HasSuffix(d.Code, "-syntax") && d.Text != diag.Expression {
			return d.Text
		}
	}
	return ""
}
