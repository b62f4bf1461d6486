package main

import (
	"fmt"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// target is the local in which Go keeps the number of the block to go on with
// (PC_B in cmd/internal/obj/wasm): the parameter of each function.
const target = 0

// counts says what a rewriting found.
type counts struct {
	functions   int // in the module
	dispatching int // those with a table of blocks inside a loop
	jumps       int // to the loop
	direct      int // those that are direct now
}

// rewriteModule returns the module with its forward jumps made direct. Everything
// but the bodies of functions is copied.
func rewriteModule(data []byte) (out []byte, n counts, err error) {
	defer wasmfile.Catch(&err)
	m, err := wasmfile.Read(data)
	if err != nil {
		return nil, n, err
	}
	for i, s := range m.Sections {
		if s.Kind == wasmfile.Code {
			if m.Sections[i].Body, err = rewriteCode(s.Body, &n); err != nil {
				return nil, n, err
			}
		}
	}
	return m.Bytes(), n, nil
}

func rewriteCode(code []byte, n *counts) (_ []byte, err error) {
	bodies := wasmfile.Functions(code)
	for i, body := range bodies {
		if bodies[i], err = rewriteFunction(body, n); err != nil {
			return nil, fmt.Errorf("function %d of the code: %w", i, err)
		}
		n.functions++
	}
	return wasmfile.CodeOf(bodies), nil
}

// dispatch is the start of a function that jumps: a loop, in it a block for each
// place that can be jumped to, in those the table.
type dispatch struct {
	loop   int   // depth of the loop among what is open, from the outside
	blocks int   // how many blocks are open at the table
	table  []int // for each number of target, the block that ends there, from the inside
	after  int   // where the instructions after the table begin
}

// rewriteFunction makes the forward jumps of one function direct. A function
// without loop and table is returned as it is.
func rewriteFunction(body []byte, n *counts) ([]byte, error) {
	start := wasmfile.Locals(body)
	d, ok := findDispatch(body, start)
	if !ok {
		return body, nil
	}
	n.dispatching++
	out := append(make([]byte, 0, len(body)), body[:d.after]...)
	depth := d.loop + 1 + d.blocks // how many blocks, loops and ifs are open
	// The blocks of the table end one after the other, the inner ones first; a block
	// that has not ended yet is the way to what comes after it.
	ended := 0
	for i := d.after; i < len(body); {
		if number, length, ok := jump(body[i:], depth-1-d.loop); ok {
			n.jumps++
			block := d.table[min(number, len(d.table)-1)]
			if block >= ended {
				n.direct++
				out = append(out, wasmfile.OpBr)
				// Block 0 was opened last, just inside of block 1.
				out = wasmfile.AppendUnsigned(out, depth-1-(d.loop+d.blocks-block))
				i += length
				continue
			}
		}
		size, err := wasmfile.Instruction(body[i:])
		if err != nil {
			return nil, err
		}
		switch body[i] {
		case wasmfile.OpBlock, wasmfile.OpLoop, wasmfile.OpIf:
			depth++
		case wasmfile.OpEnd:
			if depth == d.loop+1+d.blocks-ended && ended < d.blocks {
				ended++
			}
			depth--
		}
		out = append(out, body[i:i+size]...)
		i += size
	}
	if depth != -1 {
		return nil, fmt.Errorf("%w: %d blocks do not end", wasmfile.ErrModule, depth)
	}
	return out, nil
}

// findDispatch looks for loop, blocks and table before the function's own code.
func findDispatch(body []byte, i int) (d dispatch, ok bool) {
	opened, loop := 0, -1
	for {
		switch body[i] {
		case wasmfile.OpGlobalGet: // global.get and local.set: the stack pointer becomes a local
			_, w := wasmfile.Unsigned(body[i+1:])
			i += 1 + w
			if body[i] != wasmfile.OpLocalSet {
				return d, false
			}
			_, w = wasmfile.Unsigned(body[i+1:])
			i += 1 + w
			continue
		case wasmfile.OpLoop:
			if loop >= 0 {
				return d, false
			}
			loop = opened
			opened++
			i += 2
			continue
		case wasmfile.OpBlock:
			if body[i+1] != 0x40 {
				return d, false
			}
			opened++
			i += 2
			continue
		}
		break
	}
	if loop < 0 || body[i] != wasmfile.OpLocalGet || body[i+1] != target || body[i+2] != wasmfile.OpBrTable {
		return d, false
	}
	i += 3
	count, w := wasmfile.Unsigned(body[i:])
	i += w
	d = dispatch{loop: loop, blocks: opened - loop - 1, table: make([]int, count+1)}
	for k := range d.table {
		d.table[k], w = wasmfile.Unsigned(body[i:])
		i += w
		if d.table[k] >= d.blocks {
			return d, false // leads out of the loop
		}
	}
	d.after = i
	return d, true
}

// jump reads a jump to the table: the number of the target, and how many bytes it
// takes. up is how far out the loop is.
func jump(code []byte, up int) (number, length int, ok bool) {
	if code[0] != wasmfile.OpI32Const {
		return 0, 0, false
	}
	signed, w := wasmfile.Signed(code[1:])
	i := 1 + w
	if i+2 >= len(code) || code[i] != wasmfile.OpLocalSet || code[i+1] != target || code[i+2] != wasmfile.OpBr || signed < 0 {
		return 0, 0, false
	}
	out, w := wasmfile.Unsigned(code[i+3:])
	return signed, i + 3 + w, out == up
}
