package main

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// counts says what a rewriting found.
type counts struct {
	functions int
	named     int // those that keep their names
	traces    int // bytes of tables that are for traces alone
}

// rewrite returns the module without names of functions and tables for traces in its data,
// and with a start function that fills the tables by which functions are found.
func rewrite(data []byte) (_ []byte, n counts, err error) {
	defer wasmfile.Catch(&err)
	m, err := wasmfile.Read(data)
	if err != nil {
		return nil, n, err
	}
	memory, err := wasmfile.Image(m.Body(wasmfile.Data))
	if err != nil {
		return nil, n, err
	}
	bodies := wasmfile.Functions(m.Body(wasmfile.Code))
	n.functions = len(bodies)
	t, err := findTable(memory, n.functions)
	if err != nil {
		return nil, n, err
	}
	recovers, err := t.recovers(bodies, m.Imports())
	if err != nil {
		return nil, n, err
	}
	n.traces = t.dropTraces(recovers)
	n.named = t.dropNames()
	list := t.cutList()
	buckets, err := cutBuckets(memory, n.functions)
	if err != nil {
		return nil, n, err
	}
	if err := addStart(&m, fill(n.functions, buckets, list)); err != nil {
		return nil, n, err
	}
	m.Set(wasmfile.Data, wasmfile.DataOf(memory))
	return m.Bytes(), n, nil
}

// anyName is the name of all functions that do not keep theirs. The runtime takes the
// names of methods apart when one is called by way of a nil pointer.
const anyName = "engine.(*?).?\x00"

// dropNames removes the names of functions from memory, but for those that the runtime
// may ask for, and returns how many keep theirs.
func (t *table) dropNames() (named int) {
	names := t.memory[t.names:t.namesEnd]
	kept := map[int]string{} // by place
	for i, r := range t.records {
		if place := r.number(nameField); t.keepsName[i] && place >= len(anyName) {
			kept[place] = t.name(r)
		}
	}
	clear(names)
	copy(names, anyName)
	for place, name := range kept {
		copy(names[place:], name)
	}
	for _, r := range t.records {
		if _, ok := kept[r.number(nameField)]; ok {
			named++
			continue
		}
		r.set(nameField, 0)
	}
	return named
}

// keeps reports whether the runtime may ask for a function's name: it tells its own
// functions, and those of reflection, from all others.
func keeps(name string) bool {
	for _, prefix := range []string{"runtime.", "runtime/", "reflect.", "internal/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// addStart adds a function without parameters that runs when the module is instantiated.
func addStart(m *wasmfile.Module, body []byte) error {
	if m.Body(wasmfile.Start) != nil {
		return fmt.Errorf("%w: it has a start function", wasmfile.ErrModule)
	}
	types, functions, code := wasmfile.ListOf(m.Body(wasmfile.Type)), wasmfile.ListOf(m.Body(wasmfile.Function)), wasmfile.ListOf(m.Body(wasmfile.Code))
	kind := types.Add(0x60, 0, 0)
	number := m.Imports() + functions.Add(wasmfile.AppendUnsigned(nil, kind)...)
	code.Add(wasmfile.AppendBytes(nil, body)...)
	m.Set(wasmfile.Type, types.Bytes())
	m.Set(wasmfile.Function, functions.Bytes())
	m.Set(wasmfile.Start, wasmfile.AppendUnsigned(nil, number))
	m.Set(wasmfile.Code, code.Bytes())
	return nil
}
