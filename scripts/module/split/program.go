package main

import (
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// Kinds of what is imported and exported, and what else only this pass writes.
const (
	externFunction = 0
	externTable    = 1
	externMemory   = 2
	externGlobal   = 3

	typeI32  = 0x7f
	mutable  = 1
	noResult = 0x40
	opI32Eqz = 0x45
)

// nothing is the type of a function without parameters and results, takesNumber that of one which
// takes a number, gate that of the functions through which stubs call.
var (
	nothing     = []byte{0x60, 0, 0}
	takesNumber = []byte{0x60, 1, typeI32, 0}
	gate        = []byte{0x60, 2, typeI32, typeI32, 1, typeI32}
	// moving is the type of nearly all functions of Go: the number of the block to go on
	// with, and whether the stack is to be left. Functions of other types do not move.
	moving = []byte{0x60, 1, typeI32, 1, typeI32}
)

// program is a module as this pass needs it.
type program struct {
	wasmfile.Module
	types   [][]byte // entries of the section of types
	own     []int    // the types of the module's functions
	bodies  [][]byte
	names   []string
	imports int
	place   []int    // of each of the module's functions in the table, -1 for none
	globals [][]byte // their types
}

func readProgram(data []byte) (g program, err error) {
	if g.Module, err = wasmfile.Read(data); err != nil {
		return g, err
	}
	g.imports = g.Imports()
	if g.types, err = readTypes(g.Body(wasmfile.Type)); err != nil {
		return g, err
	}
	if g.globals, err = readGlobals(g.Body(wasmfile.Global)); err != nil {
		return g, err
	}
	g.bodies = wasmfile.Functions(g.Body(wasmfile.Code))
	names := g.Names()
	for i := range g.bodies {
		g.names = append(g.names, names[g.imports+i])
	}
	g.own = numbers(g.Body(wasmfile.Function))
	table, err := g.table()
	if err != nil {
		return g, err
	}
	g.place = slices.Repeat([]int{-1}, len(g.bodies))
	for i, function := range table.functions {
		if own := function - g.imports; own >= 0 {
			g.place[own] = table.offset + i
		}
	}
	return g, nil
}

// numbers reads a list of numbers.
func numbers(body []byte) (all []int) {
	count, w := wasmfile.Unsigned(body)
	body = body[w:]
	for range count {
		n, w := wasmfile.Unsigned(body)
		all, body = append(all, n), body[w:]
	}
	return all
}

// segment is what is written to the table: functions at places from an offset on.
type segment struct {
	offset    int
	functions []int
}

// table is the table's only segment.
func (g *program) table() (segment, error) {
	body := g.Body(wasmfile.Element)
	if len(body) < 3 || body[0] != 1 || body[1] != 0 || body[2] != wasmfile.OpI32Const {
		return segment{}, fmt.Errorf("%w: the table has not one segment", wasmfile.ErrModule)
	}
	offset, w := wasmfile.Signed(body[3:])
	if body = body[3+w:]; body[0] != wasmfile.OpEnd {
		return segment{}, fmt.Errorf("%w: the table's offset is calculated", wasmfile.ErrModule)
	}
	return segment{offset: offset, functions: numbers(body[1:])}, nil
}

func (s segment) bytes() []byte {
	out := append(wasmfile.AppendSigned([]byte{0, wasmfile.OpI32Const}, s.offset), wasmfile.OpEnd)
	out = wasmfile.AppendUnsigned(out, len(s.functions))
	for _, f := range s.functions {
		out = wasmfile.AppendUnsigned(out, f)
	}
	return out
}

// readTypes cuts the section of types into its entries: functions from values to values.
func readTypes(body []byte) (types [][]byte, err error) {
	count, w := wasmfile.Unsigned(body)
	body = body[w:]
	for range count {
		if body[0] != 0x60 {
			return nil, fmt.Errorf("%w: a type that is no function's", wasmfile.ErrModule)
		}
		length := 1
		for range 2 { // what it takes, what it gives
			values, w := wasmfile.Unsigned(body[length:])
			length += w + values
		}
		types, body = append(types, body[:length]), body[length:]
	}
	return types, nil
}

// readGlobals reads the types of globals, two bytes each; their values are numbers.
func readGlobals(body []byte) (kinds [][]byte, err error) {
	count, w := wasmfile.Unsigned(body)
	body = body[w:]
	for range count {
		size, err := wasmfile.Instruction(body[2:])
		if err != nil {
			return nil, err
		}
		if body[2+size] != wasmfile.OpEnd {
			return nil, fmt.Errorf("%w: a global's value is calculated", wasmfile.ErrModule)
		}
		kinds, body = append(kinds, body[:2]), body[2+size+1:]
	}
	return kinds, nil
}

// replaceCalls returns a function's body with other code for its direct calls.
func replaceCalls(body []byte, call func(callee int) []byte) ([]byte, error) {
	out := make([]byte, 0, len(body)+len(body)/8)
	copied := 0
	for i := wasmfile.Locals(body); i < len(body); {
		size, err := wasmfile.Instruction(body[i:])
		if err != nil {
			return nil, err
		}
		if body[i] == wasmfile.OpCall {
			callee, _ := wasmfile.Unsigned(body[i+1:])
			out = append(append(out, body[copied:i]...), call(callee)...)
			copied = i + size
		}
		i += size
	}
	return append(out, body[copied:]...), nil
}

// export is an entry of the section of exports.
func export(name string, kind byte, number int) []byte {
	out := wasmfile.AppendBytes(nil, []byte(name))
	return wasmfile.AppendUnsigned(append(out, kind), number)
}

// imported is an entry of the section of imports: what is imported is of a type.
func imported(module, name string, kind byte, of ...byte) []byte {
	out := wasmfile.AppendBytes(nil, []byte(module))
	out = wasmfile.AppendBytes(out, []byte(name))
	return append(append(out, kind), of...)
}
