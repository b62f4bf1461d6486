// Command control takes all the ways through a function that Go has, and prints
// what it passed. Its output natively is what it has to print under js/wasm.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
)

func main() {
	loops()
	choices()
	gotos()
	fmt.Println("deep", deep(2_000))
	panics()
	goroutines()
	collects()
	fmt.Println("range", ranged())
}

func loops() {
	sum := 0
outer:
	for i := range 50 {
		for j := 0; ; j++ {
			switch {
			case j > i:
				continue outer
			case i*j > 400:
				break outer
			case (i+j)%3 == 0:
				continue
			}
			for k := i; k > j; k -= 2 {
				if k%7 == 0 {
					break
				}
				sum += k
			}
		}
	}
	fmt.Println("loops", sum)
}

func choices() {
	var b strings.Builder
	for i := range 12 {
		switch v := any(value(i)).(type) {
		case int:
			if v > 3 && v%2 == 0 || v == 9 {
				b.WriteString("i")
			} else if v < 0 {
				b.WriteString("-")
			}
		case string:
			switch v {
			case "a", "b":
				b.WriteString(v)
				fallthrough
			case "c":
				b.WriteString("!")
			default:
				b.WriteString("?")
			}
		case error:
			b.WriteString(v.Error())
		case nil:
			b.WriteString("_")
		}
	}
	fmt.Println("choices", b.String())
}

func value(i int) any {
	switch i % 6 {
	case 0:
		return i
	case 1:
		return string(rune('a' + i/4))
	case 2:
		return fmt.Errorf("e%d", i)
	case 3:
		return nil
	case 4:
		return -i
	}
	return "z"
}

func gotos() {
	n, steps := 27, 0
again:
	if n == 1 {
		goto done
	}
	steps++
	if n%2 == 0 {
		n /= 2
		goto again
	}
	n = 3*n + 1
	goto again
done:
	fmt.Println("gotos", steps)
}

// deep makes the stack grow, which leaves and enters all functions again.
func deep(n int) int {
	if n == 0 {
		return 0
	}
	var pad [16]int
	pad[n%16] = n
	below := deep(n - 1)
	if pad[n%16]%2 == 0 {
		return below + 1
	}
	return below
}

var errInside = errors.New("inside")

func panics() {
	for _, what := range []func(){
		func() { panic(errInside) },
		func() { var m map[string]int; m["a"] = 1 },
		func() { var p *struct{ n int }; fmt.Println(p.n) },
		func() { s := []int{1}; i := 3; fmt.Println(s[i]) },
		func() { a, b := 1, 0; fmt.Println(a / b) },
	} {
		func() {
			defer fmt.Println("deferred")
			defer func() { fmt.Println("recovered", recover()) }()
			what()
		}()
	}
}

func goroutines() {
	var wait sync.WaitGroup
	in, out := make(chan int), make(chan int, 4)
	for w := range 5 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for v := range in {
				if v%2 == 0 {
					runtime.Gosched()
				}
				select {
				case out <- v * v:
				default:
					out <- v*v + 0*w
				}
			}
		}()
	}
	go func() {
		for i := range 200 {
			in <- i
		}
		close(in)
		wait.Wait()
		close(out)
	}()
	var all []int
	for v := range out {
		all = append(all, v)
	}
	sort.Ints(all)
	sum := 0
	for i, v := range all {
		sum += i * v
	}
	fmt.Println("goroutines", len(all), sum)
}

// collects makes the collector run, whose write barriers are the jumps back.
func collects() {
	type node struct {
		next *node
		name string
	}
	var kept []*node
	for i := range 200_000 {
		n := &node{name: fmt.Sprint(i)}
		if i%100 == 0 {
			if len(kept) > 0 {
				n.next = kept[len(kept)-1]
			}
			kept = append(kept, n)
		}
		if i%50_000 == 0 {
			runtime.GC()
		}
	}
	length := 0
	for n := kept[len(kept)-1]; n != nil; n = n.next {
		length += len(n.name)
	}
	fmt.Println("collects", length)
}

func ranged() (sum int) {
	pairs := func(yield func(int, int) bool) {
		for i := range 100 {
			if !yield(i, i*i) {
				return
			}
		}
	}
	for a, b := range pairs {
		if a%3 == 0 {
			continue
		}
		if b > 5000 {
			break
		}
		sum += a ^ b
	}
	return sum
}
