package bridge

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/preadmit/preadmit/render/html"
)

// maxKept is the number of reports that render can be asked about. One page needs
// the report that it shows, and those that came while it waited to show the next;
// the embedded examples of a page share an engine.
const maxKept = 8

// RenderParams are those of render.
type RenderParams struct {
	// ID is that of an evaluated report.
	ID    int64       `json:"id"`
	Parts []html.Part `json:"parts"`
}

// RenderedParts is the reply to render.
type RenderedParts struct {
	// Gone says that the report is no longer kept; the page evaluates again.
	Gone  bool                 `json:"gone,omitempty"`
	Parts map[html.Part]string `json:"parts"`
}

// render renders further parts of a report, when the reader opens their tabs.
func render(ctx context.Context, p RenderParams) (RenderedParts, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return RenderedParts{Gone: true, Parts: map[html.Part]string{}}, nil
	}
	parts, err := view.Parts(ctx, p.Parts...)
	return RenderedParts{Parts: parts}, err
}

// CompareParams are those of compare.
type CompareParams struct {
	// ID is that of an evaluated report.
	ID int64 `json:"id"`
	// From and To are frames of the object's film strip, from 0.
	From int `json:"from"`
	To   int `json:"to"`
}

// Compared is the reply to compare.
type Compared struct {
	// Gone says that the report is no longer kept; the page evaluates again.
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

// results are the reports that were evaluated or used last, the newest at the end. Their
// numbers begin somewhere, because a page outlives an engine that hung: it must
// not take a report of the next one for its own.
var results keptResults

type keptResults struct {
	sync.Mutex
	last int64
	list []keptResult
}

type keptResult struct {
	id   int64
	view html.View
}

// keep keeps a report for render, and returns its number.
func (k *keptResults) keep(view html.View) int64 {
	k.Lock()
	defer k.Unlock()
	if len(k.list) == maxKept {
		k.list = slices.Delete(k.list, 0, 1)
	}
	if k.last == 0 {
		k.last = somewhere()
	}
	k.last++
	k.list = append(k.list, keptResult{k.last, view})
	return k.last
}

// somewhere is a random number below 1<<50. It is asked of the platform when it is needed:
// engines that are restored from one image would all draw the same from a generator.
func somewhere() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint64(b[:]) >> 14)
}

// forget drops all reports; the next number is somewhere else.
func (k *keptResults) forget() {
	k.Lock()
	defer k.Unlock()
	k.last, k.list = 0, nil
}

// find gives a kept report, which from then on counts as the newest.
func (k *keptResults) find(id int64) (html.View, bool) {
	k.Lock()
	defer k.Unlock()
	i := slices.IndexFunc(k.list, func(r keptResult) bool { return r.id == id })
	if i < 0 {
		return html.View{}, false
	}
	found := k.list[i]
	k.list = append(slices.Delete(k.list, i, i+1), found)
	return found.view, true
}
