package main

import "encoding/binary"

// What Go's runtime knows about the initialisation of a package (initTask in
// runtime/proc.go): a state, how many functions there are, and their addresses.
const (
	taskDone  = 2
	taskMost  = 1 << 10 // functions in one task
	taskFirst = 8       // where the addresses begin

	// An address of code is the number of the function, counted from here on, and
	// sixteen bits for the place in it (cmd/link/internal/wasm).
	firstFunction = 0x1000
	functionShift = 16
)

// initialised are the functions, by their number in the code, that stand in the task of a
// package that has run, in a memory. Their names are compared, as other data may look
// the same.
func initialised(memory []byte, names map[int]string, imports int) map[int]bool {
	found := map[int]bool{}
	for at := 0; at+taskFirst <= len(memory); at += 8 {
		count := int(binary.LittleEndian.Uint32(memory[at+4:]))
		if binary.LittleEndian.Uint32(memory[at:]) != taskDone || count == 0 || count > taskMost || at+taskFirst+8*count > len(memory) {
			continue
		}
		functions := make([]int, count)
		for i := range functions {
			functions[i] = functionAt(binary.LittleEndian.Uint64(memory[at+taskFirst+8*i:]))
			if name := names[functions[i]+imports]; !initVariables.MatchString(name) && !initOthers.MatchString(name) {
				functions = nil
				break
			}
		}
		for _, f := range functions {
			found[f] = true
		}
	}
	return found
}

// functionAt is the number of the function in the code that begins at an address, -1 if
// none does.
func functionAt(address uint64) int {
	if address&(1<<functionShift-1) != 0 || address>>functionShift < firstFunction || address>>functionShift > 1<<24 {
		return -1
	}
	return int(address>>functionShift) - firstFunction
}
