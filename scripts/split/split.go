package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/scripts/internal/wasmfile"
)

// How the first part asks its host for the second, and what the second part imports:
// what the first exports. web/app/engine-parts.ts knows these names.
const (
	hostModule  = "parts"
	hostLoad    = "load" // () -> (): instantiates the second part
	firstModule = "first"
	tableName   = "table"  // all functions of both parts, in the places that Go's linker gave them
	memoryName  = "mem"    // as Go's linker names it
	globalName  = "global" // and its number: Go's registers
	loadedName  = "loaded" // 1 when the second part is there
)

// parts are the two modules, and how many functions and bytes of code are in each.
type parts struct {
	first, second       []byte
	hot, cold           int
	hotBytes, coldBytes int
}

// split moves the functions that are not hot to a second module; isHot gets their numbers
// among the module's own functions, and their names. In the first, each
// of them leaves a stub that has the second module loaded, if it is not there yet, and
// calls the function through the table.
func split(data []byte, isHot func(number int, name string) bool) (p parts, err error) {
	defer wasmfile.Catch(&err)
	g, err := readProgram(data)
	if err != nil {
		return p, err
	}
	cold := make([]bool, len(g.bodies))
	for i, body := range g.bodies {
		moves, err := g.mayMove(i)
		if err != nil {
			return p, err
		}
		if cold[i] = moves && !isHot(i, g.names[i]); cold[i] {
			p.cold++
			p.coldBytes += len(body)
		} else {
			p.hot++
			p.hotBytes += len(body)
		}
	}
	if p.first, err = g.first(cold); err != nil {
		return p, err
	}
	p.second, err = g.second(cold)
	return p, err
}

// mayMove reports whether a function can be in the second part: it is of the type that
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

// first is the module with stubs in place of the functions that moved. It imports one
// function more, and has one more, by way of which the stubs call. Its functions have other
// numbers than before: small ones for those that are called most, the largest for stubs.
func (g *program) first(cold []bool) ([]byte, error) {
	calls, err := g.countCalls(func(function int) bool { return !cold[function] })
	if err != nil {
		return nil, err
	}
	load, through := g.imports, g.imports+1
	order := g.byCalls(calls, g.imports+2, func(function int) bool { return !cold[function] })
	hot := len(order)
	for i := range cold {
		if cold[i] {
			order = append(order, i)
		}
	}
	number := make([]int, len(cold))
	for i, function := range order {
		number[function] = g.imports + 2 + i
	}
	moved := func(function int) int {
		if function < g.imports {
			return function
		}
		return number[function-g.imports]
	}
	types, functions := wasmfile.ListOf(g.Body(wasmfile.Type)), &wasmfile.List{}
	loadType, gateType := types.Add(nothing...), types.Add(gate...)
	globals := wasmfile.ListOf(g.Body(wasmfile.Global))
	loaded := globals.Add(typeI32, mutable, wasmfile.OpI32Const, 0, wasmfile.OpEnd)
	functions.Add(wasmfile.AppendUnsigned(nil, gateType)...)
	bodies := [][]byte{g.gate(loaded, load)}
	for i, function := range order {
		functions.Add(wasmfile.AppendUnsigned(nil, g.own[function])...)
		if i >= hot {
			stub := wasmfile.AppendSigned([]byte{0, wasmfile.OpLocalGet, 0, wasmfile.OpI32Const}, g.place[function])
			stub = wasmfile.AppendUnsigned(append(stub, wasmfile.OpCall), through)
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
	exports := renumberExports(m.Body(wasmfile.Export), moved)
	exports.Add(export(tableName, externTable, 0)...)
	for i := range g.globals {
		exports.Add(export(fmt.Sprint(globalName, i), externGlobal, i)...)
	}
	exports.Add(export(loadedName, externGlobal, loaded)...)
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

// gate is the body of the function by way of which stubs call: it gets what they got,
// and the place of the function in the table.
func (g *program) gate(loaded, load int) []byte {
	out := wasmfile.AppendUnsigned([]byte{0, wasmfile.OpGlobalGet}, loaded)
	out = append(out, opI32Eqz, wasmfile.OpIf, noResult, wasmfile.OpCall)
	out = append(wasmfile.AppendUnsigned(out, load), wasmfile.OpEnd)
	out = append(out, wasmfile.OpLocalGet, 0, wasmfile.OpLocalGet, 1, wasmfile.OpCallIndirect)
	kind := slices.IndexFunc(g.types, func(t []byte) bool { return bytes.Equal(t, moving) })
	return append(wasmfile.AppendUnsigned(out, kind), 0, wasmfile.OpEnd)
}

// second is the module of the functions that moved. When it is instantiated it takes
// their places in the table. Through it, it calls those of the first part: each of them that
// is called more than once has a function here that does that.
func (g *program) second(cold []bool) ([]byte, error) {
	calls, err := g.countCalls(func(function int) bool { return cold[function] })
	if err != nil {
		return nil, err
	}
	ways := g.byCalls(calls, 0, func(function int) bool { return !cold[function] && calls[function] > 1 })
	number := slices.Repeat([]int{-1}, len(cold)) // in the second part
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
	for i := range cold {
		if cold[i] {
			number[i] = functions.Add(wasmfile.AppendUnsigned(nil, g.own[i])...)
		}
	}
	elements := &wasmfile.List{}
	var places segment
	for i, body := range g.bodies {
		if !cold[i] {
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
	imports.Add(imported(firstModule, loadedName, externGlobal, typeI32, mutable)...)
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
