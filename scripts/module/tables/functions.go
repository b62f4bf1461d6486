package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// Form of the runtime's table of functions: runtime.pcHeader, functab, _func and
// moduledata, and inlinedCall.
const (
	headerSize    = 8 + 8*8 // the mark, then eight numbers
	wordSize      = 8
	entrySize     = 8      // of the list of functions: address, place of the function's record
	firstFunction = 0x1000 // the number of the first function, from which the linker counts

	// Where the fields of a record are. After them are numbers for tables by address
	// (pcdata, places in pctab) and for tables of the function (funcdata, in gofunc).
	nameField   = 4
	stackField  = 16 // place of the table of stack sizes
	fileField   = 20
	lineField   = 24
	pcdataCount = 28
	unitField   = 32
	startField  = 36 // line of the function's start
	kindField   = 40 // funcID
	fdataCount  = 43
	recordSize  = 44
	gofuncField = 40 // of moduledata, in words
)

// mark is how the table begins: a number that stands for the version of its form,
// then the sizes of the smallest instruction and of a pointer.
var mark = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// table is the runtime's table of functions in the memory of a module.
type table struct {
	memory            []byte
	names, tabs, list int // addresses: names of functions, tables by address, list of functions and records
	namesEnd, tabsEnd int
	first             int // where the first record is, from the list on
	gofunc            int // address of what the records' funcdata count from
	records           []record
	keepsName         []bool // of functions by number
}

// record is what the runtime knows of a function (_func).
type record []byte

func (r record) number(field int) int { return int(binary.LittleEndian.Uint32(r[field:])) }

func (r record) set(field, value int) { binary.LittleEndian.PutUint32(r[field:], uint32(value)) }

// size is the length of the record until the next one, which begins at a word.
func (r record) size() int {
	return (recordSize + 4*(r.number(pcdataCount)+int(r[fdataCount])) + wordSize - 1) &^ (wordSize - 1)
}

// pcdata is where the place of a table by address is in the record, -1 if it has none.
func (r record) pcdata(kind int) int {
	if kind >= r.number(pcdataCount) {
		return -1
	}
	return recordSize + 4*kind
}

// funcdata is where the place of a table of the function is in the record, -1 if it has none.
func (r record) funcdata(kind int) int {
	if kind >= int(r[fdataCount]) {
		return -1
	}
	return recordSize + 4*(r.number(pcdataCount)+kind)
}

// findTable reads the table of so many functions.
func findTable(memory []byte, functions int) (*table, error) {
	missing := fmt.Errorf("%w: the runtime's table of functions is not found", wasmfile.ErrModule)
	at := 0
	for ; ; at++ {
		next := bytes.Index(memory[at:], mark)
		if next < 0 || len(memory) < at+next+headerSize {
			return nil, missing
		}
		at += next
		if word(memory, at+8) == functions && word(memory, at+8+3*8) == headerSize {
			break
		}
	}
	place := func(field int) int { return at + word(memory, at+8+8*field) }
	t := &table{memory: memory, names: place(3), namesEnd: place(4), tabs: place(6), tabsEnd: place(7), list: place(7)}
	// The runtime's own record of the module (moduledata) begins with the address of the
	// table, and the names, as a slice, are next.
	own := binary.LittleEndian.AppendUint64(nil, uint64(at))
	own = binary.LittleEndian.AppendUint64(own, uint64(t.names))
	data := bytes.Index(memory, own)
	if data < 0 {
		return nil, missing
	}
	t.gofunc = word(memory, data+8*gofuncField)
	next := t.list + (functions+1)*entrySize - entrySize/2
	for i := range functions {
		number, r := word32(memory, t.list+i*entrySize), word32(memory, t.list+i*entrySize+4)
		if i == 0 {
			t.first, next = r, t.list+r
		}
		if number != firstFunction+i || t.list+r != next || word32(memory, next) != number {
			return nil, fmt.Errorf("%w: the record of function %d is not where it belongs", wasmfile.ErrModule, i)
		}
		t.records = append(t.records, record(memory[next:]))
		t.keepsName = append(t.keepsName, keeps(t.name(t.records[i])))
		next += t.records[i].size()
	}
	return t, nil
}

// name is the name that a record refers to.
func (t *table) name(r record) string {
	name, _, _ := bytes.Cut(t.memory[t.names+r.number(nameField):t.namesEnd], []byte{0})
	return string(name)
}

func word(memory []byte, at int) int   { return int(binary.LittleEndian.Uint64(memory[at:])) }
func word32(memory []byte, at int) int { return int(binary.LittleEndian.Uint32(memory[at:])) }
