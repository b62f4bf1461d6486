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

// Place is an offset, in bytes, in one text of a scenario.
type Place struct {
	Scenario scenario.Scenario `json:"scenario"`
	Text     diag.Text         `json:"text"`
	Offset   int               `json:"offset"`
}

// completers are kept, because making one takes longer than asking it.
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

// complete lists what can be written at a place.
func complete(_ context.Context, p Place) (completion.Result, error) {
	c, err := completer(p.Scenario.Kubernetes)
	if err != nil {
		return completion.Result{}, err
	}
	result, err := c.Complete(p.Scenario, p.Text, p.Offset)
	if result.Items == nil {
		result.Items = []completion.Item{} // the page expects a list, not null
	}
	return result, err
}

// hover says what is at a place; null when there is nothing to say.
func hover(_ context.Context, p Place) (*completion.Help, error) {
	c, err := completer(p.Scenario.Kubernetes)
	if err != nil {
		return nil, err
	}
	return c.Hover(p.Scenario, p.Text, p.Offset)
}

// sentences are those about the fields of the built-in kinds; nil until the page
// gives them.
var sentences atomic.Pointer[fielddocs.Docs]

// sentence is a complete.Docs over sentences.
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

// fieldDocs takes the sentences. The page fetches them when help is first asked
// for, because they are large.
func fieldDocs(_ context.Context, text string) (bool, error) {
	docs := fielddocs.Parse(text)
	sentences.Store(&docs)
	return true, nil
}
