package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/scripts/internal/wasmfile"
)

// counts says what a rewriting found.
type counts struct {
	functions int
	named     int // those that keep their names
}

// rewrite returns the module without names of functions in its data, and with a start
// function that fills the table of functions by address.
func rewrite(data []byte) (_ []byte, n counts, err error) {
	defer wasmfile.Catch(&err)
	m, err := wasmfile.Read(data)
	if err != nil {
		return nil, n, err
	}
	memory, err := wasmfile.Image(m.Body(wasmfile.Data))
	if err != nil {
		return nil, n, err
	}
	functions := len(wasmfile.Functions(m.Body(wasmfile.Code)))
	n.functions = functions
	if n.named, err = dropNames(memory, functions); err != nil {
		return nil, n, err
	}
	address, err := cutBuckets(memory, functions)
	if err != nil {
		return nil, n, err
	}
	if err := addStart(&m, fill(address, functions)); err != nil {
		return nil, n, err
	}
	m.Set(wasmfile.Data, wasmfile.DataOf(memory))
	return m.Bytes(), n, nil
}

// Form of the runtime's table of functions (runtime.pcHeader, functab and _func).
const (
	headerSize = 8 + 8*8 // the mark, then eight numbers
	entrySize  = 8       // of the list of functions: address, place of the function's record
	nameField  = 4       // of a record, the place of its name among the names
)

// mark is how the table begins: a number that stands for the version of its form,
// then the sizes of the smallest instruction and of a pointer.
var mark = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// anyName is the name of all functions that do not keep theirs. The runtime takes the
// names of methods apart when one is called by way of a nil pointer.
const anyName = "engine.(*?).?\x00"

// dropNames removes the names of functions from memory, and returns how many keep
// theirs.
func dropNames(memory []byte, functions int) (named int, err error) {
	table, err := findTable(memory, functions)
	if err != nil {
		return 0, err
	}
	number := func(field int) int { return int(binary.LittleEndian.Uint64(table[8+8*field:])) }
	names, list := table[number(3):number(4)], table[number(7):]
	record := func(i int) []byte {
		return list[binary.LittleEndian.Uint32(list[i*entrySize+4:])+nameField:]
	}
	kept := map[int]string{} // by place
	for i := range functions {
		place := int(binary.LittleEndian.Uint32(record(i)))
		if place < len(anyName) {
			continue // where the name of all others goes
		}
		name, _, ok := bytes.Cut(names[place:], []byte{0})
		if !ok {
			return 0, fmt.Errorf("%w: the names of functions do not end", wasmfile.ErrModule)
		}
		if keeps(string(name)) {
			kept[place] = string(name)
		}
	}
	clear(names)
	copy(names, anyName)
	for place, name := range kept {
		copy(names[place:], name)
	}
	for i := range functions {
		field := record(i)
		if _, ok := kept[int(binary.LittleEndian.Uint32(field))]; ok {
			named++
			continue
		}
		binary.LittleEndian.PutUint32(field, 0)
	}
	return named, nil
}

// keeps reports whether the runtime may ask for a function's name: it tells its own
// functions, and those of reflection, from all others.
func keeps(name string) bool {
	for _, prefix := range []string{"runtime.", "runtime/", "reflect.", "internal/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// findTable is memory from the runtime's table of functions on.
func findTable(memory []byte, functions int) ([]byte, error) {
	for rest := memory; ; {
		at := bytes.Index(rest, mark)
		if at < 0 || len(rest) < at+headerSize {
			return nil, fmt.Errorf("%w: the runtime's table of functions is not found", wasmfile.ErrModule)
		}
		if binary.LittleEndian.Uint64(rest[at+8:]) == uint64(functions) && binary.LittleEndian.Uint64(rest[at+8+3*8:]) == headerSize {
			return rest[at:], nil
		}
		rest = rest[at+1:]
	}
}

// Form of the table of functions by address (runtime.findfuncbucket): for 4,096
// addresses the number of the function that the first is in, and 16 differences to it.
const (
	bucketSize = 4 + 16
	buckets    = 65536 / 4096 // of each function
)

// cutBuckets removes the table of functions by address from memory, and returns where
// it was.
func cutBuckets(memory []byte, functions int) (address int, err error) {
	// The last function has as few entries as its addresses need: they stay.
	table := make([]byte, 0, functions*buckets*bucketSize)
	for i := range (functions - 1) * buckets {
		table = binary.LittleEndian.AppendUint32(table, uint32(i/buckets))
		table = append(table, make([]byte, bucketSize-4)...)
	}
	// The first function's entries are 0, as is much in front of them.
	zero := buckets * bucketSize
	rest := table[min(zero, len(table)):]
	at := bytes.Index(memory, rest)
	if at < zero || len(rest) == 0 {
		return 0, fmt.Errorf("%w: the table of functions by address is not found", wasmfile.ErrModule)
	}
	clear(memory[at : at+len(rest)])
	return at - zero, nil
}

// fill is the body of a function that writes the table of functions by address.
func fill(address, functions int) []byte {
	const (
		opI32ShrU  = 0x76
		opI32Add   = 0x6a
		opI32LtU   = 0x49
		opI32Store = 0x36
		opBrIf     = 0x0d
		noResult   = 0x40
		place      = 0 // the local with the address of an entry
		entry      = 1 // the local with its number
	)
	out := []byte{1, 2, 0x7f, wasmfile.OpI32Const} // two locals
	out = wasmfile.AppendSigned(out, address)
	out = append(out, wasmfile.OpLocalSet, place, wasmfile.OpLoop, noResult,
		wasmfile.OpLocalGet, place, wasmfile.OpLocalGet, entry, wasmfile.OpI32Const, 4, opI32ShrU, opI32Store, 2, 0,
		wasmfile.OpLocalGet, place, wasmfile.OpI32Const, bucketSize, opI32Add, wasmfile.OpLocalSet, place,
		wasmfile.OpLocalGet, entry, wasmfile.OpI32Const, 1, opI32Add, wasmfile.OpLocalSet, entry,
		wasmfile.OpLocalGet, entry, wasmfile.OpI32Const)
	out = wasmfile.AppendSigned(out, (functions-1)*buckets)
	return append(out, opI32LtU, opBrIf, 0, wasmfile.OpEnd, wasmfile.OpEnd)
}

// addStart adds a function without parameters that runs when the module is instantiated.
func addStart(m *wasmfile.Module, body []byte) error {
	if m.Body(wasmfile.Start) != nil {
		return fmt.Errorf("%w: it has a start function", wasmfile.ErrModule)
	}
	types, functions, code := wasmfile.ListOf(m.Body(wasmfile.Type)), wasmfile.ListOf(m.Body(wasmfile.Function)), wasmfile.ListOf(m.Body(wasmfile.Code))
	kind := types.Add(0x60, 0, 0)
	number := m.Imports() + functions.Add(wasmfile.AppendUnsigned(nil, kind)...)
	code.Add(wasmfile.AppendBytes(nil, body)...)
	m.Set(wasmfile.Type, types.Bytes())
	m.Set(wasmfile.Function, functions.Bytes())
	m.Set(wasmfile.Start, wasmfile.AppendUnsigned(nil, number))
	m.Set(wasmfile.Code, code.Bytes())
	return nil
}
