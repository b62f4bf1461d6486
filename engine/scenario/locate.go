package scenario

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// Locate returns the place of a field's value. Path is a field path as the API server writes it
// (spec.validations[0].expression, metadata.labels[app]). For a missing field it returns the
// nearest existing parent, for a key without a value the key.
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

// Place is Locate plus whether the field exists, as Has reports it. The document caches the result,
// because every request needs the places of the policies' fields.
func (d *Document) Place(path string) (diag.Span, bool) {
	if kept, ok := d.places.Load(path); ok {
		p := kept.(place)
		return p.span, p.found
	}
	p := place{d.Locate(path), d.Has(path)}
	d.places.Store(path, p)
	return p.span, p.found
}

// place is a result of Place.
type place struct {
	span  diag.Span
	found bool
}

// Kept is Locate with a cached result (see Place).
func (d *Document) Kept(path string) diag.Span {
	span, _ := d.Place(path)
	return span
}

// LocateKey returns the place of a field's key instead of its value; for a list item, the item. For
// a missing field it returns the key of the nearest existing parent.
func (d *Document) LocateKey(path string) diag.Span {
	_, key, _ := walk(d.root(), fieldpath.Parse(path))
	if key == nil {
		return d.Span
	}
	return d.source.span(key)
}

// Has reports whether a field exists at path.
func (d *Document) Has(path string) bool {
	_, _, found := walk(d.root(), fieldpath.Parse(path))
	return found && d.root() != nil
}

// Scalar maps the text of a string field, such as a CEL expression, to its source. It reports false
// if the field is missing, is not a scalar, or has a source that we cannot map.
func (d *Document) Scalar(path string) (*ScalarMap, bool) {
	at, _, found := walk(d.root(), fieldpath.Parse(path))
	if !found || at == nil || at.kind != scalarNode {
		return nil, false
	}
	return d.source.scalar(at)
}

// KeptScalar is Scalar with a cached result.
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
