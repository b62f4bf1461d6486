package scenario

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
)

// Reader reads texts and keeps what it read last: an edit changes one text, and
// several parts of a program read the same one. It is safe for concurrent use.
type Reader struct {
	kept   *cache.List[readKey, parsed]
	budget *budget.Budget
}

// Within is the same Reader for one run, which charges what is read to a budget.
func (r *Reader) Within(b *budget.Budget) *Reader { return &Reader{r.kept, b} }

// Once is a Reader for one run that keeps nothing, for texts that do not come twice.
func (r *Reader) Once(b *budget.Budget) *Reader { return &Reader{budget: b} }

// Keeps reports whether what is read is shared with others.
func (r *Reader) Keeps() bool { return r != nil && r.kept != nil }

// readKey is all that ParseDocuments depends on.
type readKey struct {
	text diag.Text
	src  string
}

// parsed is what ParseDocuments made of a text.
type parsed struct {
	docs  []*Document
	diags []diag.Diagnostic
}

// NewReader returns a Reader that keeps at most 16 texts of together 2 MiB.
// Documents take some twenty times the space of their text.
func NewReader() *Reader {
	return &Reader{kept: cache.New[readKey, parsed](16, 2<<20, func(k readKey) int { return len(k.src) })}
}

// Documents is [ParseDocuments]. The lists are the caller's own, the documents
// are shared with other callers. A nil Reader
// keeps nothing, and neither does that of Once: its documents are the caller's too.
func (r *Reader) Documents(text diag.Text, src string) ([]*Document, []diag.Diagnostic) {
	if !r.Keeps() {
		var b *budget.Budget
		if r != nil {
			b = r.budget
		}
		if r != nil && text == diag.Request {
			return parseWithin(b, text, src, MaxReviewBytes)
		}
		return parseDocuments(b, text, src)
	}
	key := readKey{text, src}
	read, ok := r.kept.Get(key)
	if !ok {
		read.docs, read.diags = parseDocuments(r.budget, text, src)
		r.kept.Put(key, read)
	}
	return slices.Clone(read.docs), diag.Clone(read.diags)
}
