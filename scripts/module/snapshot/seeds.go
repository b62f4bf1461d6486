package main

import (
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// mapsRand is the function that draws the seed of each map, and where a loop over one begins.
const mapsRand = "internal_runtime_maps.rand"

// drawsZero is the body of a function of Go without parameters whose result is 0. On its stack
// there is the address to return to, and above it the place of the result.
var drawsZero = []byte{
	0,                                                        // no locals
	wasmfile.OpGlobalGet, 0, opI64Const, 0, opI64Store, 3, 8, // the result, 8 bytes above SP
	wasmfile.OpGlobalGet, 0, wasmfile.OpI32Const, 8, opI32Add, wasmfile.OpGlobalSet, 0, // return
	wasmfile.OpI32Const, 0, wasmfile.OpEnd, // it is at its end, and is not to be gone on with
}

const (
	opI64Store = 0x37
	opI32Add   = 0x6a
)

// sameSeeds is the module in which all maps have the same seed, for making the image alone. Each has
// one of eight bytes, which cannot be compressed, and with the same seed equal keys have equal
// hashes, too: maps with the same keys look alike. Maps that are made after the restoring draw theirs.
func sameSeeds(m wasmfile.Module) (_ wasmfile.Module, err error) {
	defer wasmfile.Catch(&err)
	names, imports := m.Names(), m.Imports()
	bodies := wasmfile.Functions(m.Body(wasmfile.Code))
	at := -1
	for i := range bodies {
		if names[imports+i] == mapsRand {
			at = i
		}
	}
	if at < 0 {
		return m, fmt.Errorf("%w: it has no function %s", wasmfile.ErrModule, mapsRand)
	}
	bodies[at] = drawsZero
	m.Sections = slices.Clone(m.Sections)
	m.Set(wasmfile.Code, wasmfile.CodeOf(bodies))
	return m, nil
}
