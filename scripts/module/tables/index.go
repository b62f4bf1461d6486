package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

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

// list is where functions and their records are listed, and where the records begin.
type list struct{ address, records int }

// cutList removes the list of functions from memory: it holds their numbers,
// one after the other, and the places of their records, which are behind each other. The
// numbers in the records go, too.
func (t *table) cutList() list {
	clear(t.memory[t.list : t.list+len(t.records)*entrySize])
	for _, r := range t.records {
		r.set(0, 0)
	}
	return list{address: t.list, records: t.list + t.first}
}

// Opcodes of fill, and the type of a block without a result.
const (
	opBrIf          = 0x0d
	opI32Load       = 0x28
	opI32Load8      = 0x2d
	opI32Store      = 0x36
	opI32LtU        = 0x49
	opI32Add        = 0x6a
	opI32Sub        = 0x6b
	opI32And        = 0x71
	opI32Shl        = 0x74
	noResult        = 0x40
	aligned4        = 2 // of loads and stores, as a power of two
	typeI32    byte = 0x7f
)

// code is instructions that are put together.
type code []byte

func (c code) op(bytes ...byte) code { return append(c, bytes...) }
func (c code) get(local byte) code   { return append(c, wasmfile.OpLocalGet, local) }
func (c code) constant(value int) code {
	return wasmfile.AppendSigned(append(c, wasmfile.OpI32Const), value)
}
func (c code) at(op byte, offset int) code {
	return wasmfile.AppendUnsigned(append(c, op, aligned4), offset)
}

// add moves a local on.
func (c code) add(local byte, value int) code {
	return c.get(local).constant(value).op(opI32Add, wasmfile.OpLocalSet, local)
}

// fill is the body of a function that writes what cutBuckets and cutList have removed.
func fill(functions, bucketsAt int, l list) []byte {
	const place, number, record = 0, 1, 2 // the locals
	c := code{1, 3, typeI32}
	c = c.constant(bucketsAt).op(wasmfile.OpLocalSet, place, wasmfile.OpLoop, noResult)
	for i := range buckets {
		c = c.get(place).get(number).at(opI32Store, i*bucketSize)
	}
	c = c.add(place, buckets*bucketSize).add(number, 1)
	c = c.get(number).constant(functions-1).op(opI32LtU, opBrIf, 0, wasmfile.OpEnd)

	c = c.constant(firstFunction).op(wasmfile.OpLocalSet, number)
	c = c.constant(l.address).op(wasmfile.OpLocalSet, place)
	c = c.constant(l.records).op(wasmfile.OpLocalSet, record, wasmfile.OpLoop, noResult)
	c = c.get(place).get(number).at(opI32Store, 0)
	c = c.get(place).get(record).constant(l.address).op(opI32Sub).at(opI32Store, 4)
	c = c.get(record).get(number).at(opI32Store, 0)
	c = c.get(record).get(record).at(opI32Load, pcdataCount)
	c = c.get(record).op(opI32Load8, 0, fdataCount, opI32Add).constant(2).op(opI32Shl, opI32Add)
	c = c.constant(recordSize+wordSize-1).op(opI32Add).constant(-wordSize).op(opI32And, wasmfile.OpLocalSet, record)
	c = c.add(place, entrySize).add(number, 1)
	c = c.get(number).constant(firstFunction+functions).op(opI32LtU, opBrIf, 0, wasmfile.OpEnd)
	return c.op(wasmfile.OpEnd)
}
