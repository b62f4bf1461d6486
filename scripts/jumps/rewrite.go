package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Opcodes that decide where the program goes on, and those that a jump consists of.
const (
	opBlock    = 0x02
	opLoop     = 0x03
	opIf       = 0x04
	opElse     = 0x05
	opEnd      = 0x0b
	opBr       = 0x0c
	opBrTable  = 0x0e
	opLocalGet = 0x20
	opLocalSet = 0x21
	opI32Const = 0x41
)

const codeSection = 10

// target is the local in which Go keeps the number of the block to go on with
// (PC_B in cmd/internal/obj/wasm): the parameter of each function.
const target = 0

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

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
	defer func() {
		if reason := recover(); reason != nil { // an index past the end: something is cut off
			err = fmt.Errorf("%w: %v", errModule, reason)
		}
	}()
	if len(data) < 8 || string(data[:4]) != "\x00asm" {
		return nil, n, errModule
	}
	out = append(make([]byte, 0, len(data)), data[:8]...)
	for rest := data[8:]; len(rest) > 0; {
		kind := rest[0]
		size, w := uleb(rest[1:])
		body, next := rest[1+w:1+w+size], rest[1+w+size:]
		if kind == codeSection {
			if body, err = rewriteCode(body, &n); err != nil {
				return nil, n, err
			}
		}
		out = append(out, kind)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
		rest = next
	}
	return out, n, nil
}

func rewriteCode(body []byte, n *counts) ([]byte, error) {
	count, w := uleb(body)
	out := append(make([]byte, 0, len(body)), body[:w]...)
	body = body[w:]
	for range count {
		size, w := uleb(body)
		function, err := rewriteFunction(body[w:w+size], n)
		if err != nil {
			return nil, fmt.Errorf("function %d of the code: %w", n.functions, err)
		}
		n.functions++
		out = binary.AppendUvarint(out, uint64(len(function)))
		out = append(out, function...)
		body = body[w+size:]
	}
	return out, nil
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
	start := locals(body)
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
				out = append(out, opBr)
				// Block 0 was opened last, just inside of block 1.
				out = binary.AppendUvarint(out, uint64(depth-1-(d.loop+d.blocks-block)))
				i += length
				continue
			}
		}
		size, err := instruction(body[i:])
		if err != nil {
			return nil, err
		}
		switch body[i] {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			if depth == d.loop+1+d.blocks-ended && ended < d.blocks {
				ended++
			}
			depth--
		}
		out = append(out, body[i:i+size]...)
		i += size
	}
	if depth != -1 {
		return nil, fmt.Errorf("%w: %d blocks do not end", errModule, depth)
	}
	return out, nil
}

// findDispatch looks for loop, blocks and table before the function's own code.
func findDispatch(body []byte, i int) (d dispatch, ok bool) {
	opened, loop := 0, -1
	for {
		switch body[i] {
		case 0x23: // global.get and local.set: the stack pointer becomes a local
			_, w := uleb(body[i+1:])
			i += 1 + w
			if body[i] != opLocalSet {
				return d, false
			}
			_, w = uleb(body[i+1:])
			i += 1 + w
			continue
		case opLoop:
			if loop >= 0 {
				return d, false
			}
			loop = opened
			opened++
			i += 2
			continue
		case opBlock:
			if body[i+1] != 0x40 {
				return d, false
			}
			opened++
			i += 2
			continue
		}
		break
	}
	if loop < 0 || body[i] != opLocalGet || body[i+1] != target || body[i+2] != opBrTable {
		return d, false
	}
	i += 3
	count, w := uleb(body[i:])
	i += w
	d = dispatch{loop: loop, blocks: opened - loop - 1, table: make([]int, count+1)}
	for k := range d.table {
		d.table[k], w = uleb(body[i:])
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
	if code[0] != opI32Const {
		return 0, 0, false
	}
	signed, w := sleb(code[1:])
	i := 1 + w
	if i+2 >= len(code) || code[i] != opLocalSet || code[i+1] != target || code[i+2] != opBr || signed < 0 {
		return 0, 0, false
	}
	out, w := uleb(code[i+3:])
	return signed, i + 3 + w, out == up
}

// locals is the length of the declarations of locals.
func locals(body []byte) int {
	count, i := uleb(body)
	for range count {
		_, w := uleb(body[i:])
		i += w + 1
	}
	return i
}

func uleb(b []byte) (value, length int) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		panic("a number is cut off")
	}
	return int(v), n
}

func sleb(b []byte) (value, length int) {
	shift := 0
	for i, c := range b {
		value |= int(c&0x7f) << shift
		shift += 7
		if c < 0x80 {
			if shift < 64 && c&0x40 != 0 {
				value |= -1 << shift
			}
			return value, i + 1
		}
	}
	panic("a number is cut off")
}

// instruction is the length of one instruction. It knows those that Go's compiler
// writes, and says so when it meets another.
func instruction(code []byte) (int, error) {
	switch op := code[0]; {
	case op == opBlock || op == opLoop || op == opIf:
		return 2, nil // Go's blocks take nothing and give nothing, or one value
	case op == opBrTable:
		count, i := uleb(code[1:])
		i++
		for range count + 1 {
			_, w := uleb(code[i:])
			i += w
		}
		return i, nil
	case op == 0x11: // call_indirect
		return numbers(code, 2), nil
	case op >= 0x28 && op <= 0x3e: // load and store
		return numbers(code, 2), nil
	case op == opBr || op == 0x0d || op == 0x10 || op >= opLocalGet && op <= 0x24 || op == 0x3f || op == 0x40:
		return numbers(code, 1), nil
	case op == opI32Const || op == 0x42:
		return numbers(code, 1), nil
	case op == 0x43: // f32.const
		return 5, nil
	case op == 0x44: // f64.const
		return 9, nil
	case op == 0xfc:
		sub, w := uleb(code[1:])
		switch {
		case sub <= 7: // saturating conversions
			return 1 + w, nil
		case sub == 10: // memory.copy
			return 1 + w + 2, nil
		case sub == 11: // memory.fill
			return 1 + w + 1, nil
		}
	case op <= 1, op == opElse, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4:
		return 1, nil
	}
	return 0, fmt.Errorf("%w: the instruction %#x is not known", errModule, bytes.Clone(code[:min(2, len(code))]))
}

// numbers is the length of an instruction with so many numbers after it.
func numbers(code []byte, count int) int {
	i := 1
	for range count {
		for code[i] >= 0x80 {
			i++
		}
		i++
	}
	return i
}
