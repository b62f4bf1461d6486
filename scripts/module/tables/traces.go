package main

import (
	"slices"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// Kinds of tables (internal/abi) that are for traces alone, or for signals, which interrupt
// nothing here.
const (
	pcdataUnsafe  = 0 // where a function must not be interrupted
	pcdataInlined = 2 // which inlined call an address is in
	fdataInlined  = 3 // these calls, in a tree
	fdataArgs     = 5 // how arguments are printed

	inlinedSize = 16   // of an entry of the tree
	endOfArgs   = 0xff // of what is said of arguments
	noFuncdata  = 1<<32 - 1
)

// recovery is the function that recover is. It counts the calls between a panic and itself,
// inlined ones included.
const recovery = "runtime.gorecover"

// recovers reports for each function whether it calls recover.
func (t *table) recovers(bodies [][]byte, imports int) ([]bool, error) {
	all := make([]bool, len(bodies))
	number := slices.IndexFunc(t.records, func(r record) bool { return t.name(r) == recovery })
	for i, body := range bodies {
		for at := wasmfile.Locals(body); at < len(body); {
			size, err := wasmfile.Instruction(body[at:])
			if err != nil {
				return nil, err
			}
			if body[at] == wasmfile.OpCall {
				callee, _ := wasmfile.Unsigned(body[at+1:])
				all[i] = all[i] || callee == imports+number
			}
			at += size
		}
	}
	return all, nil
}

// dropTraces removes from memory the tables that are for traces alone: files and lines,
// inlined calls, arguments. It returns how many bytes. Functions of the runtime, those that it
// knows by their kind, and those that recover keep their inlined calls.
func (t *table) dropTraces(recovers []bool) (dropped int) {
	tabs, data := uses{}, uses{}
	for i, r := range t.records {
		whole := t.keepsName[i] || r[kindField] != 0 || recovers[i]
		tabs.note(r.number(stackField), 0, true)
		for _, field := range []int{fileField, lineField} {
			tabs.note(r.number(field), t.tabSize(r.number(field)), false)
			r.set(field, 0)
		}
		r.set(unitField, 0)
		r.set(startField, 0)
		calls := 0
		for kind := range r.number(pcdataCount) {
			field := r.pcdata(kind)
			place := r.number(field)
			size, last := t.tab(place)
			if kind == pcdataInlined {
				calls = last + 1
			}
			live := kind != pcdataUnsafe && (kind != pcdataInlined || whole)
			if tabs.note(place, size, live); !live {
				r.set(field, 0)
			}
		}
		for kind := range int(r[fdataCount]) {
			field := r.funcdata(kind)
			place, size := r.number(field), 0
			if place == noFuncdata {
				continue
			}
			switch kind {
			case fdataInlined:
				size = calls * inlinedSize
			case fdataArgs:
				size = slices.Index(t.memory[t.gofunc+place:], endOfArgs) + 1
			}
			live := size == 0 || kind == fdataInlined && whole
			if data.note(place, size, live); !live {
				r.set(field, noFuncdata)
			}
		}
	}
	return tabs.clear(t.memory[t.tabs:t.tabsEnd]) + data.clear(t.memory[t.gofunc:])
}

// uses are what refers to tables by their places.
type uses map[int]use

type use struct {
	size int
	live bool // something that stays refers to it
}

func (u uses) note(place, size int, live bool) {
	old := u[place]
	u[place] = use{size: max(old.size, size), live: old.live || live}
}

// clear removes tables that nothing refers to any more.
func (u uses) clear(memory []byte) (bytes int) {
	for place, of := range u {
		if !of.live {
			clear(memory[place : place+of.size])
			bytes += of.size
		}
	}
	return bytes
}

// tab reads a table by address: pairs of a difference between values and one between
// addresses, up to a difference of 0 that is not the first. It returns the size and the
// largest value.
func (t *table) tab(place int) (size, largest int) {
	if place == 0 {
		return 0, -1
	}
	rest := t.memory[t.tabs+place : t.tabsEnd]
	largest, value := -1, -1
	for {
		step, w := wasmfile.Unsigned(rest[size:])
		if step == 0 && size > 0 {
			return size + 1, largest
		}
		value += int(uint32(step)>>1) ^ -(step & 1)
		largest = max(largest, value)
		_, v := wasmfile.Unsigned(rest[size+w:])
		size += w + v
	}
}

func (t *table) tabSize(place int) int {
	size, _ := t.tab(place)
	return size
}
