package scenario

import (
	"slices"
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Reader parses texts and caches the latest: an edit changes only one text, and several parts of a
// program read the same text. It is safe for concurrent use.
type Reader struct {
	kept   *cache.List[readKey, parsed]
	last   *lastRequest
	budget *worklimit.Budget
}

// lastRequest is the latest large request. A key changes one place of it, so the rest is not read again,
// and its value is the same one.
type lastRequest struct {
	sync.Mutex
	readText
}

// Within returns the same Reader for one run, which charges a budget.
func (r *Reader) Within(b *worklimit.Budget) *Reader { return &Reader{r.kept, r.last, b} }

// Once returns a Reader without a cache for one run, for texts that do not come twice.
func (r *Reader) Once(b *worklimit.Budget) *Reader { return &Reader{budget: b} }

// Keeps reports whether parsed documents are shared with others.
func (r *Reader) Keeps() bool { return r != nil && r.kept != nil }

// readKey has everything that ParseDocuments depends on.
type readKey struct {
	text diag.Text
	src  string
}

// parsed is a result of ParseDocuments.
type parsed struct {
	docs  []*Document
	diags []diag.Diagnostic
}

// NewReader returns a Reader that caches at most 16 texts and 2 MiB in total. Documents take about
// twenty times the space of their text.
func NewReader() *Reader {
	return &Reader{last: &lastRequest{}, kept: cache.New[readKey, parsed](16, 2<<20, func(k readKey) int { return len(k.src) })}
}

// Documents is [ParseDocuments]. The caller owns the lists but shares the documents. A nil Reader,
// and one from Once, caches nothing; then the caller also owns the documents.
func (r *Reader) Documents(text diag.Text, src string) ([]*Document, []diag.Diagnostic) {
	if !r.Keeps() {
		var b *worklimit.Budget
		if r != nil {
			b = r.budget
		}
		if r != nil && text == diag.Request {
			return (&parser{text: text, src: src, budget: b, most: MaxReviewBytes}).parse()
		}
		return parseDocuments(b, text, src)
	}
	key := readKey{text, src}
	read, ok := r.kept.Get(key)
	if !ok {
		read = r.read(text, src)
		r.kept.Put(key, read)
	}
	return slices.Clone(read.docs), diag.Clone(read.diags)
}

// read reads a text that is not kept.
func (r *Reader) read(text diag.Text, src string) (out parsed) {
	p := &parser{text: text, src: src, budget: r.budget, most: MaxTextBytes}
	if text == diag.Request && len(src) >= minReuse {
		r.last.Lock()
		defer r.last.Unlock()
		p.reuse = reusing(r.last.readText, src)
		defer func() { r.last.readText = readText{src, p.reuse.found} }()
	}
	out.docs, out.diags = p.parse()
	return out
}
