package wasmfile

import (
	"bytes"
	"fmt"
)

// Opcodes that decide where the program goes on, and those that passes write or look for.
const (
	OpBlock        = 0x02
	OpLoop         = 0x03
	OpIf           = 0x04
	OpElse         = 0x05
	OpEnd          = 0x0b
	OpBr           = 0x0c
	OpBrTable      = 0x0e
	OpCall         = 0x10
	OpCallIndirect = 0x11
	OpLocalGet     = 0x20
	OpLocalSet     = 0x21
	OpGlobalGet    = 0x23
	OpGlobalSet    = 0x24
	OpI32Const     = 0x41
)

// Locals is the length of the declarations of locals at the start of a function's body.
func Locals(body []byte) int {
	count, i := Unsigned(body)
	for range count {
		_, w := Unsigned(body[i:])
		i += w + 1
	}
	return i
}

// Instruction is the length of the instruction at the start of code. It knows those
// that Go's compiler writes, and says so when it meets another.
func Instruction(code []byte) (int, error) {
	switch op := code[0]; {
	case op == OpBlock || op == OpLoop || op == OpIf:
		return 2, nil // Go's blocks take nothing and give nothing, or one value
	case op == OpBrTable:
		count, i := Unsigned(code[1:])
		i++
		for range count + 1 {
			_, w := Unsigned(code[i:])
			i += w
		}
		return i, nil
	case op == OpCallIndirect:
		return numbers(code, 2), nil
	case op >= 0x28 && op <= 0x3e: // load and store
		return numbers(code, 2), nil
	case op == OpBr || op == 0x0d || op == OpCall || op >= OpLocalGet && op <= OpGlobalSet || op == 0x3f || op == 0x40:
		return numbers(code, 1), nil
	case op == OpI32Const || op == 0x42:
		return numbers(code, 1), nil
	case op == 0x43: // f32.const
		return 5, nil
	case op == 0x44: // f64.const
		return 9, nil
	case op == 0xfc:
		sub, w := Unsigned(code[1:])
		switch {
		case sub <= 7: // saturating conversions
			return 1 + w, nil
		case sub == 10: // memory.copy
			return 1 + w + 2, nil
		case sub == 11: // memory.fill
			return 1 + w + 1, nil
		}
	case op <= 1, op == OpElse, op == OpEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4:
		return 1, nil
	}
	return 0, fmt.Errorf("%w: the instruction %#x is not known", ErrModule, bytes.Clone(code[:min(2, len(code))]))
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
