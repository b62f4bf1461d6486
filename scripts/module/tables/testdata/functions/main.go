// Command functions makes the runtime look up functions by address: its stack grows
// and is scanned, panics are recovered, goroutines wait.
package main

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

type number int

func (n number) Half() number { return n / 2 }

type halver interface{ Half() number }

// deep needs a stack that grows, while the collector runs.
func deep(n int, kept *[]string) int {
	var room [64]int
	for i := range room {
		room[i] = n + i
	}
	if n == 0 {
		runtime.GC()
		return len(*kept)
	}
	*kept = append(*kept, strings.Repeat("x", n%7))
	if n%5 == 0 {
		defer func() { *kept = (*kept)[:len(*kept)-1] }()
	}
	return deep(n-1, kept) + room[n%len(room)]%3
}

// recovered is what a call panics with.
func recovered(call func()) (reason string) {
	defer func() { reason = fmt.Sprint(recover()) }()
	call()
	return ""
}

// The runtime recovers only in a function that is deferred itself, so it knows which calls
// were inlined, and which functions the compiler made around others.
type guard struct{ saw *[]string }

func (g guard) recovers() { *g.saw = append(*g.saw, fmt.Sprint(recover())) }

type inner struct{ guard }

type recoverer interface{ recovers() }

func guarded(how string) (saw []string, outer any) {
	defer func() { outer = recover() }()
	g := guard{&saw}
	switch how {
	case "itself":
		defer g.recovers()
	case "by a function around it":
		defer func() { g.recovers() }()
	case "by a method around it":
		defer recoverer(&inner{g}).recovers()
	case "as a value":
		defer inner.recovers(inner{g})
	case "at once":
		defer recover()
	}
	panic(how)
}

func main() {
	for _, how := range []string{"itself", "by a function around it", "by a method around it", "as a value", "at once"} {
		fmt.Println(guarded(how))
	}
	var kept []string
	fmt.Println(deep(20_000, &kept), len(kept))

	var none *number
	var missing map[string]int
	fmt.Println(recovered(func() { missing["a"] = 1 }))
	fmt.Println(recovered(func() { _ = []int{1}[len(kept)] }))
	fmt.Println(recovered(func() { reflect.ValueOf(1).Elem() }))
	// The method is called by way of one that the compiler made, which says its name.
	fmt.Println(strings.Contains(recovered(func() { halver(none).Half() }), "called using nil"))

	method := reflect.ValueOf(number(10)).MethodByName("Half").Call(nil)
	made := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(in []reflect.Value) []reflect.Value {
		runtime.GC()
		return []reflect.Value{reflect.ValueOf(int(in[0].Int()) + deep(2_000, new([]string))%2)}
	}).Interface().(func(int) int)
	fmt.Println(method[0].Int(), made(3))

	answers := make(chan int)
	for i := range 8 {
		go func() { answers <- deep(500*i, new([]string)) }()
	}
	sum := 0
	for range 8 {
		sum += <-answers
	}
	fmt.Println(sum)

	counter, _, _, _ := runtime.Caller(0)
	fmt.Println(runtime.FuncForPC(counter) != nil)
}
