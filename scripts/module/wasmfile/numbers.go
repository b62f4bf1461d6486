package wasmfile

import "encoding/binary"

// Unsigned reads an unsigned number (LEB128), and says how many bytes it takes.
func Unsigned(b []byte) (value, length int) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		panic("a number is cut off")
	}
	return int(v), n
}

// Signed reads a signed number (LEB128), and says how many bytes it takes.
func Signed(b []byte) (value, length int) {
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

// AppendUnsigned appends an unsigned number (LEB128).
func AppendUnsigned(out []byte, value int) []byte {
	return binary.AppendUvarint(out, uint64(value))
}

// AppendSigned appends a signed number (LEB128).
func AppendSigned(out []byte, value int) []byte {
	for {
		b := byte(value & 0x7f)
		value >>= 7
		if value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// AppendBytes appends bytes after their length.
func AppendBytes(out, data []byte) []byte {
	return append(AppendUnsigned(out, len(data)), data...)
}
