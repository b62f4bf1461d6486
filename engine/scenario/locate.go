package scenario

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// Locate returns the place of a field's value. Path is a field path as the API
// server writes it (spec.validations[0].expression, metadata.labels[app]). Of a
// field that is missing it gives the nearest part that exists, of a key without
// a value the key.
func (d *Document) Locate(path string) diag.Span {
	if path == "" {
		return d.Span
	}
	at, key, found := walk(d.root(), fieldpath.Parse(path))
	if at == nil {
		return d.Span
	}
	if !found && key != nil && at.kind != scalarNode {
		return d.source.span(key) // a whole parent is too much to underline
	}
	span := d.source.span(at)
	if span.Start == span.End && key != nil {
		return d.source.span(key)
	}
	return span
}

// Place is Locate, and reports whether the field is there, as Has does. The document
// keeps the answer: this is for the fields of policies, which every request asks for.
func (d *Document) Place(path string) (diag.Span, bool) {
	if kept, ok := d.places.Load(path); ok {
		p := kept.(place)
		return p.span, p.found
	}
	p := place{d.Locate(path), d.Has(path)}
	d.places.Store(path, p)
	return p.span, p.found
}

// place is an answer of Place.
type place struct {
	span  diag.Span
	found bool
}

// Kept is Locate, for a field that is asked for many times (see Place).
func (d *Document) Kept(path string) diag.Span {
	span, _ := d.Place(path)
	return span
}

// LocateKey gives the place of a field's key instead of its value; of a list
// item, the item. Of a field that is missing it gives the key of the nearest
// part that exists.
func (d *Document) LocateKey(path string) diag.Span {
	_, key, _ := walk(d.root(), fieldpath.Parse(path))
	if key == nil {
		return d.Span
	}
	return d.source.span(key)
}

// Has reports whether the text has a field at path.
func (d *Document) Has(path string) bool {
	_, _, found := walk(d.root(), fieldpath.Parse(path))
	return found && d.root() != nil
}

// Scalar maps the text of a string field, such as a CEL expression, to its
// source. It reports false when there is no such field, when it is not a
// scalar, or when the document was so unusual that its source is not understood.
func (d *Document) Scalar(path string) (*ScalarMap, bool) {
	at, _, found := walk(d.root(), fieldpath.Parse(path))
	if !found || at == nil || at.kind != scalarNode {
		return nil, false
	}
	return d.source.scalar(at)
}

// KeptScalar is Scalar, for a field that is asked for many times: the document keeps the answer.
func (d *Document) KeptScalar(path string) (*ScalarMap, bool) {
	kept, ok := d.scalars.Load(path)
	if !ok {
		m, found := d.Scalar(path)
		if !found {
			m = nil
		}
		kept, _ = d.scalars.LoadOrStore(path, m)
	}
	m := kept.(*ScalarMap)
	return m, m != nil
}
