package main

import (
	"slices"
	"strconv"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// countCalls returns the module with a global for each of its functions, exported as
// "f" and the function's number among those of the module. It becomes 1 when the
// function is called; the host may make it 0 again.
func countCalls(data []byte) (_ []byte, err error) {
	defer wasmfile.Catch(&err)
	m, err := wasmfile.Read(data)
	if err != nil {
		return nil, err
	}
	bodies := wasmfile.Functions(m.Body(wasmfile.Code))
	globals := wasmfile.ListOf(m.Body(wasmfile.Global))
	exports := wasmfile.ListOf(m.Body(wasmfile.Export))
	for i, body := range bodies {
		called := globals.Add(typeI32, mutable, wasmfile.OpI32Const, 0, wasmfile.OpEnd)
		exports.Add(export("f"+strconv.Itoa(i), externGlobal, called)...)
		locals := wasmfile.Locals(body)
		out := append(slices.Clone(body[:locals]), wasmfile.OpI32Const, 1, wasmfile.OpGlobalSet)
		bodies[i] = append(wasmfile.AppendUnsigned(out, called), body[locals:]...)
	}
	m.Set(wasmfile.Global, globals.Bytes())
	m.Set(wasmfile.Export, exports.Bytes())
	m.Set(wasmfile.Code, wasmfile.CodeOf(bodies))
	return m.Bytes(), nil
}
