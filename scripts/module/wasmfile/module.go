// Package wasmfile reads and writes WebAssembly modules as Go's linker writes them,
// for the passes that rewrite the engine: sections, bodies of functions, their
// names, and the instructions that Go's compiler knows.
//
// Functions that read numbers or instructions panic where the bytes end too early;
// a pass defers Catch once, which makes an error of it.
package wasmfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Kinds of sections.
const (
	Custom   = 0
	Type     = 1
	Import   = 2
	Function = 3
	Table    = 4
	Memory   = 5
	Global   = 6
	Export   = 7
	Start    = 8
	Element  = 9
	Code     = 10
	Data     = 11
)

// ErrModule is the error for bytes that are not a module as Go's linker writes it.
var ErrModule = errors.New("not a WebAssembly module as Go's linker writes it")

// Catch makes ErrModule of a panic: an index past the end, as something is cut off.
// It is for defer.
func Catch(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("%w: %v", ErrModule, reason)
	}
}

// Section is one section of a module, without its kind and length in Body.
type Section struct {
	Kind byte
	Body []byte
}

// Module is a module as its sections, in their order.
type Module struct {
	Sections []Section
}

var header = []byte("\x00asm\x01\x00\x00\x00")

// Read cuts a module into its sections. Their bodies are parts of data.
func Read(data []byte) (m Module, err error) {
	defer Catch(&err)
	if !bytes.HasPrefix(data, header) {
		return Module{}, ErrModule
	}
	for rest := data[len(header):]; len(rest) > 0; {
		size, w := Unsigned(rest[1:])
		m.Sections = append(m.Sections, Section{Kind: rest[0], Body: rest[1+w : 1+w+size]})
		rest = rest[1+w+size:]
	}
	return m, nil
}

// Bytes is the module as a file.
func (m Module) Bytes() []byte {
	size := len(header)
	for _, s := range m.Sections {
		size += len(s.Body) + 1 + binary.MaxVarintLen32
	}
	out := append(make([]byte, 0, size), header...)
	for _, s := range m.Sections {
		out = append(out, s.Kind)
		out = AppendBytes(out, s.Body)
	}
	return out
}

// Body is the body of the first section of a kind, nil if there is none.
func (m Module) Body(kind byte) []byte {
	for _, s := range m.Sections {
		if s.Kind == kind {
			return s.Body
		}
	}
	return nil
}

// Imports is how many functions the module imports; Go's linker imports nothing else.
// The numbers of the module's own functions begin with it.
func (m Module) Imports() int {
	body := m.Body(Import)
	if body == nil {
		return 0
	}
	count, _ := Unsigned(body)
	return count
}

// Functions cuts the body of a code section into the bodies of its functions,
// which begin with their locals.
func Functions(code []byte) [][]byte {
	count, n := Unsigned(code)
	code = code[n:]
	bodies := make([][]byte, count)
	for i := range bodies {
		size, n := Unsigned(code)
		bodies[i], code = code[n:n+size], code[n+size:]
	}
	return bodies
}

// CodeOf is the body of a code section with these functions.
func CodeOf(bodies [][]byte) []byte {
	size := binary.MaxVarintLen32
	for _, b := range bodies {
		size += len(b) + binary.MaxVarintLen32
	}
	out := binary.AppendUvarint(make([]byte, 0, size), uint64(len(bodies)))
	for _, b := range bodies {
		out = AppendBytes(out, b)
	}
	return out
}

const namePrefix = "\x04name"

// IsNames reports whether the section is the one with the names of functions.
func (s Section) IsNames() bool {
	return s.Kind == Custom && bytes.HasPrefix(s.Body, []byte(namePrefix))
}

// Names are the names of functions, by their number in the module, imported ones
// included; empty when the module has none.
func (m Module) Names() map[int]string {
	names := map[int]string{}
	for _, s := range m.Sections {
		if s.IsNames() {
			functionNames(s.Body[len(namePrefix):], names)
		}
	}
	return names
}

func functionNames(body []byte, names map[int]string) {
	for len(body) > 0 {
		kind := body[0]
		size, n := Unsigned(body[1:])
		part := body[1+n : 1+n+size]
		body = body[1+n+size:]
		if kind != 1 {
			continue
		}
		count, n := Unsigned(part)
		for part = part[n:]; count > 0; count-- {
			index, n := Unsigned(part)
			length, k := Unsigned(part[n:])
			names[index] = string(part[n+k : n+k+length])
			part = part[n+k+length:]
		}
	}
}

// Set gives the section of a kind another body. If there is none, it is put where
// the order of kinds wants it.
func (m *Module) Set(kind byte, body []byte) {
	at := len(m.Sections)
	for i, s := range m.Sections {
		if s.Kind == kind {
			m.Sections[i].Body = body
			return
		}
		if s.Kind > kind && at == len(m.Sections) {
			at = i
		}
	}
	m.Sections = slices.Insert(m.Sections, at, Section{Kind: kind, Body: body})
}

// List is the body of a section that is a list, to which entries can be added.
type List struct {
	Count   int
	entries []byte
}

// ListOf is the list that a section's body is; nil is the empty one.
func ListOf(body []byte) *List {
	if body == nil {
		return &List{}
	}
	count, w := Unsigned(body)
	return &List{Count: count, entries: bytes.Clone(body[w:])}
}

// Add appends an entry, and returns its number.
func (l *List) Add(entry ...byte) int {
	l.Count++
	l.entries = append(l.entries, entry...)
	return l.Count - 1
}

// Entries are the entries, one after the other.
func (l *List) Entries() []byte { return l.entries }

// Bytes is the list as a section's body.
func (l *List) Bytes() []byte {
	return append(AppendUnsigned(nil, l.Count), l.entries...)
}
