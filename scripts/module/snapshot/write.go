package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// image is what an engine consists of while it waits.
type image struct {
	memory []byte
	// Globals are the values of the module's globals.
	Globals []int `json:"globals"`
	// Held is what Go's loader holds, for web/app/snapshot.ts.
	Held json.RawMessage `json:"held"`
}

// section is the name of the section with what the loader holds.
const section = "preadmit.snapshot"

const (
	pageSize = 1 << 16

	kindGlobal = 3 // of an export
	typeI32    = 0x7f
	typeI64    = 0x7e
	opI64Const = 0x42
	opTrap     = 0x00 // unreachable
)

// exportGlobals is the module that exports its globals too, under the names that
// web/tools/snapshot.mjs knows.
func exportGlobals(m wasmfile.Module) (_ wasmfile.Module, err error) {
	defer wasmfile.Catch(&err)
	types, err := globalTypes(m.Body(wasmfile.Global))
	if err != nil {
		return m, err
	}
	exports := m.Body(wasmfile.Export)
	count, w := wasmfile.Unsigned(exports)
	out := wasmfile.AppendUnsigned(nil, count+len(types))
	out = append(out, exports[w:]...)
	for i := range types {
		out = wasmfile.AppendBytes(out, fmt.Appendf(nil, "global %d", i))
		out = wasmfile.AppendUnsigned(append(out, kindGlobal), i)
	}
	m.Sections = slices.Clone(m.Sections)
	m.Set(wasmfile.Export, out)
	return m, nil
}

// globalTypes are the types of the globals, all of which change.
func globalTypes(body []byte) ([]byte, error) {
	count, w := wasmfile.Unsigned(body)
	body = body[w:]
	types := make([]byte, count)
	for i := range types {
		types[i] = body[0]
		if types[i] != typeI32 && types[i] != typeI64 || body[1] != 1 {
			return nil, fmt.Errorf("%w: global %d is of another type", wasmfile.ErrModule, i)
		}
		_, w := wasmfile.Signed(body[3:])
		body = body[3+w+1:]
	}
	return types, nil
}

// write is the module that begins as the image, and how many functions it does not
// need any more.
func write(m wasmfile.Module, i image) (_ []byte, stubs int, err error) {
	defer wasmfile.Catch(&err)
	types, err := globalTypes(m.Body(wasmfile.Global))
	if err != nil {
		return nil, 0, err
	}
	if len(types) != len(i.Globals) || len(i.memory)%pageSize != 0 {
		return nil, 0, fmt.Errorf("%d globals of %d, %d bytes of memory", len(i.Globals), len(types), len(i.memory))
	}
	globals := wasmfile.AppendUnsigned(nil, len(types))
	for k, t := range types {
		constant := byte(wasmfile.OpI32Const)
		if t == typeI64 {
			constant = opI64Const
		}
		globals = wasmfile.AppendSigned(append(globals, t, 1, constant), i.Globals[k])
		globals = append(globals, wasmfile.OpEnd)
	}
	memory := wasmfile.AppendUnsigned([]byte{1, 0}, len(i.memory)/pageSize) // one, without a limit
	code, stubs := dropInitialisation(m, i.memory)
	held := append(wasmfile.AppendBytes(nil, []byte(section)), i.Held...)
	m.Sections = append(slices.Clone(m.Sections), wasmfile.Section{Kind: wasmfile.Custom, Body: held})
	m.Set(wasmfile.Global, globals)
	m.Set(wasmfile.Memory, memory)
	m.Set(wasmfile.Code, code)
	m.Set(wasmfile.Data, wasmfile.DataOf(i.memory))
	return m.Bytes(), stubs, nil
}

// How the functions that initialise a package are named: one for its variables, which
// a method could be called too, one for each init of its sources, and one for each large map.
var (
	initVariables = regexp.MustCompile(`\.init$`)
	initOthers    = regexp.MustCompile(`\.(init\.\d+|map\.init\.\d+)$`)
)

// dropInitialisation is the code with functions that trap in place of those that
// initialise packages, as that has happened and never happens again.
func dropInitialisation(m wasmfile.Module, memory []byte) (code []byte, stubs int) {
	names, imports := m.Names(), m.Imports()
	bodies := wasmfile.Functions(m.Body(wasmfile.Code))
	done := initialised(memory, names, imports)
	for k := range bodies {
		name := names[imports+k]
		if initOthers.MatchString(name) || initVariables.MatchString(name) && done[k] {
			bodies[k] = []byte{0, opTrap, wasmfile.OpEnd}
			stubs++
		}
	}
	return wasmfile.CodeOf(bodies), stubs
}
