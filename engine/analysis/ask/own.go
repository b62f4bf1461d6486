package ask

import (
	"maps"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// own is a request of the caller, with what the server reads in it.
type own struct {
	read   *report.Request
	values map[string]any
}

// readOwn reads the requests of the caller; it leaves out those that the server would not read.
func (t *trial) readOwn(texts []string) (out []own) {
	for _, text := range texts {
		docs, problems := scenario.ParseDocuments(diag.Request, text)
		if len(docs) != 1 || diag.HasErrors(problems) || strings.TrimSpace(text) == "" {
			continue
		}
		answers := t.answers(text, engine.Options{})
		if answers == nil || answers[0].Request == nil {
			continue
		}
		values := map[string]any{"object": docs[0].Value}
		if answers[0].Request.Form != "object" {
			if values = docs[0].Value; values["request"] != nil {
				values, _ = values["request"].(map[string]any)
			}
			values = maps.Clone(values)
			for _, field := range []string{"apiVersion", "kind", "resource", "subResource", "operation"} {
				delete(values, field) // they are those of the world
			}
		}
		out = append(out, own{answers[0].Request, values})
	}
	return out
}

// like returns a request with these values, if it is one of the same kind.
func (o own) like(r *request) *request {
	if o.read.Operation != r.operation || o.read.Resource != r.resource.GVR.String() || o.read.SubResource != r.sub {
		return nil
	}
	out := *r
	out.values = o.values
	return out.clone()
}
