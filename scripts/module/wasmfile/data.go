package wasmfile

import "fmt"

// MaxSegments is how many segments of data a module has at most: some browsers
// reject more.
const MaxSegments = 100_000

// Image is what the segments of a data section write, from address 0 on. What none
// of them writes is 0.
func Image(data []byte) ([]byte, error) {
	var memory []byte
	count, w := Unsigned(data)
	data = data[w:]
	for range count {
		if data[0] != 0 || data[1] != OpI32Const {
			return nil, fmt.Errorf("%w: a segment of data that has no number for its address", ErrModule)
		}
		address, w := Signed(data[2:])
		data = data[2+w:]
		if data[0] != OpEnd {
			return nil, fmt.Errorf("%w: a segment of data whose address is calculated", ErrModule)
		}
		size, w := Unsigned(data[1:])
		data = data[1+w:]
		if end := address + size; end > len(memory) {
			memory = append(memory, make([]byte, end-len(memory))...)
		}
		copy(memory[address:], data[:size])
		data = data[size:]
	}
	return memory, nil
}

// DataOf is the body of a data section that writes memory: what is not 0. Short gaps are
// written too: they compress better than the address of another segment, of which there may
// be MaxSegments only.
func DataOf(memory []byte) []byte {
	for gap := 192; ; gap *= 2 {
		count, segments := segmentsOf(memory, gap)
		if count <= MaxSegments {
			return append(AppendUnsigned(nil, count), segments...)
		}
	}
}

// segmentsOf cuts memory where so many bytes or more in a row are 0.
func segmentsOf(memory []byte, gap int) (count int, out []byte) {
	out = make([]byte, 0, len(memory))
	for start := 0; ; count++ {
		for start < len(memory) && memory[start] == 0 {
			start++
		}
		if start == len(memory) {
			return count, out
		}
		end, next := start, start // the end of what is not 0, and where to look on
		for next < len(memory) && next-end < gap {
			if memory[next] != 0 {
				end = next + 1
			}
			next++
		}
		out = append(out, 0, OpI32Const)
		out = append(AppendSigned(out, start), OpEnd)
		out = AppendBytes(out, memory[start:end])
		start = next
	}
}
