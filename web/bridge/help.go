package bridge

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/edit/fielddocs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Place is a byte offset in one of a scenario's texts.
type Place struct {
	Scenario scenario.Scenario `json:"scenario"`
	Text     diag.Text         `json:"text"`
	Offset   int               `json:"offset"`
}

// completers are cached, because creating one takes longer than using it.
var completers = struct {
	sync.Mutex
	byVersion map[string]*completion.Completer
}{byVersion: map[string]*completion.Completer{}}

func completer(version string) (*completion.Completer, error) {
	if version == "" {
		version = scenario.DefaultVersion
	}
	completers.Lock()
	defer completers.Unlock()
	if c, ok := completers.byVersion[version]; ok {
		return c, nil
	}
	c, err := completion.New(version, sentence)
	if err != nil {
		return nil, err
	}
	completers.byVersion[version] = c
	return c, nil
}

// complete lists completions at a place.
func complete(_ context.Context, p Place) (completion.Result, error) {
	c, err := completer(p.Scenario.Kubernetes)
	if err != nil {
		return completion.Result{}, err
	}
	result, err := c.Complete(p.Scenario, p.Text, p.Offset)
	if result.Items == nil {
		result.Items = []completion.Item{} // the page expects a list and not null
	}
	return result, err
}

// hover describes a place; null if there is nothing to say.
func hover(_ context.Context, p Place) (*completion.Help, error) {
	c, err := completer(p.Scenario.Kubernetes)
	if err != nil {
		return nil, err
	}
	return c.Hover(p.Scenario, p.Text, p.Offset)
}

// sentences describe the built-in kinds' fields; nil until the page passes them.
var sentences atomic.Pointer[fielddocs.Docs]

// sentence implements complete.Docs with sentences.
func sentence(typeID, field string) string {
	docs := sentences.Load()
	switch {
	case docs == nil:
		return ""
	case field == "":
		return docs.Type(typeID)
	}
	return docs.Field(typeID, field)
}

// fieldDocs stores the sentences. They are large, so the page fetches them when help is first
// needed.
func fieldDocs(_ context.Context, text string) (bool, error) {
	sentences.Store(new(fielddocs.Parse(text)))
	return true, nil
}
