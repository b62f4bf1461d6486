package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// How the first part asks its host for a later one, and what a later part imports:
// what the first exports. web/app/engine-parts.ts knows these names.
const (
	hostModule  = "parts"
	hostLoad    = "load" // (part) -> (): instantiates a later part; the first is 0
	firstModule = "first"
	tableName   = "table"  // all functions of all parts, in the places that Go's linker gave them
	memoryName  = "mem"    // as Go's linker names it
	globalName  = "global" // and its number: Go's registers
	loadedName  = "loaded" // and the number of a later part: 1 when it is there
)

// part is a module, and how many functions and bytes of code are in it.
type part struct {
	module    []byte
	functions int
	bytes     int
}

// split cuts a module into so many parts; of gives the part of a function by its number among the
// module's own functions, and its name. In the first part each function of a later one
// leaves a stub that has that part loaded, if it is not there yet, and calls the function
// through the table.
func split(data []byte, parts int, of func(number int, name string) int) (made []part, err error) {
	defer wasmfile.Catch(&err)
	g, err := readProgram(data)
	if err != nil {
		return nil, err
	}
	made = make([]part, parts)
	in := make([]int, len(g.bodies))
	for i, body := range g.bodies {
		moves, err := g.mayMove(i)
		if err != nil {
			return nil, err
		}
		if moves {
			in[i] = of(i, g.names[i])
		}
		made[in[i]].functions++
		made[in[i]].bytes += len(body)
	}
	if made[0].module, err = g.first(in, parts); err != nil {
		return nil, err
	}
	for number := 1; number < parts; number++ {
		if made[number].module, err = g.later(in, number); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// mayMove reports whether a function can be in a later part: it is of the type that
// nearly all have, is in the table, and calls nothing of the host's.
func (g *program) mayMove(function int) (bool, error) {
	if !bytes.Equal(g.types[g.own[function]], moving) || g.place[function] < 0 {
		return false, nil
	}
	host := false
	_, err := replaceCalls(g.bodies[function], func(callee int) []byte {
		host = host || callee < g.imports || g.place[callee-g.imports] < 0
		return nil
	})
	return !host, err
}

// first is the module with stubs in place of the functions that moved; in has the part of each
// function. It imports one function more, and has one more for each later part, through which
// the stubs call. Its functions have other numbers than before: small ones for those that
// are called most, the largest for stubs.
func (g *program) first(in []int, parts int) ([]byte, error) {
	stays := func(function int) bool { return in[function] == 0 }
	calls, err := g.countCalls(stays)
	if err != nil {
		return nil, err
	}
	load := g.imports // gates to the later parts follow, then functions
	order := g.byCalls(calls, g.imports+parts, stays)
	for i := range in {
		if in[i] != 0 {
			order = append(order, i)
		}
	}
	number := make([]int, len(in))
	for i, function := range order {
		number[function] = g.imports + parts + i
	}
	moved := func(function int) int {
		if function < g.imports {
			return function
		}
		return number[function-g.imports]
	}
	types, functions := wasmfile.ListOf(g.Body(wasmfile.Type)), &wasmfile.List{}
	loadType, gateType := types.Add(takesNumber...), types.Add(gate...)
	globals := wasmfile.ListOf(g.Body(wasmfile.Global))
	exports := renumberExports(g.Body(wasmfile.Export), moved)
	var bodies [][]byte
	for later := 1; later < parts; later++ {
		loaded := globals.Add(typeI32, mutable, wasmfile.OpI32Const, 0, wasmfile.OpEnd)
		exports.Add(export(fmt.Sprint(loadedName, later), externGlobal, loaded)...)
		functions.Add(wasmfile.AppendUnsigned(nil, gateType)...)
		bodies = append(bodies, g.gate(later, loaded, load))
	}
	for _, function := range order {
		functions.Add(wasmfile.AppendUnsigned(nil, g.own[function])...)
		if in[function] != 0 {
			stub := wasmfile.AppendSigned([]byte{0, wasmfile.OpLocalGet, 0, wasmfile.OpI32Const}, g.place[function])
			stub = wasmfile.AppendUnsigned(append(stub, wasmfile.OpCall), load+in[function])
			bodies = append(bodies, append(stub, wasmfile.OpEnd))
			continue
		}
		body, err := replaceCalls(g.bodies[function], func(callee int) []byte {
			return wasmfile.AppendUnsigned([]byte{wasmfile.OpCall}, moved(callee))
		})
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}

	m := wasmfile.Module{Sections: slices.DeleteFunc(slices.Clone(g.Sections), wasmfile.Section.IsNames)}
	imports := wasmfile.ListOf(m.Body(wasmfile.Import))
	imports.Add(imported(hostModule, hostLoad, externFunction, wasmfile.AppendUnsigned(nil, loadType)...)...)
	exports.Add(export(tableName, externTable, 0)...)
	for i := range g.globals {
		exports.Add(export(fmt.Sprint(globalName, i), externGlobal, i)...)
	}
	table, err := g.table()
	if err != nil {
		return nil, err
	}
	for i, function := range table.functions {
		table.functions[i] = moved(function)
	}
	if start := m.Body(wasmfile.Start); start != nil {
		function, _ := wasmfile.Unsigned(start)
		m.Set(wasmfile.Start, wasmfile.AppendUnsigned(nil, moved(function)))
	}
	m.Set(wasmfile.Type, types.Bytes())
	m.Set(wasmfile.Import, imports.Bytes())
	m.Set(wasmfile.Function, functions.Bytes())
	m.Set(wasmfile.Global, globals.Bytes())
	m.Set(wasmfile.Export, exports.Bytes())
	m.Set(wasmfile.Element, append([]byte{1}, table.bytes()...))
	m.Set(wasmfile.Code, wasmfile.CodeOf(bodies))
	return m.Bytes(), nil
}

// gate is the body of the function through which stubs of a later part call: it gets what
// they got, and the place of the function in the table.
func (g *program) gate(part, loaded, load int) []byte {
	out := wasmfile.AppendUnsigned([]byte{0, wasmfile.OpGlobalGet}, loaded)
	out = wasmfile.AppendSigned(append(out, opI32Eqz, wasmfile.OpIf, noResult, wasmfile.OpI32Const), part)
	out = append(wasmfile.AppendUnsigned(append(out, wasmfile.OpCall), load), wasmfile.OpEnd)
	out = append(out, wasmfile.OpLocalGet, 0, wasmfile.OpLocalGet, 1, wasmfile.OpCallIndirect)
	kind := slices.IndexFunc(g.types, func(t []byte) bool { return bytes.Equal(t, moving) })
	return append(wasmfile.AppendUnsigned(out, kind), 0, wasmfile.OpEnd)
}

// later is the module of the functions that moved to a part. When it is instantiated they take
// their places in the table. Through it, they call those of other parts: each of these that
// is called more than once has a function here that does that.
func (g *program) later(in []int, part int) ([]byte, error) {
	isHere := func(function int) bool { return in[function] == part }
	calls, err := g.countCalls(isHere)
	if err != nil {
		return nil, err
	}
	ways := g.byCalls(calls, 0, func(function int) bool { return !isHere(function) && calls[function] > 1 })
	number := slices.Repeat([]int{-1}, len(in)) // in this part
	functions := &wasmfile.List{}
	var bodies [][]byte
	for _, function := range ways {
		number[function] = functions.Add(wasmfile.AppendUnsigned(nil, g.own[function])...)
		way := []byte{0}
		parameters, _ := wasmfile.Unsigned(g.types[g.own[function]][1:])
		for i := range parameters {
			way = wasmfile.AppendUnsigned(append(way, wasmfile.OpLocalGet), i)
		}
		way = append(way, g.throughTable(function)...)
		bodies = append(bodies, append(way, wasmfile.OpEnd))
	}
	for i := range in {
		if isHere(i) {
			number[i] = functions.Add(wasmfile.AppendUnsigned(nil, g.own[i])...)
		}
	}
	elements := &wasmfile.List{}
	var places segment
	for i, body := range g.bodies {
		if !isHere(i) {
			continue
		}
		body, err := replaceCalls(body, func(callee int) []byte {
			own := callee - g.imports
			if number[own] >= 0 {
				return wasmfile.AppendUnsigned([]byte{wasmfile.OpCall}, number[own])
			}
			return g.throughTable(own)
		})
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
		if places.offset+len(places.functions) != g.place[i] {
			if places.functions != nil {
				elements.Add(places.bytes()...)
			}
			places = segment{offset: g.place[i]}
		}
		places.functions = append(places.functions, number[i])
	}
	if places.functions != nil {
		elements.Add(places.bytes()...)
	}

	types, imports := wasmfile.ListOf(g.Body(wasmfile.Type)), &wasmfile.List{}
	imports.Add(imported(firstModule, tableName, externTable, wasmfile.ListOf(g.Body(wasmfile.Table)).Entries()...)...)
	imports.Add(imported(firstModule, memoryName, externMemory, wasmfile.ListOf(g.Body(wasmfile.Memory)).Entries()...)...)
	for i, kind := range g.globals {
		imports.Add(imported(firstModule, fmt.Sprint(globalName, i), externGlobal, kind...)...)
	}
	imports.Add(imported(firstModule, fmt.Sprint(loadedName, part), externGlobal, typeI32, mutable)...)
	start := functions.Add(wasmfile.AppendUnsigned(nil, types.Add(nothing...))...)
	say := wasmfile.AppendUnsigned([]byte{0, wasmfile.OpI32Const, 1, wasmfile.OpGlobalSet}, len(g.globals))
	bodies = append(bodies, append(say, wasmfile.OpEnd))
	return wasmfile.Module{Sections: []wasmfile.Section{
		{Kind: wasmfile.Type, Body: types.Bytes()},
		{Kind: wasmfile.Import, Body: imports.Bytes()},
		{Kind: wasmfile.Function, Body: functions.Bytes()},
		{Kind: wasmfile.Start, Body: wasmfile.AppendUnsigned(nil, start)},
		{Kind: wasmfile.Element, Body: elements.Bytes()},
		{Kind: wasmfile.Code, Body: wasmfile.CodeOf(bodies)},
	}}.Bytes(), nil
}

// throughTable is a call of a function by its place in the table.
func (g *program) throughTable(function int) []byte {
	out := wasmfile.AppendSigned([]byte{wasmfile.OpI32Const}, g.place[function])
	return append(wasmfile.AppendUnsigned(append(out, wasmfile.OpCallIndirect), g.own[function]), 0)
}

// countCalls is how many instructions call each of the module's functions in those functions
// that are asked for.
func (g *program) countCalls(in func(function int) bool) ([]int, error) {
	calls := make([]int, len(g.bodies))
	for i, body := range g.bodies {
		if !in(i) {
			continue
		}
		_, err := replaceCalls(body, func(callee int) []byte {
			if own := callee - g.imports; own >= 0 {
				calls[own]++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// short is how many numbers a call can have that take one byte.
const short = 128

// byCalls is the functions that are asked for in the order of the module, but first those
// that are called most, as many as have a number of one byte when the first number is given.
func (g *program) byCalls(calls []int, first int, of func(function int) bool) (order []int) {
	for i := range g.bodies {
		if of(i) {
			order = append(order, i)
		}
	}
	most := slices.Clone(order)
	slices.SortStableFunc(most, func(a, b int) int { return calls[b] - calls[a] })
	most = most[:min(max(short-first, 0), len(most))]
	chosen := map[int]bool{}
	for _, f := range most {
		chosen[f] = true
	}
	return append(most, slices.DeleteFunc(order, func(f int) bool { return chosen[f] })...)
}

// renumberExports gives exported functions other numbers.
func renumberExports(body []byte, moved func(int) int) *wasmfile.List {
	out := &wasmfile.List{}
	count, w := wasmfile.Unsigned(body)
	body = body[w:]
	for range count {
		length, w := wasmfile.Unsigned(body)
		name, kind := string(body[w:w+length]), body[w+length]
		number, size := wasmfile.Unsigned(body[w+length+1:])
		if kind == externFunction {
			number = moved(number)
		}
		out.Add(export(name, kind, number)...)
		body = body[w+length+1+size:]
	}
	return out
}
