package bridge

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/html"
)

// maxKept limits the reports available to render. A page needs the report that it shows, and those
// that arrived before it could show the next. A page's embedded examples share an engine.
const maxKept = 8

// A report takes a hundred times the memory of its texts. Besides the newest two, reports are kept
// while their texts' total size allows it.
const maxKeptBytes = 512 << 10

// RenderParams are the parameters of render.
type RenderParams struct {
	// ID is an evaluated report's.
	ID    int64       `json:"id"`
	Parts []html.Part `json:"parts"`
	// Open are the keys of the folds that the reader has opened.
	Open []string `json:"open,omitempty"`
}

// RenderedParts is the reply to render.
type RenderedParts struct {
	// Gone says that the report is no longer kept. The page evaluates again.
	Gone  bool                 `json:"gone,omitempty"`
	Parts map[html.Part]string `json:"parts"`
	// Late are the report's problems, if they have changed since the first reply.
	Late *Repaired `json:"late,omitempty"`
}

// render renders parts of a report: the visible ones after a reply with the outcome alone, and
// others when their tabs are opened.
func render(ctx context.Context, p RenderParams) (RenderedParts, error) {
	kept, err := results.complete(ctx, p.ID)
	if kept == nil || err != nil {
		return RenderedParts{Gone: true, Parts: map[html.Part]string{}}, err
	}
	view := kept.view
	view.Open = p.Open
	out := RenderedParts{}
	if kept.basis && !slices.Contains(p.Parts, html.OutcomePart) {
		p.Parts = append(p.Parts, html.OutcomePart)
	}
	if out.Parts, err = view.Parts(ctx, p.Parts...); err != nil || !kept.late {
		return out, err
	}
	out.Late, err = problems(ctx, view)
	return out, err
}

// UnfoldParams are the parameters of unfold.
type UnfoldParams struct {
	// ID is an evaluated report's.
	ID int64 `json:"id"`
	// Key is the fold's key. Around are the enclosing folds' keys.
	Key    string   `json:"key"`
	Around []string `json:"around,omitempty"`
}

// Unfolded is the reply to unfold: a fold's content.
type Unfolded struct {
	// Gone says that the report is no longer kept. The page evaluates again.
	Gone bool   `json:"gone,omitempty"`
	HTML string `json:"html"`
}

// unfold renders a fold's content when the reader opens it.
func unfold(ctx context.Context, p UnfoldParams) (Unfolded, error) {
	kept, err := results.complete(ctx, p.ID)
	if kept == nil || err != nil {
		return Unfolded{Gone: true}, err
	}
	view := kept.view
	view.Open = p.Around
	html, err := view.Unfold(ctx, p.Key)
	return Unfolded{HTML: html}, err
}

// ObjectParams are the parameters of object.
type ObjectParams struct {
	// ID is an evaluated report's.
	ID int64 `json:"id"`
	// Print requests a fingerprint instead of the text.
	Print bool `json:"print,omitempty"`
}

// ObjectText is the reply to object.
type ObjectText struct {
	// Gone says that the report is no longer kept. The page evaluates again.
	Gone bool `json:"gone,omitempty"`
	// Text is the final object as YAML, or its fingerprint; empty if there is none.
	Text string `json:"text"`
}

// object returns a request's final object, which the reader can edit by hand.
func object(_ context.Context, p ObjectParams) (ObjectText, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return ObjectText{Gone: true}, nil
	}
	o := edited(view.Report)
	switch {
	case o == nil:
		return ObjectText{}, nil
	case !p.Print:
		return ObjectText{Text: html.YAML(o)}, nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return ObjectText{}, err
	}
	hash := fnv.New64a()
	_, _ = hash.Write(text) // never fails
	return ObjectText{Text: strconv.FormatUint(hash.Sum64(), 36)}, nil
}

// edited returns the object to edit by hand, or nil.
func edited(r *report.Report) map[string]any {
	if _, after, ok := html.Whole(r); ok {
		return after
	}
	return r.Input
}

// CompareParams are the parameters of compare.
type CompareParams struct {
	// ID is an evaluated report's.
	ID int64 `json:"id"`
	// From and To are frames in the object's film strip, from 0.
	From int `json:"from"`
	To   int `json:"to"`
}

// Compared is the reply to compare.
type Compared struct {
	// Gone says that the report is no longer kept. The page evaluates again.
	Gone bool   `json:"gone,omitempty"`
	HTML string `json:"html"`
}

// compare renders the difference between two states of the object.
func compare(ctx context.Context, p CompareParams) (Compared, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return Compared{Gone: true}, nil
	}
	html, err := view.Compare(ctx, p.From, p.To)
	return Compared{HTML: html}, err
}

// results are the reports evaluated or used last, newest at the end. Their numbers start at a
// random offset, because a page outlives an engine that hung: it must not mistake the next engine's
// report for its own.
var results keptResults

type keptResults struct {
	sync.Mutex
	last int64
	list []*keptResult
}

type keptResult struct {
	id   int64
	view html.View
	// rest is what the report still lacks, or nil. late says that it added problems, and basis that it
	// added what the outcome says of the report's basis.
	rest        *engine.Rest
	late, basis bool
}

// keep stores a report for render, with what it lacks, and returns its number.
func (k *keptResults) keep(view html.View, rest *engine.Rest) int64 {
	k.Lock()
	defer k.Unlock()
	if k.last == 0 {
		k.last = somewhere()
	}
	k.last++
	k.list = append(k.list, &keptResult{id: k.last, view: view, rest: rest})
	k.drop()
	return k.last
}

// drop drops the oldest excess reports.
func (k *keptResults) drop() {
	bytes := 0
	for i, r := range slices.Backward(k.list) {
		for _, text := range r.view.Texts {
			bytes += len(text)
		}
		if newer := len(k.list) - i - 1; newer >= maxKept || newer >= 2 && bytes > maxKeptBytes {
			k.list = slices.Delete(k.list, 0, i+1)
			return
		}
	}
}

// somewhere returns a number below 1<<51 that no other engine of the same page has used. It comes
// from the clock, with a thousand numbers per millisecond, and is computed when needed: engines
// restored from one image would otherwise share it.
func somewhere() int64 { return time.Now().UnixMilli() << 10 }

// forget drops all reports. The next number starts at a new offset.
func (k *keptResults) forget() {
	k.Lock()
	defer k.Unlock()
	k.last, k.list = 0, nil
}

// complete returns a kept, completed report, or nil.
func (k *keptResults) complete(ctx context.Context, id int64) (*keptResult, error) {
	found := k.use(id)
	if found == nil || found.rest == nil {
		return found, nil
	}
	limited, cancel := context.WithTimeout(ctx, evaluationTime)
	defer cancel()
	rest, before := found.rest, len(found.view.Report.NotSimulated)
	found.rest = nil
	var err error
	defer func() { found.basis = len(found.view.Report.NotSimulated) > before }()
	found.late, err = rest.Complete(limited)
	return found, err
}

// find returns a kept report, perhaps incomplete.
func (k *keptResults) find(id int64) (html.View, bool) {
	if found := k.use(id); found != nil {
		return found.view, true
	}
	return html.View{}, false
}

// use returns a kept report and makes it the newest, or nil.
func (k *keptResults) use(id int64) *keptResult {
	k.Lock()
	defer k.Unlock()
	i := slices.IndexFunc(k.list, func(r *keptResult) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	found := k.list[i]
	k.list = append(slices.Delete(k.list, i, i+1), found)
	return found
}
