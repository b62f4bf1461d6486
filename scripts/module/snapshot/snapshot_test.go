package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// module has two globals and the functions that are named, without imports.
func module(names ...string) wasmfile.Module {
	var bodies [][]byte
	list := wasmfile.AppendUnsigned(nil, len(names))
	for i, name := range names {
		bodies = append(bodies, []byte{0, wasmfile.OpI32Const, byte(i), wasmfile.OpEnd})
		list = wasmfile.AppendBytes(wasmfile.AppendUnsigned(list, i), []byte(name))
	}
	custom := append(wasmfile.AppendBytes(nil, []byte("name")), 1)
	custom = wasmfile.AppendBytes(custom, list)
	return wasmfile.Module{Sections: []wasmfile.Section{
		{Kind: wasmfile.Memory, Body: []byte{1, 0, 1}},
		{Kind: wasmfile.Global, Body: []byte{2, typeI32, 1, wasmfile.OpI32Const, 0, wasmfile.OpEnd, typeI64, 1, opI64Const, 0, wasmfile.OpEnd}},
		{Kind: wasmfile.Export, Body: []byte{1, 3, 'm', 'e', 'm', 2, 0}},
		{Kind: wasmfile.Code, Body: wasmfile.CodeOf(bodies)},
		{Kind: wasmfile.Data, Body: wasmfile.DataOf([]byte{1})},
		{Kind: wasmfile.Custom, Body: custom},
	}}
}

func TestExportGlobals(t *testing.T) {
	m := module("a.main")
	open, err := exportGlobals(m)
	if err != nil {
		t.Fatal(err)
	}
	exports := open.Body(wasmfile.Export)
	if exports[0] != 3 || !bytes.HasSuffix(exports, []byte("\x08global 1\x03\x01")) {
		t.Errorf("%q", exports)
	}
	if m.Body(wasmfile.Export)[0] != 1 {
		t.Error("the module itself was changed")
	}
	m.Set(wasmfile.Global, []byte{1, 0x7d, 0, 0x43, 0, 0, 0, 0, wasmfile.OpEnd})
	if _, err := exportGlobals(m); !errors.Is(err, wasmfile.ErrModule) {
		t.Errorf("a constant of another type: %v", err)
	}
}

func TestWrite(t *testing.T) {
	memory := make([]byte, 2*pageSize)
	copy(memory[pageSize+9:], "kept")
	out, stubs, err := write(module("a.main"), image{memory: memory, Globals: []int{-5, 1 << 40}, Held: json.RawMessage(`{"call":2}`)})
	if err != nil || stubs != 0 {
		t.Fatal(stubs, err)
	}
	m, err := wasmfile.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Body(wasmfile.Memory); !bytes.Equal(got, []byte{1, 0, 2}) {
		t.Errorf("memory % x", got)
	}
	globals := m.Body(wasmfile.Global)
	if v, w := wasmfile.Signed(globals[4:]); v != -5 || globals[4+w] != wasmfile.OpEnd {
		t.Errorf("globals % x", globals)
	} else if v, _ := wasmfile.Signed(globals[4+w+1+3:]); v != 1<<40 {
		t.Errorf("globals % x", globals)
	}
	got, err := wasmfile.Image(m.Body(wasmfile.Data))
	if err != nil || !bytes.Equal(got, memory[:pageSize+13]) {
		t.Errorf("%d bytes of data, %v", len(got), err)
	}
	last := m.Sections[len(m.Sections)-1]
	if last.Kind != wasmfile.Custom || string(last.Body) != "\x11"+section+`{"call":2}` {
		t.Errorf("section %d %q", last.Kind, last.Body)
	}
	if _, _, err := write(module("a.main"), image{memory: memory, Globals: []int{1}}); err == nil {
		t.Error("a global has no value, and nothing was said")
	}
}

func TestDropInitialisation(t *testing.T) {
	m := module("a.init", "a.T.init", "a.init.0", "b.map.init.1", "a.init.0.func1", "b.init")
	memory := make([]byte, pageSize)
	task := func(at int, state uint32, functions ...uint64) {
		binary.LittleEndian.PutUint32(memory[at:], state)
		binary.LittleEndian.PutUint32(memory[at+4:], uint32(len(functions)))
		for i, f := range functions {
			binary.LittleEndian.PutUint64(memory[at+8+8*i:], (firstFunction+f)<<functionShift)
		}
	}
	task(64, taskDone, 0, 2)
	task(128, 0, 5)           // has not run
	task(256, taskDone, 1, 4) // not all of it are called like that: something else
	code, stubs := dropInitialisation(m, memory)
	var dropped []int
	for i, body := range wasmfile.Functions(code) {
		if bytes.Equal(body, []byte{0, opTrap, wasmfile.OpEnd}) {
			dropped = append(dropped, i)
		}
	}
	if stubs != 3 || len(dropped) != 3 || dropped[0] != 0 || dropped[1] != 2 || dropped[2] != 3 {
		t.Errorf("%d: %v", stubs, dropped)
	}
}

func TestSameSeeds(t *testing.T) {
	m := module("a.main", mapsRand)
	same, err := sameSeeds(m)
	if err != nil {
		t.Fatal(err)
	}
	before, after := wasmfile.Functions(m.Body(wasmfile.Code)), wasmfile.Functions(same.Body(wasmfile.Code))
	if !bytes.Equal(after[0], before[0]) || !bytes.Equal(after[1], drawsZero) || bytes.Equal(before[1], drawsZero) {
		t.Errorf("% x", after)
	}
	if _, err := sameSeeds(module("a.main")); !errors.Is(err, wasmfile.ErrModule) {
		t.Errorf("a module in which seeds are drawn elsewhere: %v", err)
	}
}
